"""Boards by several sets of qrels stand beside each other."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from campaign.models import Task
from evaluation.analysis.reliability.selectors import verdict_of
from evaluation.analysis.reliability.services import working_report_compute
from evaluation.models import Leaderboard, WorkingBoard
from evaluation.selectors.board_views import working_view
from evaluation.selectors.results import result_on, results_to_read
from evaluation.selectors.score_visibility import get_live_board_or_404
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from judging.models import Qrels
from tests.evaluation.analysis.makers import make_scored_task, page
from tests.evaluation.makers import make_qrels
from tests.factories import Cast

READABILITY = "readability"


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable[..., Any]) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    readable = make_qrels(
        cast.task, {"1": {"b": 1, "a": 0}, "2": {"x": 1, "y": 0}}, cast.organiser, set_name=READABILITY
    )
    assert readable.version == 2
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    return cast


@pytest.mark.django_db
def test_every_set_has_a_working_board_and_the_page_shows_the_one_that_is_asked_for(scored: Cast) -> None:
    assert set(WorkingBoard.objects.values_list("set_name", flat=True)) == {"", READABILITY}
    board = scored.task.url("score_board")
    assert "qrels v1</a>" in page(scored.organiser, board)
    other = page(scored.organiser, board, set=READABILITY)
    assert "qrels v2 (readability)</a>" in other
    assert "?set=readability" in other
    assert "/scores/runs/" not in other, "the pages about the working board are those of relevance"
    assert "/scores/runs/" in page(scored.organiser, board)
    assert "qrels v1</a>" in page(scored.organiser, board, set="no such set")


@pytest.mark.django_db
def test_the_head_of_a_working_board_tells_the_verdict_of_its_own_report_and_no_board_of_another_set_has_one(
    scored: Cast,
) -> None:
    board, verdict = scored.task.url("score_board"), "Reliability</a>:"
    working_report_compute(task=scored.task, report=lambda done, total, message: None)
    assert verdict in page(scored.organiser, board)
    assert verdict not in page(scored.organiser, board, set=READABILITY)


@pytest.mark.django_db
def test_nothing_of_the_organisers_report_is_read_for_the_live_board(
    scored: Cast, django_assert_num_queries: Callable[..., Any]
) -> None:
    working_report_compute(task=scored.task, report=lambda done, total, message: None)
    Task.objects.filter(pk=scored.task.pk).update(scores_shown=Task.LIVE, round_kind=Task.DEVELOPMENT)
    _, seen = get_live_board_or_404(scored.member, scored.task.campaign.slug, scored.task.slug)
    assert seen is not None
    with django_assert_num_queries(0):
        assert verdict_of(seen) == ""
    working = working_view(scored.organiser, scored.task)
    assert working is not None
    assert verdict_of(working) != "", "the same board, as organisers see it"


@pytest.mark.django_db
def test_teams_hear_of_their_result_by_relevance_alone_at_home_and_by_mail(scored: Cast) -> None:
    readable = leaderboard_publish(actor=scored.organiser, task=scored.task, set_name=READABILITY)
    assert (results_to_read(scored.member), result_on(scored.member, readable)) == ([], None)
    relevant = leaderboard_publish(actor=scored.organiser, task=scored.task)
    assert results_to_read(scored.member) == [result_on(scored.member, relevant)] != [None]


@pytest.mark.django_db
def test_published_boards_of_two_sets_name_each_other_and_only_relevance_ends_the_task(scored: Cast) -> None:
    readable = leaderboard_publish(actor=scored.organiser, task=scored.task, set_name=READABILITY)
    scored.task.refresh_from_db()
    assert scored.task.phase != Task.PUBLISHED
    assert readable.qrels.set_name == READABILITY
    assert set(Qrels.objects.filter(published_at=None).values_list("set_name", flat=True)) == {""}
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    shown = page(None, scored.task.url("leaderboard_detail", number=2))
    assert "leaderboard 1, by qrels v2 (readability)" in shown
    assert "not the newest" not in page(None, scored.task.url("leaderboard_detail", number=1))
    assert "There is no leaderboard before this one" in page(None, scored.task.url("leaderboard_changes", number=2))
    again = leaderboard_publish(actor=scored.organiser, task=scored.task, set_name=READABILITY)
    assert (again.number, Leaderboard.objects.count()) == (3, 2 + 1)
    newest = Client().get(scored.task.url("leaderboard_latest"))
    assert newest["Location"].endswith("/leaderboard/2/"), "the leaderboard of a task is that by relevance"
