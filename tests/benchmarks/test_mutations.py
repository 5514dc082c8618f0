"""The faults that `benchmarks.mutants` puts into the product, and the order in which it draws them."""

import ast
import csv
from pathlib import Path
from textwrap import dedent

import pytest

from benchmarks.mutant_copies import failures
from benchmarks.mutant_rows import KILLED, SURVIVED, TIMEOUT, lost, read_rows, row_of, table, write_rows
from benchmarks.mutations import Mutation, applied, common, draw, mutations, units
from benchmarks.rooms import Rooms, product_files
from tests.places import REPOSITORY

MODULE = b'''"""About."""

import logging
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from x import y

__all__ = ["first"]
logger = logging.getLogger(__name__)
Kind = Literal["a", "b"]
LIMIT: "int | None" = 3


class Thing:
    """A \xc3\xa4 thing."""

    size = 1

    @property
    def large(self) -> bool:
        return self.size > 10


def first(rows: list[int], most: int = 2) -> int | None:
    logger.info("%s rows", len(rows) + 1)
    if not rows and most < 3 and "\xc3\xa4" not in rows:
        rows.append(most)
    return max(rows)
'''


def changed(source: str, operator: str) -> list[str]:
    """What becomes of the text by each mutation of the operator."""
    text = dedent(source).encode()
    return [applied(text, one).decode() for one in mutations("m.py", text) if one.operator == operator]


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        ("comparison", "a < b", ["a <= b"]),
        ("comparison", "(a) == (b)", ["(a) != (b)"]),
        ("comparison", "a not  in b", ["a in b"]),
        ("comparison", "x = 'ä' in a, a is not b", ["x = 'ä' not in a, a is not b", "x = 'ä' in a, a is b"]),
        ("comparison", "1 < a >= 3", ["1 <= a >= 3", "1 < a > 3"]),
        ("and/or", "a and (b) or c", ["a and (b) and c", "a or (b) or c"]),
        ("not dropped", "x = not (a or b)", ["x = (a or b)"]),
        ("arithmetic", "a + b * c", ["a - b * c", "a + b // c"]),
        ("arithmetic", "a += 1", ["a -= 1"]),
        ("arithmetic", "a + 'x' + b", ["a + 'x' - b"]),
        (
            "integer + 1",
            "x = f(-1, 10_000, 1.5, True)",
            ["x = f(-2, 10_000, 1.5, True)", "x = f(-1, 10001, 1.5, True)"],
        ),
        ("True/False", "zip(a, b, strict=True, deep=True)", ["zip(a, b, strict=True, deep=False)"]),
        ("condition negated", "if (x := f()) and g: pass", ["if not ((x := f()) and g): pass"]),
        ("condition negated", "[a for a in b if a.c]", ["[a for a in b if not (a.c)]"]),
        ("condition negated", "if not a: pass", []),
        ("call removed", "f(\n  1,\n)\ng()", ["pass\ng()", "f(\n  1,\n)\npass"]),
        ("return None", "def f():\n    return (a, b)", ["def f():\n    return None"]),
        ("return None", "def f():\n    return None", []),
        ("min/max, any/all", "min(a), b.any()", ["max(a), b.any()", "min(a), b.all()"]),
    ],
)
def test_each_operator_changes_one_place(operator: str, before: str, after: list[str]) -> None:
    assert sorted(changed(before, operator)) == sorted(after)


def test_what_never_shows_is_left_alone() -> None:
    untouched = {1, 3, 4, 6, 7, 9, 10, 11, 16, 26}
    found = list(mutations("m.py", MODULE))
    assert {one.line for one in found} <= set(range(1, 30)) - untouched
    assert {12, 18, 22, 25, 27, 28, 29} <= {one.line for one in found}


def test_all_faults_of_a_real_module_are_where_they_say_and_change_it() -> None:
    source = (REPOSITORY / "evaluation/engine/matching.py").read_bytes()
    found = list(mutations("matching.py", source))
    assert len(found) > 20
    for one in found:
        assert source.splitlines()[one.line - 1][one.column :].startswith(one.before.encode().splitlines()[0])
        assert ast.dump(ast.parse(applied(source, one))) != ast.dump(ast.parse(source))


def test_a_fault_of_another_file_is_refused() -> None:
    one = next(mutations("m.py", MODULE))
    with pytest.raises(AssertionError, match="the file is another"):
        applied(b"#" + MODULE, one)


def test_a_unit_is_a_function_with_its_decorators_or_a_statement() -> None:
    found = {unit.name: unit.text for unit, _ in units(MODULE)}
    assert " ".join(found["Thing.large"].split()) == "@property def large(self) -> bool: return self.size > 10"
    assert found["Thing."] == "size = 1"
    assert found["first"].startswith("def first(")


