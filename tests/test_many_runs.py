"""Pages of a board of many runs: as many statements as with few, and lists of 20 rows."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client, TestCase
from django.test.utils import CaptureQueriesContext

from campaign.models import Task
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_cast, make_topics
from tests.judging.makers import assign, judge, make_pool

FEW, MANY, TOPICS = 5, 60, 12
MOST_STATEMENTS = {
    "leaderboard_detail": 32,
    "leaderboard_pairs": 25,
    "leaderboard_topics": 26,
    "leaderboard_topic": 26,
    "leaderboard_compare": 27,
    "score_board": 40,
    "leaderboard_publish": 42,
    "run_list": 35,
    "task_detail": 34,
    "task_edit": 33,
    "assignment_grid": 43,
    "judging_progress": 42,
    "pool_create": 40,
}
"""By page. More than here is most often the same question a second time: `campaign.web.asking_once`."""
ADDRESSES: dict[str, dict[str, Any]] = {
    "leaderboard_detail": {"number": 1},
    "leaderboard_pairs": {"number": 1},
    "leaderboard_topics": {"number": 1},
    "leaderboard_topic": {"number": 1, "topic": "1"},
    "leaderboard_compare": {"number": 1},
}
pytestmark = pytest.mark.django_db


def _made(n_runs: int) -> Cast:
    cast = make_cast()
    numbers = [str(number) for number in range(1, TOPICS + 1)]
    make_topics(cast.task, numbers)
    cast.task.measures = ["AP"]
    cast.task.save()
    make_qrels(cast.task, {topic: {"r": 1, "n": 0} for topic in numbers}, cast.organiser)
    for run in range(1, n_runs + 1):
        found = {topic: [f"n{place}" for place in range((int(topic) + run) % 7)] + ["r"] for topic in numbers}
        make_valid_run(cast.task, cast.team if run % 2 else cast.other_team, f"run{run}", found)
    with TestCase.captureOnCommitCallbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    leaderboard_publish(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk), audience="public")
    topics = list(cast.task.topics.all())
    pool = make_pool(cast.task, {topic: ["r", "n"] for topic in topics}, cast.organiser)
    for topic in topics:
        judge(assign(pool, topic, cast.assessor, cast.organiser), "r", 1)
    return cast


@pytest.fixture(scope="module")
def casts(made_once: Any) -> Iterator[dict[int, Cast]]:
    with made_once(lambda: {count: _made(count) for count in (FEW, MANY)}) as made:
        yield made


def _shown(cast: Cast, name: str, query: str = "") -> tuple[str, int]:
    """The page, and how many statements it takes."""
    client = Client()
    client.force_login(cast.organiser)
    address = Task.objects.get(pk=cast.task.pk).url(name, **ADDRESSES.get(name, {})) + query
    with CaptureQueriesContext(connection) as asked:
        response = client.get(address)
    assert response.status_code == 200
    return " ".join(response.content.decode().split()), len(asked)


@pytest.mark.parametrize("name", list(MOST_STATEMENTS))
def test_statements_do_not_grow_with_runs_and_are_few(casts: dict[int, Cast], name: str) -> None:
    for cast in casts.values():
        _shown(cast, name)  # what is kept is kept
    few, many = (_shown(cast, name)[1] for cast in casts.values())
    assert few == many
    assert many <= MOST_STATEMENTS[name]


def test_the_table_of_pairs_has_twenty_runs_a_filter_and_all_on_demand(casts: dict[int, Cast]) -> None:
    assert len(_rows(_pairs(casts[FEW]))) == FEW
    many = _pairs(casts[MANY])
    assert len(_rows(many)) == 20
    assert "60 runs, 20 shown" in many
    assert 'aria-label="Filter the runs"' in many
    assert "Show all 60 runs" in many
    assert len(_rows(_pairs(casts[MANY], "?runs=all"))) == MANY
    assert _rows(_pairs(casts[MANY], "?search=RUN17")) == ["run17"]
    none = _pairs(casts[MANY], "?search=nowhere")
    assert "No run matches" in none
    assert "Show all" not in none.partition('id="listed"')[2]


def _pairs(cast: Cast, query: str = "") -> str:
    return _shown(cast, "leaderboard_pairs", query)[0]


def _rows(page: str) -> list[str]:
    return re.findall(
        r'<th scope="row">\s*<a [^>]*>(run\d+)</a>\s*</th>',
        page.partition("pairs-caption")[2].partition("</table>")[0],
    )


def test_the_builder_of_pools_lists_twenty_runs_and_all_on_demand(casts: dict[int, Cast]) -> None:
    def listed(query: str = "") -> tuple[list[str], str]:
        shown = _shown(casts[MANY], "pool_create", query)[0].partition('id="by-run"')[2].partition("</details>")[0]
        return re.findall(r'<th scope="row"><a href="[^"]*">(run\d+)</a>', shown), shown

    tags, shown = listed("?depth=5")
    assert tags == [f"run{number}" for number in range(1, 21)]
    assert "60 runs, 20 shown" in shown
    assert "pools/new/?depth=5&amp;runs=all#by-run" in shown
    assert "Show all 60 runs" in shown
    tags, shown = listed("?depth=5&runs=all")
    assert len(tags) == MANY
    assert "Show all" not in shown


def test_the_page_of_a_topic_begins_with_its_20_best_runs_and_finds_any_other(casts: dict[int, Cast]) -> None:
    first = _runs_of_topic(casts[MANY])
    values = [float(value) for _, value in first]
    assert (len(values), values) == (20, sorted(values, reverse=True))
    every = _runs_of_topic(casts[MANY], "?runs=all")
    assert (len(every), every[:20]) == (MANY, first)
    last, _ = every[-1]
    assert [tag for tag, _ in _runs_of_topic(casts[MANY], f"?search={last}")] == [last]
    assert "60 runs, 20 shown" in _shown(casts[MANY], "leaderboard_topic")[0]
    assert len(_runs_of_topic(casts[FEW])) == FEW
    assert "Filter the runs" not in _shown(casts[FEW], "leaderboard_topic")[0]


def _runs_of_topic(cast: Cast, query: str = "") -> list[tuple[str, str]]:
    shown = _shown(cast, "leaderboard_topic", query)[0].partition('id="listed"')[2]
    return re.findall(r'>(run\d+)</a></th> <td>[^<]*</td> <td class="num">([\d.]+)</td>', shown)


def test_the_filter_of_runs_on_the_page_of_a_topic_gets_runs_and_the_part_on_documents_its_part(
    casts: dict[int, Cast],
) -> None:
    client, url = Client(), Task.objects.get(pk=casts[MANY].task.pk).url("leaderboard_topic", number=1, topic="1")
    for target, is_part in (("listed", False), ("", True)):
        headers = {"HX-Request": "true", **({"HX-Target": target} if target else {})}
        assert ('id="listed"' not in client.get(f"{url}?search=run7", headers=headers).content.decode()) == is_part
