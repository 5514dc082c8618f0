"""What can differ on SQLite: functions in which the database decides what happens, and the tests that run them there.

`pytest.mark.sqlite("campaign.text.collation.by_numbers")` says of a test that it runs this function; it fails on SQLite if
it does not.
Locked rows are not looked for: on SQLite Django leaves FOR UPDATE out, since a transaction is the only one that writes.
"""

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tests.places import REPOSITORY
from tests.pure_code import APPS, PURE, module_of, sources

OWN_SQL = {"cursor", "raw", "extra", "Func", "vendor", "features"}
OPTIONS = {"ignore_conflicts", "update_conflicts", "nulls_first", "nulls_last", "db_collation"}
LOOKUPS = re.compile(r"__(i?(exact|regex|contains|startswith|endswith)|has_(key|keys|any_keys))$|^(data|arguments)__")
"""By LIKE, which ignores case on SQLite and only that of ASCII, or in JSON, which each database asks in its own way."""
SETTINGS = {"sqlite_errorname", "django.db.backends.sqlite3"}
ERRORS = {"IntegrityError", "DataError"}
FUNCTIONS = ("django.db.models.functions", "django.contrib.postgres")
SAME = {"Coalesce"}

ONLY_POSTGRESQL = {
    "campaign.models.fields.Bytewise.as_postgresql",
    "campaign.database.postgresql.base.DatabaseWrapper.chunked_cursor",
    "campaign.storage.locks._cursor",
    "pooling.services.entries._copy",
}
NOT_SEEN = {
    "runpool.backup.rows._insert": "runs in the process that restores a site",
    "runpool.backup.rows.set_counters": "runs in the process that restores a site",
    "runpool.site_key.keep_first": "runs in the processes that start",
    "runpool.site_key._kept": "runs in the processes that start",
    "runpool.site_key._own_connection": "runs in the processes that start",
    "campaign.database.clock.Moment": "Django writes its SQL",
    "campaign.models.fields.Bytewise": "Django writes its SQL",
    "campaign.models.fields.BytewiseField.db_parameters": "runs when the database is made",
    "campaign.models.triggers.RefuseSecondWrite.database_backwards": "runs where a migration is taken back",
    "campaign.models.triggers.RefuseSecondWrite.database_forwards": "runs when the database is made",
    "campaign.models.user.User.Meta": "is read when the database is made",
    "runpool.settings": "are read when a process starts",
    "campaign.runs.forms.filter.RunFilterForm": "is read when a process starts",
    "campaign.text.collation.add_sqlite_collation": "runs when a connection is made",
    "campaign.queue.workers.WorkerBeat._write": "runs in a thread of its own",
}
"""A test names these too, but none can be seen to run them."""


def differing() -> set[str]:
    """The functions in which the database decides what happens; what stands in none is named by its class or module."""
    pure = set(sources(*PURE))
    found = {name for path in sources(*APPS) if path not in pure for name in _differing_in(path)}
    assert found >= ONLY_POSTGRESQL | set(NOT_SEEN), "an exception that is none"
    return found - ONLY_POSTGRESQL


def _differing_in(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    functions = {
        alias.asname or alias.name
        for node in imports
        if (node.module or "").startswith(FUNCTIONS)
        for alias in node.names
    }
    yield from _places(tree, module_of(path), functions - SAME)


def _places(node: ast.AST, place: str, functions: set[str]) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        within = place
        if isinstance(child, ast.ClassDef | ast.FunctionDef) and not isinstance(node, ast.FunctionDef):
            within = f"{place}.{child.name}"
        if _differs(child, functions):
            yield within
        yield from _places(child, within, functions)


def _differs(node: ast.AST, functions: set[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name in functions
        case ast.Attribute(attr=name):
            return name in OWN_SQL
        case ast.FunctionDef(name=name):
            return name in ("as_sqlite", "as_postgresql")
        case ast.keyword(arg=str(name)):
            return name in OPTIONS or bool(LOOKUPS.search(name))
        case ast.Constant(value=str(text)):
            return text in SETTINGS or bool(LOOKUPS.search(text))
        case ast.ExceptHandler(type=ast.expr() as type_):
            return any(isinstance(name, ast.Name) and name.id in ERRORS for name in ast.walk(type_))
    return False


def marked() -> set[str]:
    """What the marks of tests name."""
    return {
        str(ast.literal_eval(argument))
        for path in (REPOSITORY / "tests").rglob("test_*.py")
        if "mark.sqlite(" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.sqlite"
        for argument in node.args
    }


@contextmanager
def runs_what_its_marks_name(test: pytest.Item) -> Iterator[None]:
    idle = {name for mark in test.iter_markers("sqlite") for name in mark.args} - set(NOT_SEEN)
    if not idle:
        yield
        return
    seen: set[CodeType] = set()
    before = sys.gettrace()

    def note(frame: Any, _event: str, _argument: Any) -> None:
        if frame.f_code in seen:
            return
        seen.add(frame.f_code)
        idle.discard(_name_of(frame.f_code))
        if not idle:
            sys.settrace(before)  # each call costs as long as it is looked at

    sys.settrace(note)
    try:
        yield
    finally:
        sys.settrace(before)
    if idle:
        pytest.fail(f"the mark of this test names what it does not run: {', '.join(sorted(idle))}", pytrace=False)


def _name_of(code: CodeType) -> str:
    path = Path(code.co_filename)
    if not path.is_relative_to(REPOSITORY):
        return ""
    return f"{module_of(path)}.{code.co_qualname.partition('.<locals>')[0]}"
