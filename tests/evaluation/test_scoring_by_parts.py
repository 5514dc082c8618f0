"""Scoring in parts: the same scores and the same board as by one job, whatever the parts, their order and what befalls them."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from campaign.models import Job, Run, Task
from evaluation.models import Evaluation, WorkingBoard
from evaluation.selectors.scores import SCORE_RUNS, scoring_job
from evaluation.services import scoring, scoring_by_parts
from evaluation.services.scoring import scores_request, task_score
from tests.campaign.queue.test_parts import Messages
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

RUNS = 11
DOCNOS = ["a", "b", "c", "d"]
NOWHERE = "0" * 64


@pytest.fixture
def with_runs(cast: Cast) -> Cast:
    make_topics(cast.task, ["1", "2", "3"])
    cast.task.measures = ["AP", "nDCG@10", "alpha-nDCG@10", "bpref"]
    cast.task.save()
    subtopics = {"1": {"1": {"a": 1}, "2": {"b": 1}}}
    make_qrels(cast.task, {"1": {"a": 2, "b": 0}, "2": {"d": 1}}, cast.organiser, subtopic_grades=subtopics)
    make_qrels(cast.task, {"1": {"c": 1}, "3": {"a": 1, "b": 1}}, cast.organiser, set_name="novelty")
    chance = random.Random(5)
    for number in range(RUNS):
        ranking = {topic: chance.sample(DOCNOS, 3) for topic in chance.sample(["1", "2", "3"], 2)}
        make_valid_run(cast.task, cast.team, f"run{number:02}", ranking)
    return cast


@pytest.fixture(autouse=True)
def many_is_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring_by_parts, "MOST_AT_ONCE", 3)
    monkeypatch.setattr(scoring_by_parts, "RUNS_OF_A_PART", 2)


@pytest.fixture
def messages(db: None, monkeypatch: pytest.MonkeyPatch) -> Messages:
    found = Messages()
    monkeypatch.setattr("campaign.queue.jobs.send", lambda row: found.append(row.pk))
    return found


def stored(task: Task) -> dict[str, Any]:
    """All that scoring leaves, without keys and moments. A file's name is the SHA-256 of its bytes."""
    fields = [field.name for field in Evaluation._meta.concrete_fields if field.name not in ("id", "scored_at")]
    rows = Evaluation.objects.filter(run__task=task).order_by("run", "qrels").values_list(*fields)
    boards = WorkingBoard.objects.filter(task=task).order_by("set_name", "scope")
    return {
        "scores": [tuple(bytes(one) if isinstance(one, memoryview) else one for one in row) for row in rows],
        "boards": list(boards.values_list("set_name", "scope", "board", "values", "p_of_pairs", "run_ids")),
    }


def forget(task: Task) -> None:
    WorkingBoard.objects.filter(task=task).delete()
    Evaluation.objects.filter(run__task=task).delete()
    Job.objects.all().delete()


def ask(cast: Cast, execute: Callable[..., Any]) -> None:
    with execute(execute=True):
        scores_request(actor=None, task=cast.task)


