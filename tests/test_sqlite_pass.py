"""What can differ on SQLite runs there: CI runs the other tests on PostgreSQL alone.

A module in which the database decides what happens is named by the mark of tests that run it: `pytest.mark.sqlite("module")`.
"""

import ast
import re
from collections.abc import Iterator

from tests.places import REPOSITORY
from tests.pure_code import APPS, module_of, sources

DIFFERS = re.compile(
    r"\.vendor\b|RawSQL\(|\bcursor\(\)|\.raw\(|\.extra\(|\bas_(sqlite|postgresql)\b|_conflicts=|__i?regex\b|JSONObject\("
    r"|\bFunc\(|\bCollate\(|db_collation|pg_advisory|ArrayAgg\(|StringAgg\("
)
"""SQL of our own, triggers, collations, locks, and what Django writes in another way for each database."""


def differing() -> set[str]:
    return {module_of(path) for path in sources(*APPS) if DIFFERS.search(path.read_text(encoding="utf-8"))}


def marked() -> Iterator[str]:
    """The modules that marks of tests name."""
    for path in (REPOSITORY / "tests").rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if "mark.sqlite" in text:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.sqlite":
                    yield from (str(ast.literal_eval(argument)) for argument in node.args)


def test_every_module_that_can_differ_on_sqlite_is_named_by_tests_that_run_there() -> None:
    assert set(marked()) == differing()
