"""Rank intervals and letters are shown only where they follow from the tests, on pages, in files and by the API."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client, TestCase

from campaign.models import Task
from evaluation.engine.significance.declarations import TESTS
from evaluation.models import Leaderboard
from evaluation.services.board_settings import board_settings_update
from evaluation.services.leaderboards import leaderboard_publish
from tests.evaluation.analysis.makers import make_scored_task, page
from tests.factories import Cast

WITHOUT = [test.name for test in TESTS.values() if test.no_ranks]
Commit = Callable[..., Any]


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Commit) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    return cast


def published_by(cast: Cast, test: str) -> Leaderboard:
    correction = "none" if TESTS[test].holds_together else "holm"
    with TestCase.captureOnCommitCallbacks(execute=True):
        board_settings_update(
            actor=cast.organiser,
            task=cast.task,
            test=test,
            correction=correction,
            family="all pairs",
            baseline="",
            margin=None,
        )
    return leaderboard_publish(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk), audience="public")


def ranks_and_letters(board: Leaderboard) -> list[tuple[Any, Any, str]]:
    """What the JSON, the API and the CSV say of each run."""
    task, client = board.task, Client()
    api = f"/api/v1/campaigns/{task.campaign.slug}/tasks/{task.slug}/leaderboards/{board.number}"
    found = []
    for url in (task.url("leaderboard_json", number=board.number), api):
        runs = json.loads(client.get(url).getvalue())["runs"]
        cells = [run["cells"]["AP"] for run in runs]
        found += [(cell["rank_best"], cell["rank_worst"], cell["letters"]) for cell in cells]
    text = client.get(task.url("leaderboard_csv", number=board.number)).getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    names = [next(name for name in rows[0] if "AP" in name and last in name) for last in ("best", "worst", "letters")]
    return found + [(row[names[0]] or None, row[names[1]] or None, row[names[2]]) for row in rows]


@pytest.mark.parametrize("test", WITHOUT)
def test_a_test_from_which_no_ranks_follow_shows_none_on_pages_in_files_and_by_the_api_and_says_why(
    scored: Cast, test: str
) -> None:
    board = published_by(scored, test)
    assert set(ranks_and_letters(board)) == {(None, None, "")}
    working, why = page(scored.organiser, scored.task.url("score_board")), TESTS[test].no_ranks
    public = page(None, scored.task.url("leaderboard_detail", number=board.number))
    for text in (working, public):
        assert f"Rank intervals and letters do not follow: {why}." in text
        assert [
            said for said in ("Rank interval<", "Shown better than", "95 % confidence", "critical") if said in text
        ] == []
    pairs = page(None, scored.task.url("leaderboard_pairs", number=board.number))
    assert f"no critical-difference diagram, since no groups of runs follow: {why}." in pairs
    assert [said for said in ("Letters", "share a letter") if said in pairs] == []
    run = page(None, scored.task.url("leaderboard_run", number=board.number, tag="good"))
    assert f"all pairs of runs; rank intervals and letters do not follow: {why}</caption>" in run.replace(
        " </caption>", "</caption>"
    )
    assert [said for said in ("Rank interval", "Letters") if said in run] == []


def test_tests_of_means_that_keep_their_level_show_rank_ranges_and_letters(scored: Cast) -> None:
    for test in ("max-t", "t", "randomisation"):
        board = published_by(scored, test)
        assert all(best and worst and letters for best, worst, letters in ranks_and_letters(board))
        text = page(None, scored.task.url("leaderboard_detail", number=board.number))
        assert "With 95 % confidence it holds for all runs of the board at once" in text
        assert "Shown better than" in text
        assert "do not follow" not in text
        assert "Rank interval" in page(None, board.task.url("leaderboard_run", number=board.number, tag="good"))


def test_a_board_published_with_ranks_that_do_not_follow_keeps_them_and_says_what_they_are_not(
    scored: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by versions before 1.1.0."""
    with monkeypatch.context() as before:
        before.setitem(TESTS, "randomised-tukey", replace(TESTS["randomised-tukey"], no_ranks=""))
        board = published_by(scored, "randomised-tukey")
    assert all(best and worst and letters for best, worst, letters in ranks_and_letters(board))
    text = page(None, scored.task.url("leaderboard_detail", number=board.number))
    assert "Rank intervals and letters are as they were published, and do not hold with 95 % confidence: " in text
    assert TESTS["randomised-tukey"].no_ranks in text
    assert [said for said in ("it holds for all runs of the board at once", "Shown better than") if said in text] == []


def test_the_page_on_which_tests_are_chosen_says_from_which_no_ranks_follow(cast: Cast) -> None:
    text = page(cast.organiser, cast.task.url("board_settings"))
    assert text.count("Rank intervals and letters do not follow: ") == len(WITHOUT)
    assert WITHOUT == ["randomised-tukey", "tukey", "wilcoxon", "sign", "bootstrap"]
