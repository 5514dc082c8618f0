"""Jobs after the clock was set back by days, or forward by an hour: nothing waits for the old time, or is done twice."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from campaign.database import clock
from campaign.models import Job, LastSeen
from campaign.queue.beat import Scheduler
from campaign.queue.heartbeat import Heartbeat
from campaign.queue.jobs import MOST_ATTEMPTS, Progress, do_job, enqueue, job, requeue_lost_jobs
from campaign.queue.locks import STALE_AFTER, claim
from campaign.queue.open_jobs import NO_WORKER_AFTER, no_worker
from runpool.celery import app

DAYS = timedelta(days=3)
Later = Callable[[timedelta], None]
pytestmark = pytest.mark.django_db


@job("look at the clock")
def look_at_the_clock(progress: object, *, number: int) -> None:
    """Done at once."""


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """How far the clock has gone on, for the sweeps that follow."""
    gone = [timedelta()]
    now = clock.now
    monkeypatch.setattr("campaign.database.clock.now", lambda: now() + gone[0])

    def set_to(by: timedelta) -> None:
        gone[0] = by

    return set_to


def dated_ahead(state: str, **columns: datetime) -> Job:
    row = enqueue("look at the clock", number=1)
    at = timezone.now() + DAYS
    moments = {"sent_at": at, "created_at": at} | (
        {"heartbeat_at": at, "started_at": at} if state == Job.WORKING else {}
    )
    Job.objects.filter(pk=row.pk).update(state=state, attempts=state == Job.WORKING, **(moments | columns))
    return row


@pytest.mark.parametrize("state", [Job.QUEUED, Job.WORKING])
@pytest.mark.parametrize("sent_later", [timedelta(), timedelta(minutes=3)])
def test_a_job_whose_worker_or_message_was_lost_before_the_clock_was_set_back_is_done_within_minutes(
    later: Later, state: str, sent_later: timedelta
) -> None:
    row = dated_ahead(state, sent_at=timezone.now() + DAYS + sent_later)
    for seconds in range(0, 181, 30):
        later(timedelta(seconds=seconds))
        requeue_lost_jobs()
    row.refresh_from_db()
    assert row.state == Job.DONE


def test_a_worker_that_lives_keeps_its_job_when_the_clock_is_set_back(later: Later) -> None:
    row = dated_ahead(Job.WORKING)
    for seconds in range(0, 301, 30):
        later(timedelta(seconds=seconds))
        requeue_lost_jobs()
        do_job.apply(kwargs={"job_id": row.pk})
        assert Job.objects.filter(pk=row.pk, state=Job.WORKING).update(heartbeat_at=clock.now())


@pytest.mark.parametrize("hours", [0.02, 1])
@pytest.mark.parametrize("attempts", [1, MOST_ATTEMPTS])
def test_a_worker_that_lives_keeps_its_job_when_the_clock_is_set_forward(
    later: Later, hours: float, attempts: int
) -> None:
    row = at_work(attempts)
    for seconds in range(0, 121, 30):
        later(timedelta(hours=hours, seconds=seconds))
        requeue_lost_jobs()
        assert Job.objects.filter(pk=row.pk, state=Job.WORKING, attempts=attempts).update(heartbeat_at=clock.now())


@pytest.mark.parametrize("between", [30, 60])
def test_the_job_of_a_worker_that_died_as_the_clock_was_set_forward_is_done_at_the_second_sweep(
    later: Later, between: int
) -> None:
    row = at_work(1)
    states = []
    for sweep in range(2):
        later(timedelta(hours=1, seconds=between * sweep))
        requeue_lost_jobs()
        row.refresh_from_db()
        states.append(row.state)
    assert states == [Job.WORKING, Job.DONE]


def at_work(attempts: int) -> Job:
    """A job whose worker lived at the last sweep, which was just now."""
    row, now = enqueue("look at the clock", number=1), clock.now()
    Job.objects.filter(pk=row.pk).update(state=Job.WORKING, attempts=attempts, heartbeat_at=now, started_at=now)
    LastSeen.objects.update_or_create(name=LastSeen.LOST_JOBS, defaults={"at": now})
    return row


def state_after_sweeps(row: Job, later: Later, at_seconds: list[int]) -> str:
    for seconds in at_seconds:
        later(timedelta(seconds=seconds))
        requeue_lost_jobs()
    row.refresh_from_db()
    return row.state


@pytest.mark.sqlite("campaign.queue.periodic.last_seen_record")
def test_a_job_whose_worker_died_in_the_moment_of_a_sweep_is_done_at_the_second_sweep_after_it(later: Later) -> None:
    """Also where sweeps come so rarely that each one finds the last one long ago."""
    row = at_work(1)
    assert state_after_sweeps(row, later, [60]) == Job.WORKING
    assert state_after_sweeps(row, later, [120]) == Job.DONE


def test_a_worker_that_lives_has_time_to_beat_where_two_sweeps_follow_each_other_at_once(later: Later) -> None:
    assert state_after_sweeps(at_work(1), later, [3600, 3601, 3610]) == Job.WORKING


def test_a_worker_that_lives_keeps_its_job_before_it_beats_again_when_the_clock_is_set_forward(later: Later) -> None:
    """Neither a second message nor a second request for the same work takes it."""
    row = at_work(1)
    second = enqueue("look at the clock", number=1)
    assert second.pk != row.pk
    later(timedelta(hours=1))
    for job_row in (row, second):
        do_job.apply(kwargs={"job_id": job_row.pk})
    assert list(Job.objects.order_by("pk").values_list("state", "attempts")) == [(Job.WORKING, 1), (Job.QUEUED, 0)]


def test_a_worker_that_was_taken_for_dead_and_beats_again_keeps_its_job_when_the_clock_is_set_forward(
    later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("campaign.queue.jobs.send", lambda row: None)
    row = at_work(1)
    Job.objects.update(heartbeat_at=clock.now() - 2 * STALE_AFTER)
    row.refresh_from_db()
    requeue_lost_jobs()
    Heartbeat(row)._beat_once()
    later(timedelta(hours=1))
    assert not claim(row)


def test_progress_that_is_reported_is_a_sign_of_life_as_well() -> None:
    row = at_work(1)
    Job.objects.update(started_at=None, heartbeat_at=clock.now() - 2 * STALE_AFTER)
    Progress(row.pk, 1).report(1, 2)
    row.refresh_from_db()
    assert row.started_at is not None
    assert not claim(row)


def test_a_worker_at_its_last_attempt_that_beats_while_the_sweep_looks_keeps_its_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = at_work(MOST_ATTEMPTS)
    Job.objects.update(heartbeat_at=clock.now() - 2 * STALE_AFTER)
    row.refresh_from_db()

    def beat_in_between(rows: Any, act: Callable[[Job], bool]) -> int:
        [found] = rows
        Heartbeat(row)._beat_once()
        return act(found)

    monkeypatch.setattr("campaign.queue.jobs.by_itself", beat_in_between)
    requeue_lost_jobs()
    row.refresh_from_db()
    assert row.state == Job.WORKING


def test_work_that_was_done_in_the_future_holds_up_the_same_work_no_longer_than_a_silent_worker_does(
    later: Later,
) -> None:
    dated_ahead(Job.WORKING)
    second = enqueue("look at the clock", number=1)
    requeue_lost_jobs()
    assert state_after_sweeps(second, later, [30, 60]) == Job.DONE


def test_that_no_worker_takes_jobs_is_told_though_the_last_one_ended_in_the_future(later: Later) -> None:
    Job.objects.create(name="look at the clock", key="0", state=Job.DONE, finished_at=timezone.now() + DAYS)
    dated_ahead(Job.QUEUED)
    requeue_lost_jobs()
    Job.objects.filter(state=Job.DONE).exclude(key="0").update(state=Job.QUEUED, finished_at=None, heartbeat_at=None)
    enqueue("look at the clock", number=2)
    later(NO_WORKER_AFTER + timedelta(seconds=1))
    assert no_worker() == "no worker has taken a job for 5 minutes"


@pytest.mark.parametrize("restarted", [False, True])
def test_beat_sends_the_next_sweep_within_half_a_minute_of_a_clock_that_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restarted: bool
) -> None:
    sent: list[datetime] = []
    monkeypatch.setattr(Scheduler, "apply_entry", lambda self, entry, producer=None: sent.append(app.now()))
    clock_ahead = [DAYS]
    now = type(app).now
    monkeypatch.setattr(type(app), "now", lambda self: now(self) + clock_ahead[0])

    def beat() -> Scheduler:
        return Scheduler(app=app, schedule_filename=str(tmp_path / "beat"))

    scheduler = beat()
    scheduler.tick()
    clock_ahead[0] += timedelta(seconds=31)
    scheduler.tick()
    assert len(sent) == 1, "a sweep was sent by the clock that is ahead"
    clock_ahead[0] = timedelta()
    if restarted:
        scheduler.close()
        scheduler = beat()
    assert scheduler.tick() <= 30
    clock_ahead[0] = timedelta(seconds=31)
    scheduler.tick()
    assert len(sent) == 2
    scheduler.close()
