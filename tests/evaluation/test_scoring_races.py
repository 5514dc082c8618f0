"""Two workers at once, and a release in the middle of scoring, on PostgreSQL."""

import json
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection

from campaign.models import Job, Run
from campaign.queue.jobs import do_job, enqueue
from campaign.runs.services.submission import run_withdraw
from campaign.setup.services.deletions import campaign_delete
from campaign.setup.services.lifecycle import campaign_archive
from evaluation.boards.snapshot import digest
from evaluation.models import Evaluation, Leaderboard
from evaluation.selectors.boards import content_of, scored_runs, working_board
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.selectors.scores import SCORE_TASK
from evaluation.selectors.snapshots import published_file
from evaluation.services import scoring
from evaluation.services.leaderboards import leaderboard_publish, next_snapshot_mark
from tests.evaluation.makers import column, make_qrels, make_valid_run
from tests.factories import Cast, make_cast, make_topics
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    cast = make_cast(measures=["AP", "RR"])
    make_topics(cast.task, ["1", "2"])
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}, "2": {"x": 1}}, cast.organiser)
    for number in range(20):
        make_valid_run(cast.task, cast.team, f"run{number:02d}", {"1": ["b", "a"], "2": ["x"][: number % 2]})
    return cast


def at_once(*works: Callable[[], Any]) -> list[BaseException]:
    """Run all together, each on its own connection; what they raised."""
    gate, raised = threading.Barrier(len(works)), []

    def run(work: Callable[[], Any]) -> None:
        try:
            gate.wait(10)
            work()
        except (DatabaseError, ValidationError) as problem:
            raised.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


def score(cast: Cast) -> None:
    scoring.task_score(task=cast.task, report=lambda done, total: None)


def test_two_workers_scoring_the_same_runs_leave_one_evaluation_each(cast: Cast) -> None:
    assert at_once(*[lambda: score(cast)] * 3) == []
    assert Evaluation.objects.count() == 20
    assert {evaluation.means["RR"] for evaluation in Evaluation.objects.all()} == {0.25, 0.75}


def test_qrels_released_in_the_middle_of_scoring_never_mix_with_the_older_ones(cast: Cast) -> None:
    assert at_once(lambda: score(cast), lambda: make_qrels(cast.task, {"1": {"b": 1}}, cast.organiser)) == []
    scored = scored_runs(cast.task)
    assert scored is not None
    assert (scored.qrels.version, len(scored.qrels.topics), len(scored.runs) + scored.unscored) == (2, 1, 20)
    score(cast)
    working, scored = working_board(cast.task), scored_runs(cast.task)
    assert working is not None
    assert scored is not None
    assert (working.mark, scored.unscored) == (scored.mark, 0)
    assert set(column(cast.task, "AP").values()) == {1.0}


@pytest.mark.parametrize("who", ["member", "organiser"])
def test_a_run_withdrawn_while_it_is_scored_is_on_no_board_and_the_job_ends_well(
    cast: Cast, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("campaign.queue.jobs.send", lambda row: None)  # each job is done here, one after the other
    gone, read = cast.task.runs.get(tag="run07"), scoring.run_table

    def read_and_withdraw(run: Run, *columns: Any) -> Any:
        table = read(run, *columns)
        if run.pk == gone.pk:
            run_withdraw(actor=getattr(cast, who), run=Run.objects.get(pk=gone.pk))
            with pytest.raises(ValidationError, match="of this campaign still run"):
                campaign_archive(actor=cast.organiser, campaign=cast.campaign)
            with pytest.raises(ValidationError, match="20 runs"):
                campaign_delete(actor=cast.organiser, campaign=cast.campaign)
        return table

    monkeypatch.setattr(scoring, "run_table", read_and_withdraw)
    enqueue(SCORE_TASK, task_id=cast.task.pk)
    for _ in range(2):  # the withdrawal asks for another
        for job in Job.objects.filter(name=SCORE_TASK, state=Job.QUEUED):
            do_job.apply(kwargs={"job_id": job.pk})
        assert set(Job.objects.filter(name=SCORE_TASK).values_list("state", flat=True)) <= {Job.DONE, Job.QUEUED}
        board = working_board(cast.task)
        assert board is not None
        assert "run07" not in content_of(board.board).decode()
        assert len(column(cast.task, "AP")) == 19
    assert not Job.objects.filter(name=SCORE_TASK).exclude(state=Job.DONE).exists()
    published = leaderboard_publish(actor=cast.organiser, task=cast.task)
    for kind in ("json", "csv"):
        assert "run06" in published_file(published, kind)
        assert "run07" not in published_file(published, kind)


def test_of_two_clicks_on_publish_one_makes_a_leaderboard(cast: Cast) -> None:
    score(cast)
    board = working_board(cast.task)
    assert board is not None
    seen = next_snapshot_mark(cast.task, board)
    assert at_once(*[lambda: leaderboard_publish(actor=cast.organiser, task=cast.task, seen=[seen])] * 2) == []
    assert Leaderboard.objects.count() == 1


def test_two_organisers_who_publish_at_once_get_two_numbers_and_the_checksums_hold(cast: Cast) -> None:
    score(cast)
    both = [
        partial(leaderboard_publish, actor=cast.organiser, task=cast.task, terms=Terms(note)) for note in ("a", "b")
    ]
    assert at_once(*both) == []
    published = Leaderboard.objects.order_by("number")
    assert [leaderboard.number for leaderboard in published] == [1, 2]
    for leaderboard in published:
        assert digest(json.loads(published_file(leaderboard, "json"))) == leaderboard.sha256