def test_a_draw_takes_each_line_once_and_begins_with_every_shorter_draw() -> None:
    found = list(mutations("m.py", MODULE))
    long = draw(found, {"m.py": MODULE}, seed=1, count=100)
    assert len(long) == len({one.line for one in found}) == len({one.line for one in long})
    assert draw(reversed(found), {"m.py": MODULE}, seed=1, count=3) == long[:3]
    assert draw(found, {"m.py": MODULE}, seed=2, count=100) != long


def test_two_checkouts_draw_the_same_faults_from_what_they_have_in_common() -> None:
    later = MODULE.replace(b"size = 1", b"size = 2").replace(b"import logging", b"import os\nimport logging")
    own, theirs = list(mutations("m.py", MODULE)), list(mutations("m.py", later))

    def drawn(found: list[Mutation], source: bytes, other: bytes) -> list[tuple[str, ...]]:
        return [one.key for one in draw(common(found, {"m.py": other}), {"m.py": source}, seed=1, count=50)]

    both = drawn(own, MODULE, later)
    assert both == drawn(theirs, later, MODULE)
    assert 0 < len(both) < len(draw(own, {"m.py": MODULE}, seed=1, count=50))


def test_rows_are_read_as_they_were_written_and_what_is_no_longer_noticed_is_named(tmp_path: Path) -> None:
    drawn = draw(mutations("campaign/m.py", MODULE), {"campaign/m.py": MODULE}, seed=1, count=3)
    before = [row_of(one, KILLED, 1.25, 2, "tests/test_a.py::test_it") for one in drawn]
    write_rows(tmp_path / "before.csv", before)
    assert list(read_rows(tmp_path / "before.csv").values()) == before
    with (tmp_path / "before.csv").open(newline="") as file:
        assert next(csv.reader(file))[:8] == [
            "file", "line", "operator", "before", "after", "outcome", "seconds", "test_files",
        ]  # fmt: skip
    outcomes = (KILLED, SURVIVED, TIMEOUT)
    now = [row_of(one, outcome, 3, 2) for one, outcome in zip(drawn, outcomes, strict=True)]
    named = list(lost(read_rows(tmp_path / "before.csv"), now))
    assert [line.partition("now ")[2].partition(";")[0] for line in named] == [SURVIVED, TIMEOUT]
    assert "| campaign | 3 | 1 | 1 | 0 | 1 | 50.0% | 9.5% to 90.5% | 33.3% |" in list(table(now))


def test_the_test_that_failed_is_read_from_the_summary() -> None:
    output = dedent("""\
        F
        FAILED tests/a/test_b.py::test_c[x - y] - assert 1 == 2
        ERROR tests/a/test_d.py - ImportError: no
        FAILED to do something else
    """)
    assert failures(output) == ["tests/a/test_b.py::test_c", "tests/a/test_d.py"]


def test_the_tests_of_a_module_are_its_room_and_those_that_import_it_the_quickest_first(tmp_path: Path) -> None:
    files = {
        "pooling/core/strategies/rrf.py": "", "pooling/views/worth.py": "", "pooling/urls.py": "from pooling.views import worth",
        "pooling/apps.py": "", "pooling/migrations/0001.py": "", "tests/pooling/core/strategies/test_far.py": "",
        "tests/pooling/core/strategies/test_rrf.py": "def test_x(db): pass", "tests/pooling/test_worth_pages.py": "",
        "tests/judging/test_b.py": "from pooling.core.strategies import rrf",
        "tests/browser/test_c.py": "import pooling.core.strategies.rrf",
        "tests/pooling/test_site.py": "import subprocess", "tests/pooling/core/strategies/deep/test_e.py": "",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    rooms = Rooms(tmp_path)
    assert [str(path.relative_to(tmp_path)) for path in product_files(tmp_path)] == [
        "pooling/core/strategies/rrf.py", "pooling/urls.py", "pooling/views/worth.py",
    ]  # fmt: skip
    assert rooms.tests_of("pooling/core/strategies/rrf.py") == [
        "tests/pooling/core/strategies/deep/test_e.py",
        "tests/pooling/core/strategies/test_far.py",
        "tests/judging/test_b.py",
        "tests/pooling/core/strategies/test_rrf.py",
    ]
    assert rooms.tests_of("pooling/views/worth.py") == ["tests/pooling/test_worth_pages.py"]
    assert rooms.tests_of("pooling/urls.py") == [
        "tests/pooling/core/strategies/deep/test_e.py",
        "tests/pooling/core/strategies/test_far.py",
        "tests/pooling/test_worth_pages.py",
        "tests/pooling/core/strategies/test_rrf.py",
        "tests/pooling/test_site.py",
    ]
    (tmp_path / "tests/test_all.py").write_text("")
    assert rooms.tests_of("pooling/views/worth.py")[-1] == "tests/pooling/test_worth_pages.py"
    wide = Rooms(tmp_path).tests_of("pooling/views/worth.py", wide=True)
    assert (wide[0], wide[-1], len(wide)) == ("tests/pooling/test_worth_pages.py", "tests/pooling/test_site.py", 6)
    assert "tests/test_all.py" in wide
