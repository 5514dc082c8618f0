"""Pages with a row for each topic: a filter and 20 rows, all of them on demand."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, quote

import pytest
from django.db import connection
from django.test import Client, TestCase
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from campaign.models import Task, User
from campaign.text import limits
from campaign.web.short_lists import SHOWN
from tests.factories import Cast, make_cast, make_topics
from tests.long_lists import make_own_topics, make_scored_topics

MANY = 45
ADDRESSES: dict[str, dict[str, Any]] = {
    "leaderboard_topics": {"number": 1},
    "leaderboard_run": {"number": 1, "tag": "moves"},
    "leaderboard_compare": {"number": 1},
    "qrels_detail": {"version": 1},
    "my_topics": {},
    "topic_list": {},
}
HOSTILE = ['"><script>alert(1)</script>', "{{ 7|add:7 }}", "' OR 1=1 --", "%", "x" * 5000]


def _made(count: int) -> Cast:
    cast = make_cast()
    make_scored_topics(cast, count, TestCase.captureOnCommitCallbacks)
    make_own_topics(cast, [str(number) for number in range(1, count - 4)])
    return cast


@pytest.fixture(scope="module")
def casts(made_once: Any) -> Iterator[dict[int, Cast]]:
    with made_once(lambda: {count: _made(count) for count in (SHOWN, SHOWN + 1, MANY)}) as made:
        yield made


class Shown:
    """A page as its reader gets it."""

    def __init__(self, cast: Cast, name: str, query: str = "", **headers: str) -> None:
        reader: User = cast.assessor if name == "my_topics" else cast.organiser
        client = Client()
        client.force_login(reader)
        task = Task.objects.get(pk=cast.task.pk)
        response = client.get(task.url(name, **ADDRESSES[name]) + query, headers=headers)
        assert response.status_code == 200
        self.text = " ".join(response.content.decode().split())
        self.listed = self.text.partition('id="listed"')[2]
        named = r'<th scope="row">(\d+)' if name == "qrels_detail" else r"title of (\d+)"
        self.topics = re.findall(named, self.listed)

    def link(self, words: str) -> dict[str, list[str]]:
        [address] = re.findall(rf'href="(\?[^"]*)"> ?{words}<', self.listed)
        return parse_qs(html.unescape(address)[1:])


pages = pytest.mark.parametrize("name", list(ADDRESSES))
pytestmark = pytest.mark.django_db


@pages
def test_a_list_of_twenty_topics_has_no_filter_and_one_of_more_shows_twenty(casts: dict[int, Cast], name: str) -> None:
    short = Shown(casts[SHOWN], name, "?search=nothing")
    by_number = name != "leaderboard_compare"
    found = short.topics if by_number else sorted(short.topics, key=int)
    assert found == [str(number) for number in range(1, 21)]
    assert 'id="topic-search"' not in short.text
    assert "Show all" not in short.listed
    longer = Shown(casts[SHOWN + 1], name)
    assert len(longer.topics) == SHOWN
    assert "21 topics, 20 shown" in longer.listed
    assert 'id="topic-search"' in longer.text
    every = Shown(casts[SHOWN + 1], name, "?topics=all")
    assert sorted(every.topics, key=int) == [str(number) for number in range(1, 22)]
    assert "Show all" not in every.listed


@pages
def test_a_filter_finds_topics_behind_the_cut_and_says_what_to_do_when_it_finds_none(
    casts: dict[int, Cast], name: str
) -> None:
    found = Shown(casts[MANY], name, "?search=TITLE+33")
    assert found.topics == ["33"]
    assert "1 of 45 topics matches" in found.listed
    assert "search" not in found.link("Remove the filter")
    none = Shown(casts[MANY], name, "?search=nowhere&topics=all")
    assert none.topics == []
    assert "No topic matches" in none.listed
    assert "Type fewer words, or remove the filter." in none.listed
    assert none.link("Remove the filter") == {"topics": ["all"]}


@pages
def test_links_and_form_keep_what_was_chosen(casts: dict[int, Cast], name: str) -> None:
    chosen = {"measure": ["RR"], "team": ["a&b"], "sort": ["-topic"]}
    shown = Shown(casts[MANY], name, "?measure=RR&team=a%26b&sort=-topic&search=title")
    assert shown.link("Show all 45 matching topics") == {**chosen, "search": ["title"], "topics": ["all"]}
    form = shown.text.partition('aria-label="Filter the topics"')[2].partition("</form>")[0]
    kept = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form)
    assert dict(kept) == {"measure": "RR", "team": "a&amp;b", "sort": "-topic"}


@pages
def test_a_hostile_filter_is_a_text(casts: dict[int, Cast], name: str) -> None:
    for text in HOSTILE:
        shown = Shown(casts[SHOWN + 1], name, f"?search={quote(text)}&sort={quote(text)}&x={quote(text)}")
        assert "<script>alert" not in shown.text
        assert f'name="search" dir="auto" value="{escape(text[: limits.SEARCH])}"' in shown.text
        assert "No topic matches" in shown.listed


@pages
def test_a_fragment_says_how_many_topics_there_are(casts: dict[int, Cast], name: str) -> None:
    said = r'hx-swap-oob="innerHTML:#announcement">([^<]*)<'
    assert re.findall(said, Shown(casts[MANY], name, "?search=33", **{"HX-Request": "true"}).text) == [
        "1 of 45 topics matches."
    ]
    assert re.findall(said, Shown(casts[MANY], name, "?search=33").text) == []


@pages
def test_queries_do_not_grow_with_topics(casts: dict[int, Cast], name: str) -> None:
    counts = []
    for count, query in ((SHOWN + 1, ""), (MANY, ""), (MANY, "?topics=all"), (MANY, "?search=title")):
        Shown(casts[count], name, query)  # what is kept is kept
        with CaptureQueriesContext(connection) as found:
            Shown(casts[count], name, query)
        counts.append(len(found))
    assert len(set(counts)) == 1, counts


def test_the_page_of_a_run_shows_the_topics_that_moved_most_up_and_down(casts: dict[int, Cast]) -> None:
    cut = Shown(casts[MANY], "leaderboard_run")
    up = [number for first in (7, 1) for number in range(first, MANY + 1, 7)][:10]
    worst = sorted(range(1, MANY + 1), key=lambda number: (number % 7, number))[-10:]
    assert [int(topic) for topic in cut.topics] == [*up, *worst]
    assert "45 topics, 20 shown</strong> by AP" in cut.listed
    assert "the 10 on which the run is best against the median, then the 10 on which it is worst" in cut.listed
    assert "25 topics between" in cut.listed
    matching = Shown(casts[MANY], "leaderboard_run", "?search=4")
    assert matching.topics == ["4", "14", "24", "34", "40", "41", "42", "43", "44", "45"]
    assert "best against the median" not in matching.listed
    every = Shown(casts[MANY], "leaderboard_run", "?topics=all")
    assert [int(topic) for topic in every.topics] == list(range(1, MANY + 1))


def test_the_comparison_of_two_runs_shows_the_topics_on_which_they_differ_most(casts: dict[int, Cast]) -> None:
    cut = Shown(casts[MANY], "leaderboard_compare", "?a=moves&b=still&measure=AP")
    every = Shown(casts[MANY], "leaderboard_compare", "?a=moves&b=still&measure=AP&topics=all")
    assert [int(topic) % 7 for topic in every.topics] == sorted(number % 7 for number in range(1, MANY + 1))
    assert cut.topics == every.topics[:10] + every.topics[-10:]
    assert "from the best for moves to the best for still: the first and the last 10." in cut.listed
    assert "25 topics between" in cut.listed
    assert cut.link("Show all 45 topics") == {"a": ["moves"], "b": ["still"], "measure": ["AP"], "topics": ["all"]}
    matching = Shown(casts[MANY], "leaderboard_compare", "?a=moves&b=still&search=4")
    assert sorted(matching.topics, key=int) == ["4", "14", "24", "34", "40", "41", "42", "43", "44", "45"]
    assert "between" not in matching.listed
    kept = cut.text.partition('id="measure-kept"')[2].partition("</span>")[0]
    assert 'name="a"' not in kept, "the form asks for the runs itself"
    kept = matching.text.partition('id="measure-kept"')[2].partition("</span>")[0]
    assert 'name="search" value="4"' in kept


def test_what_waits_for_an_assessor_comes_first(casts: dict[int, Cast]) -> None:
    cut = Shown(casts[MANY], "my_topics")
    waiting = [str(number) for number in range(MANY - 4, MANY + 1)]
    assert cut.topics == [*waiting, *(str(number) for number in range(1, 16))]
    assert "45 topics, 20 shown" in cut.listed
    assert "what is left to judge comes first" in cut.listed
    assert Shown(casts[MANY], "my_topics", "?topics=all").topics[:5] == waiting


def test_twenty_of_the_topics_that_wait_are_shown(cast: Cast) -> None:
    make_topics(cast.task, [str(number) for number in range(1, 26)])
    make_own_topics(cast, ["1"])
    shown = Shown(cast, "my_topics")
    assert shown.topics == [str(number) for number in range(2, 22)]
    assert "25 topics, 20 shown" in shown.listed


@pytest.mark.parametrize(
    ("name", "named"), [("leaderboard_topics_file", {}), ("leaderboard_run_file", {"tag": "moves"})]
)
def test_files_have_every_topic_whatever_the_page_shows(
    casts: dict[int, Cast], name: str, named: dict[str, str]
) -> None:
    sent = {}
    for file_format in ("csv", "json"):
        address = casts[MANY].task.url(name, number=1, file_format=file_format, **named)
        sent[file_format] = Client().get(f"{address}?search=33&measure=AP").content.decode()
    assert len(sent["csv"].splitlines()) == 1 + MANY
    assert len(json.loads(sent["json"])["topics"]) == MANY


@pytest.mark.parametrize("name", ["leaderboard_topics", "leaderboard_run"])
def test_another_measure_keeps_order_filter_and_all(casts: dict[int, Cast], name: str) -> None:
    shown = Shown(casts[MANY], name, "?measure=RR&sort=-median&search=title&topics=all")
    kept = shown.text.partition('id="measure-kept"')[2].partition("</span>")[0]
    found = dict(re.findall(r'name="(\w+)" value="([^"]*)"', kept))
    assert found == {"sort": "-median", "search": "title", "topics": "all"}


def test_the_order_of_topics_is_kept_by_the_cut(casts: dict[int, Cast]) -> None:
    shown = Shown(casts[MANY], "leaderboard_topics", "?sort=-topic")
    assert shown.topics == [str(number) for number in range(MANY, MANY - SHOWN, -1)]
    for link in re.findall(
        r'class="sort" href="([^"]*)"', Shown(casts[MANY], "leaderboard_topics", "?search=4").listed
    ):
        assert "search=4" in link
