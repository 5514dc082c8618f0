"""Runs that may still come onto the board; pages of a board of many runs read the rows of those that they show."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.models.signals import post_init
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaign.models import Run
from evaluation.selectors.boards import runs_not_on_the_board, working_board
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import make_cast, make_topics

SCORED = ("bm25", "dense")
LATER = ("run10", "run9")


def test_only_runs_that_are_missing_on_the_board_are_read(db: None) -> None:
    cast = make_cast(measures=["AP"])
    make_topics(cast.task, ["1"])
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    runs = [make_valid_run(cast.task, cast.team, tag, {"1": ["a", "b"]}) for tag in SCORED]
    task_score(task=cast.task, report=lambda done, total: None)
    board = working_board(cast.task)
    assert {run.pk for run in runs} == set(board.run_ids if board else [])
    with CaptureQueriesContext(connection) as asked:
        assert runs_not_on_the_board(cast.task, board) == []
    whole_rows = [query for query in asked.captured_queries if '"campaign_run"."sha256"' in query["sql"]]
    assert len(whole_rows) == 1, "besides the runs that never rank, of which there are none"
    for tag in LATER:
        make_valid_run(cast.task, cast.team, tag, {"1": ["b"]})
    missing = runs_not_on_the_board(cast.task, board)
    assert [run.tag for run, _ in missing] == ["run9", "run10"]
    assert {why for _, why in missing} == {"It has no scores by the qrels and measures of the board yet."}


@contextmanager
def runs_read() -> Iterator[set[str]]:
    """The tags of the runs of which an object is made."""
    tags: set[str] = set()

    def note(instance: Run, **_: Any) -> None:
        tags.add(instance.tag)

    post_init.connect(note, sender=Run)
    try:
        yield tags
    finally:
        post_init.disconnect(note, sender=Run)


def test_pages_of_a_board_read_the_rows_of_the_runs_that_they_show(db: None) -> None:
    cast = make_cast(measures=["AP"])
    make_topics(cast.task, ["1"])
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    for place, tag in enumerate(["first", "second", "third", "fourth"]):
        make_valid_run(cast.task, cast.team, tag, {"1": [*"bcd"[:place], "a"]})
    task_score(task=cast.task, report=lambda done, total: None)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    shown = {
        cast.task.url("leaderboard_compare", number=1): {"first", "second"},
        cast.task.url("leaderboard_run", number=1, tag="third"): {"first", "third"},
    }
    for reader in (cast.organiser, cast.member):
        client = Client()
        client.force_login(reader)
        for address, tags in shown.items():
            with runs_read() as read:
                answer = client.get(address)
            assert (answer.status_code, read) == (200, tags), (reader, address)
