"""A run on the board: what its team and all others find there."""

import json
import re
from collections.abc import Callable

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import WorkingBoard
from evaluation.selectors.boards import stored_board
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.evaluation.analysis.makers import make_scored_task, page, status
from tests.evaluation.makers import as_version_7_stored_it, make_valid_run
from tests.factories import Cast

RANKS = " ".join([r"<td>([^<]*)</td>"] * 3)
MEASURE_ROW = r'<th scope="row">(\S+)</th> <td class="num">\S+</td> <td class="muted">[^<]+</td> ' + RANKS


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    return cast


@pytest.mark.django_db
def test_a_run_is_shown_by_all_measures_and_topic_by_topic_among_all_runs(scored: Cast) -> None:
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    shown = page(None, scored.task.url("leaderboard_run", number=1, tag="poor"), measure="RR")
    assert "Compare with good" in shown
    assert "3 of 3 answered" in shown
    assert "Submission and receipt" not in shown
    assert "Submission and receipt" in page(
        scored.other_member, scored.task.url("leaderboard_run", number=1, tag="poor")
    )
    url = scored.task.url("leaderboard_run_file", number=1, tag="poor", file_format="json")
    data = json.loads(page(None, url, measure="RR"))
    assert [row["value"] for row in data["topics"]] == [0.5, 0.5, 1.0]
    assert [row["high"] for row in data["topics"]] == [1.0, 1.0, 1.0]
    assert [row["low"] for row in data["topics"]] == [0.0, 0.0, 0.0]
    assert data["cells"]["RR"]["rank_first"] == 2
    picture = page(None, scored.task.url("leaderboard_run_file", number=1, tag="poor", file_format="svg"))
    assert picture.startswith("<svg")


@pytest.mark.django_db
def test_pages_of_a_board_take_as_many_queries_for_many_runs_as_for_few(
    scored: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    names = ("score_board", "scores_compare", "scores_topics", "leaderboard_publish")
    before = [queries(scored, name) for name in names]
    for number in range(6):
        make_valid_run(scored.task, scored.team, f"more{number}", {"1": ["a"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    assert [queries(scored, name) for name in names] == before


def queries(cast: Cast, name: str) -> int:
    client = Client()
    client.force_login(cast.organiser)
    client.get(cast.task.url(name))  # what is kept is kept
    with CaptureQueriesContext(connection) as found:
        assert client.get(cast.task.url(name)).status_code == 200
    return len(found)


@pytest.mark.django_db
def test_a_run_that_is_not_on_the_board_is_not_found_and_the_working_board_is_private(scored: Cast) -> None:
    assert status(scored.organiser, scored.task.url("scores_run", tag="nobody")) == 404
    assert status(scored.member, scored.task.url("scores_run", tag="good")) == 403
    assert status(scored.organiser, scored.task.url("scores_run", tag="lame")) == 200


@pytest.mark.django_db
def test_pages_of_a_board_that_was_published_with_ranks_by_what_is_judged_show_none_of_them(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks, ("AP", "Judged@10"))
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    caches["bulk"].clear()
    stored, _ = as_version_7_stored_it(stored_board(WorkingBoard.objects.get().board.name))
    assert stored.column("Judged@10").rank_first.all()
    monkeypatch.setattr("evaluation.selectors.board_views.board_of_leaderboard", lambda leaderboard: stored)
    run = page(None, cast.task.url("leaderboard_run", number=1, tag="good"))
    ranks = {row[0]: row[1:] for row in re.findall(MEASURE_ROW, run)}
    assert ranks["Judged@10"] == ("–", "–", "–")
    assert "–" not in ranks["AP"]
    for measure, told in (("AP", True), ("Judged@10", False)):
        picture = page(None, cast.task.url("leaderboard_picture", number=1, measure=measure))
        assert ("Open dot" in picture) == told
        pairs = page(None, cast.task.url("leaderboard_pairs", number=1), measure=measure)
        assert ("pairs/groups.svg" in pairs) == told