def test_neither_a_score_nor_a_board_depends_on_the_size_of_the_parts(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_score(task=with_runs.task, report=lambda done, total: None)
    by_one = stored(with_runs.task)
    assert (len(by_one["scores"]), len(by_one["boards"])) == (2 * RUNS, 2)
    for size in (1, 3, 4, RUNS, 100):
        forget(with_runs.task)
        monkeypatch.setattr(scoring_by_parts, "RUNS_OF_A_PART", size)
        ask(with_runs, django_capture_on_commit_callbacks)
        assert stored(with_runs.task) == by_one
        assert Job.objects.filter(name=SCORE_RUNS).count() == 2 * -(-RUNS // size)
        assert set(Job.objects.values_list("state", flat=True)) == {Job.DONE}


@pytest.mark.parametrize("seed", range(3))
def test_parts_killed_sent_twice_and_done_in_any_order_leave_the_same_and_no_board_of_a_half(
    with_runs: Cast,
    django_capture_on_commit_callbacks: Callable,
    messages: Messages,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    task_score(task=with_runs.task, report=lambda done, total: None)
    by_one, chance, whole_save = stored(with_runs.task), random.Random(seed), scoring.evaluation_save
    forget(with_runs.task)

    def killed_at_times(**arguments: Any) -> Evaluation:
        if chance.random() < 0.2:
            raise KeyboardInterrupt  # nothing of the job's own code runs after it, but what the database has stays
        return whole_save(**arguments)

    monkeypatch.setattr(scoring, "evaluation_save", killed_at_times)
    ask(with_runs, django_capture_on_commit_callbacks)
    for _ in range(400):
        if not Job.objects.filter(state__in=[Job.QUEUED, Job.WORKING]).exists():
            break
        waiting = [*messages, *Job.objects.filter(state=Job.QUEUED).values_list("pk", flat=True)]  # by message or sweep
        messages[:] = [chance.choice(waiting)]
        delivered(messages, django_capture_on_commit_callbacks)
        complete = Evaluation.objects.count() == 2 * RUNS
        assert complete or not WorkingBoard.objects.exists()
    assert stored(with_runs.task) == by_one
    assert scoring_job(with_runs.task).state == Job.DONE


def delivered(messages: Messages, execute: Callable[..., Any]) -> None:
    try:
        with execute(execute=True):
            messages.deliver(0)
    except KeyboardInterrupt:
        Job.objects.filter(state=Job.WORKING).update(
            state=Job.QUEUED
        )  # as if its heartbeat had been silent long enough


def test_another_task_waits_behind_few_parts_of_a_large_one(
    with_runs: Cast,
    django_capture_on_commit_callbacks: Callable,
    messages: Messages,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task_score(task=with_runs.task, report=lambda done, total: None)
    by_one = stored(with_runs.task)
    forget(with_runs.task)
    monkeypatch.setattr(scoring_by_parts, "MOST_PARTS_AT_ONCE", 3)
    ask(with_runs, django_capture_on_commit_callbacks)
    most = 0
    while messages:
        with django_capture_on_commit_callbacks(execute=True):
            messages.deliver(0)
        most = max(most, Job.objects.filter(name=SCORE_RUNS, state=Job.QUEUED).count())
    assert (most, Job.objects.filter(name=SCORE_RUNS).count()) == (3, 2 * 6)
    assert stored(with_runs.task) == by_one


def test_few_runs_stay_one_job(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    ask(with_runs, django_capture_on_commit_callbacks)
    assert [(one.name, one.state) for one in Job.objects.all()] == [("score task", Job.DONE)]
    assert Evaluation.objects.count() == 2 * RUNS


def test_what_keeps_a_part_from_being_scored_fails_the_task_in_the_same_words_and_the_other_parts_are_kept(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    run = with_runs.task.runs.get(tag="run04")
    Run.objects.filter(pk=run.pk).update(table=f"tables/{NOWHERE}.parquet", file=f"runs/{NOWHERE}.txt")
    ask(with_runs, django_capture_on_commit_callbacks)
    job = scoring_job(with_runs.task)
    assert job.state == Job.FAILED
    assert "missing" in job.message
    assert not Evaluation.objects.filter(run=run).exists()
    assert Evaluation.objects.filter(run__tag="run10").exists()


def test_qrels_released_while_parts_wait_are_what_they_are_scored_by(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable, messages: Messages
) -> None:
    ask(with_runs, django_capture_on_commit_callbacks)
    with django_capture_on_commit_callbacks(execute=True):
        messages.deliver(0)
    newest = make_qrels(with_runs.task, {"2": {"a": 1}}, with_runs.organiser)
    while messages:
        with django_capture_on_commit_callbacks(execute=True):
            messages.deliver(0)
    assert Evaluation.objects.filter(qrels=newest).count() == RUNS
    assert WorkingBoard.objects.get(set_name="").qrels == newest


def test_a_run_whose_scores_never_count_as_up_to_date_does_not_keep_the_scoring_going_for_ever(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    """As with a clock that ran ahead when the run was checked: its scores seem older than its check."""
    Run.objects.update(state_changed_at=F("state_changed_at") + timedelta(hours=1))
    ask(with_runs, django_capture_on_commit_callbacks)
    assert scoring_job(with_runs.task).state == Job.DONE
    assert Job.objects.filter(name=SCORE_RUNS).count() == 2 * 6
