"""Every file that a person may send has a row that says what becomes of it, and the tests of the row exist."""

import ast
import re
from functools import cache

import pytest

from runpool.client.commands import commands
from tests.places import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "published-files.md"
HEADING = "## Every file that a person may send"
FORMS = {
    "campaign/collection/forms.py": "file of topics",
    "campaign/runs/forms/upload.py": "run",
    "campaign/setup/forms/blueprints.py": "campaign set-up, with its people",
    "campaign/setup/forms/profiles.py": "logo of a campaign",
    "judging/practice/forms.py": "answers to practise on",
    "runpool/archive/forms.py": "archive of a campaign",
}
"""The modules whose forms take a file, and one kind that comes in by each."""
READS_A_FILE = re.compile(r'add_argument\("files?"|\badd_file\(|"--key"')
WRITING = {"backup", "archive_campaign", "export_user"}
"""Commands whose file is the one that they write."""


def rows() -> list[list[str]]:
    """The cells of the table, without its headings."""
    lines = PAGE.read_text(encoding="utf-8").partition(HEADING)[2].splitlines()
    table = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
    return table[2:]


ROWS = rows()


@cache
def names_of_tests(path: str) -> frozenset[str]:
    tree = ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("cells", ROWS, ids=[cells[0] for cells in ROWS])
def test_a_kind_of_file_says_what_becomes_of_it_and_names_tests_that_exist(cells: list[str]) -> None:
    assert len(cells) == 6
    *_, refused, carried = cells
    tests = re.findall(r"`(tests/[^`:]+)::(\w+)`", carried)
    assert tests
    assert refused
    assert [name for file, name in tests if name not in names_of_tests(file)] == []


def test_every_form_with_a_file_has_its_row() -> None:
    modules = [
        path
        for app in ("campaign", "judging", "pooling", "evaluation", "runpool")
        for path in (REPOSITORY / app).rglob("*.py")
    ]
    taking = [
        path
        for path in modules
        if re.search(r"= (?:forms\.FileField|ManyFilesField)\(", path.read_text(encoding="utf-8"))
    ]
    assert {str(path.relative_to(REPOSITORY)) for path in taking} == FORMS.keys()
    assert {cells[0] for cells in ROWS} >= set(FORMS.values())


def test_every_command_that_reads_a_file_is_named() -> None:
    sources = {path.stem: path.read_text(encoding="utf-8") for path in REPOSITORY.glob("*/management/commands/*.py")}
    reading = {name for name, source in sources.items() if READS_A_FILE.search(source)}
    named = " ".join(cells[1] for cells in ROWS)
    assert [name for name in sorted(reading - WRITING) if not re.search(rf"`{name}[ `]", named)] == []
    assert {"import_topics", "submit_run", "restore"} <= reading


def test_every_kind_that_the_client_sends_has_its_row() -> None:
    kinds = {
        "restoration": "archive",
        "topics": "topics",
        "documents": "documents",
        "run": "run",
        "pool": "pool",
        "judge": "judgments",
        "qrels": "qrels",
    }
    sending = {command.group for command in commands() if command.method == "SEND"}
    assert sending == kinds.keys()
    assert all(any(kind in cells[0] and "client" in cells[1] for cells in ROWS) for kind in kinds.values())
