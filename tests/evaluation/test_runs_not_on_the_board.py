"""Runs that may still come onto the board; a board of many runs costs no row of a run that is on it."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.selectors.boards import runs_not_on_the_board, working_board
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
