"""Lists of runs, topics, teams and documents count on: run10 stands after run9, on pages and in files."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import Resolver404, resolve

from campaign.models import User
from tests.factories import Cast
from tests.many_runs import DOCNOS, Many

NAMED = {
    "runs": re.compile(r"\s*(?:.*: )?(run\d+)\b"),
    "topics": re.compile(r"\s*(\d+)\s*(?:$|cost and|[.:·])|.*\bpart (\d+)\s*$"),
    "teams": re.compile(r"\s*(Laboratory \d+)\b"),
    "documents": re.compile(r"\s*(d\d+)\s*$"),
}
SHORTEST = {"runs": 10, "topics": 10, "teams": 10, "documents": len(DOCNOS)}
BY_BYTES = {
    "leaderboard_csv": "published with a checksum",
    "leaderboard_json": "published with a checksum",
    "preview_csv": "what would be published",
    "preview_json": "what would be published",
    "score_board_csv": "what would be published",
    "qrels_download": "released with a checksum",
    "pool_docnos": "read by programs, by bytes as sort(1) does",
    "qrels_judgments_download": "by topic and docno as the qrels that rest on it",
    "document_list": "of millions of documents, in the order of their index",
}
"""Whose bytes others rely on."""
SEEN = {
    "runs": {
        "board_settings",
        "leaderboard_compare",
        "pool_completeness",
        "pool_create",
        "pool_detail",
        "runs_unjudged",
    },
    "topics": {"topic_list", "my_topics", "assignment_grid", "judging_progress", "qrels_detail", "leaderboard_topics"},
    "teams": {"registration_list", "pool_completeness", "preview_detail"},
    "documents": {"pool_download", "judgments_csv"},
}
"""Where the walk must have met such a list in its order."""
pytestmark = pytest.mark.django_db


class Lists(HTMLParser):
    """The texts of a page by the list they stand in: the cells of a column, the items of a list, the options of a choice."""

    VOID = frozenset({"br", "img", "input", "link", "meta", "hr", "wbr", "col", "source"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lists: dict[tuple[int, str], list[str]] = defaultdict(list)
        self._open: list[tuple[str, int]] = []
        self._tables = self._column = 0
        self._into: list[tuple[int, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"tbody", "ul", "ol", "select", "datalist", "svg"}:
            self._tables += 1
            self._open.append((tag, self._tables))
        elif tag == "tr":
            self._column = 0
        if tag in {"td", "th", "li", "option", "text"} and self._open:
            self._column += tag in {"td", "th"}
            place = f"{tag} {self._column}" if tag in {"td", "th"} else tag
            self._into.append((self._open[-1][1], place))
            self.lists[self._into[-1]].append("")

    def handle_endtag(self, tag: str) -> None:
        if self._open and tag == self._open[-1][0]:
            self._open.pop()
        if tag in {"td", "th", "li", "option", "text"} and self._into:
            self._into.pop()

    def handle_data(self, data: str) -> None:
        if self._into:
            self.lists[self._into[-1]][-1] += data


def sequences(answer: HttpResponseBase, path: str) -> Iterator[list[str]]:
    content = b"".join(answer) if answer.streaming else answer.content  # type: ignore[attr-defined]
    kind, text = answer.headers["Content-Type"], content.decode(errors="replace")
    if "html" in kind or "svg" in kind:
        yield from Lists(text).lists.values()
    elif "json" in kind:
        yield from _by_key(text)
    elif kind.startswith("text/"):
        rows = csv.reader(io.StringIO(text)) if ".csv" in path else (line.split() for line in text.splitlines())
        columns: dict[int, list[str]] = defaultdict(list)
        for row in rows:
            for place, cell in enumerate(row):
                columns[place].append(cell)
        yield from columns.values()


def _by_key(text: str) -> Iterator[list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for key, value in re.findall(r'"(\w+)": ?"([^"]*)"', text):
        found[key].append(value)
    yield from found.values()


def named(texts: list[str], what: str) -> list[str]:
    """The names that the texts begin with, each once, in order."""
    matches = (NAMED[what].match(text) for text in texts)
    names = [next(name for name in match.groups() if name) for match in matches if match]
    return list(dict.fromkeys(names))


def natural(name: str) -> tuple[str, int]:
    letters, number = re.fullmatch(r"(\D*)(\d+)", name).groups()  # type: ignore[union-attr]
    return letters, int(number)


def order_of(names: list[str]) -> str:
    """Told of lists that are in one order and not in the other."""
    for in_order in (names, names[::-1]):
        if in_order == sorted(names, key=natural):
            return "natural"
        if in_order == sorted(names):
            return "text"
    return ""


def walk(
    user: User | None, starts: list[str], files: set[tuple[str, str]]
) -> Iterator[tuple[str, str, HttpResponseBase]]:
    """One address of each name and file format that pages link to, with its answer; `files`: those that are known already."""
    client = Client()
    if user is not None:
        client.force_login(user)
    seen, waiting = set(), list(starts)
    while waiting:
        address = waiting.pop(0)
        path = urlsplit(address).path
        try:
            name = str(resolve(path).url_name)
        except Resolver404:
            continue
        key = name, path.rpartition(".")[2] if "." in path else ""
        is_drawn = key[1] in {"svg", "png", "pdf"} and not name.endswith("_measures_file")
        if key in seen | files or is_drawn or key[1] in {"png", "pdf", "zip", "gz", "parquet"}:
            continue
        seen.add(key)
        if key[1]:
            files.add(key)
        answer = client.get(address)
        if answer.status_code in (301, 302):
            seen.discard(key)
            waiting.insert(0, answer.headers["Location"])
        elif answer.status_code == 200:
            if "html" in answer.headers["Content-Type"]:
                links = re.findall(r'(?:href|src|hx-get)="(/[^"#]+)"', answer.content.decode())
                waiting += [link.replace("&amp;", "&") for link in links if not link.startswith("/static/")]
            yield name, path, answer


@pytest.fixture(scope="module")
def cast(made_once: Any) -> Iterator[Cast]:
    with made_once(Many(topics=12, runs=12, teams=12).make) as made:
        yield made


def test_no_page_and_no_file_is_in_the_order_of_text(cast: Cast) -> None:
    starts = [cast.task.get_absolute_url(), cast.campaign.get_absolute_url(), "/"]
    faults, in_order, files = [], defaultdict(set), set[tuple[str, str]]()
    for user in (None, cast.member, cast.assessor, cast.organiser):
        for name, path, answer in walk(user, starts, files):
            for texts in sequences(answer, path):
                for what, least in SHORTEST.items():
                    names = named(texts, what)
                    found = order_of(names) if len(names) >= least else ""
                    if found == "natural":
                        in_order[what].add(name)
                    elif found == "text" and name not in BY_BYTES:
                        faults.append(f"{name} {path}: {what} {' '.join(names)}")
    assert not faults, "\n".join(sorted(set(faults)))
    for what, pages in SEEN.items():
        assert pages <= in_order[what], (what, sorted(in_order[what]))


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (["run1", "run2", "run10"], "natural"),
        (["run10", "run2", "run1"], "natural"),
        (["run1", "run10", "run2"], "text"),
        (["run2", "run10", "run1"], "text"),
        (["run2", "run1", "run10"], ""),
    ],
)
def test_the_order_of_a_list_is_told(names: list[str], order: str) -> None:
    assert order_of(names) == order


def test_lists_of_a_page_are_read_by_column_item_and_option() -> None:
    page = (
        "<table><tbody><tr><th>run1</th><td>7 cost and repair</td></tr><tr><th><a>run10</a></th><td>8</td></tr></tbody></table>"
        "<ul><li>Laboratory 2<li></ul><select><option>run2</option><option>run3</option></select>"
    )
    assert [[text for text in texts if text] for texts in Lists(page).lists.values()] == [
        ["run1", "run10"],
        ["7 cost and repair", "8"],
        ["Laboratory 2"],
        ["run2", "run3"],
    ]
    assert named(["7 cost and repair", "cost and repair, part 8", "9"], "topics") == ["7", "8", "9"]
