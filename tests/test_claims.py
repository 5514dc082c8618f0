"""Every claim in docs/reference/claims.md stands in its files in these words, and the tests named for it exist."""

import ast
import re
from functools import cache

import pytest

from tests.places import REPOSITORY

LIST = REPOSITORY / "docs" / "reference" / "claims.md"
CLAIMING = re.compile(
    r"exact for|corrected|shown to differ|significantly different|worst value|intervals? |random sample|too (low|high)|best run"
)
"""Words by which a page or a guide claims something of numbers: its file must be in the list."""
PAGES = (
    "templates/evaluation/**/*.html",
    "templates/judging/**/*.html",
    "templates/pooling/**/*.html",
    "docs/guide/*.md",
)


def rows() -> list[tuple[str, str, str]]:
    """The words, the files and the carriers of each claim."""
    lines = [
        line.strip().strip("|").split(" | ")
        for line in LIST.read_text(encoding="utf-8").splitlines()
        if line[:2] == "| "
    ]
    return [(words.strip(), where, carried) for words, where, carried in lines if words.strip() not in ("words", "---")]


ROWS = rows()


@cache
def plain(path: str) -> str:
    """A file's text as it is read: one blank between words, no emphasis."""
    return " ".join((REPOSITORY / path).read_text(encoding="utf-8").replace("**", "").split())


@cache
def names_of_tests(path: str) -> frozenset[str]:
    tree = ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize(("words", "where", "carried"), ROWS, ids=[words[:60] for words, *_ in ROWS])
def test_a_claim_stands_where_the_list_says_and_is_carried_by_a_test_or_a_source(
    words: str, where: str, carried: str
) -> None:
    files, tests = re.findall(r"`([^`]+)`", where), re.findall(r"`(tests/[^`:]+)::(\w+)`", carried)
    assert files
    for file in files:
        missing = [part for part in words.split(" … ") if part not in plain(file)]
        assert not missing, f"{file} does not say: {missing}"
    assert tests or carried.startswith("Source: ")
    assert [name for file, name in tests if name not in names_of_tests(file)] == []


def test_no_page_and_no_guide_claims_something_of_numbers_without_being_in_the_list() -> None:
    listed = {file for _, where, _ in ROWS for file in re.findall(r"`([^`]+)`", where)}
    claiming = {
        str(path.relative_to(REPOSITORY))
        for pattern in PAGES
        for path in REPOSITORY.glob(pattern)
        if CLAIMING.search(" ".join(re.sub(r"{#.*?#}|{%.*?%}", "", path.read_text(encoding="utf-8")).split()))
    }
    assert claiming - listed == set()
