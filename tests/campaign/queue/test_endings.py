"""A database that takes no writes while a job is taken, or ends: one line in the log, and later all is as it should be."""

import errno
import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from campaign.models import Job
from campaign.queue import heartbeat, jobs
from campaign.queue.heartbeat import Heartbeat
from campaign.queue.jobs import JobFailed, JobPostponed, JobWaits, Progress, do_job, find_job, job, requeue_lost_jobs

pytestmark = pytest.mark.django_db(transaction=True)
WORKER = SimpleNamespace(request=SimpleNamespace(is_eager=False))


def set_only_read(is_on: bool) -> None:
    on_or_off = "on" if is_on else "off"
    postgresql, sqlite = "SET default_transaction_read_only =", "PRAGMA query_only ="
    with connection.cursor() as cursor:
        cursor.execute(f"{postgresql if connection.vendor == 'postgresql' else sqlite} {on_or_off}")


@contextmanager
def only_read() -> Iterator[None]:
    set_only_read(True)
    try:
        yield
    finally:
        set_only_read(False)


@contextmanager
def disk_full() -> Iterator[None]:
    """Each UPDATE fails as PostgreSQL fails without room."""

    def fail(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("UPDATE"):
            raise OperationalError("could not extend file") from OSError(errno.ENOSPC, "No space left on device")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail):
        yield


@job("end while the database is only read")
def end_only_read(progress: Progress, *, reason: str) -> None:
    if reason:
        set_only_read(True)
        if reason != "done":
            raise JobFailed(reason)


def make_row(reason: str, **values: Any) -> Job:
    return Job.objects.create(name="end while the database is only read", arguments={"reason": reason}, **values)


def one_line_of(caplog: pytest.LogCaptureFixture) -> str:
    lines = [record for record in caplog.records if record.levelno > logging.INFO]
    assert len(lines) == 1
    assert lines[0].exc_info is None
    assert "\n" not in lines[0].getMessage()
    return lines[0].getMessage()


@pytest.mark.parametrize("refusing", [only_read, disk_full])
def test_a_job_that_cannot_be_taken_is_one_line_and_is_done_later(refusing: Any, caplog: Any) -> None:
    row = make_row("")
    with refusing():
        do_job.apply(kwargs={"job_id": row.pk})
    assert "until the sweep sends it again" in one_line_of(caplog)
    row.refresh_from_db()
    assert (row.state, row.attempts) == (Job.QUEUED, 0)
    Job.objects.update(sent_at=timezone.now() - 2 * Job.FIRST_PAUSE)
    assert requeue_lost_jobs() == 1
    row.refresh_from_db()
    assert (row.state, row.attempts) == (Job.DONE, 1)


@pytest.mark.parametrize("refusing", [only_read, disk_full])
def test_an_end_that_cannot_be_written_is_one_line_and_is_written_by_a_later_beat(refusing: Any, caplog: Any) -> None:
    row = make_row("", state=Job.WORKING, attempts=1, heartbeat_at=timezone.now())
    beats = Heartbeat(row)
    with refusing():
        beats.record(Job.FAILED, "The file is gone.")
        beats.stop()
        for _ in range(3):
            beats._beat_once()
    assert "this is written later" in one_line_of(caplog)
    row.refresh_from_db()
    assert row.state == Job.WORKING
    beats._beat_once()
    row.refresh_from_db()
    assert (row.state, row.message) == (Job.FAILED, "The file is gone.")


@pytest.mark.parametrize(
    ("reason", "end"), [("done", (Job.DONE, "")), ("The file is gone.", (Job.FAILED, "The file is gone."))]
)
def test_the_end_of_a_worker_s_job_is_written_by_the_beat_that_goes_on(
    reason: str, end: tuple[str, str], monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    """Of two connections, one takes no writes: that of the beat does."""
    monkeypatch.setattr(heartbeat, "HEARTBEAT_SECONDS", 0.01)
    monkeypatch.setattr(jobs, "Heartbeat", lambda row: begun.append(Heartbeat(row)) or begun[-1])
    begun: list[Heartbeat] = []
    row = make_row(reason, state=Job.WORKING, attempts=1, heartbeat_at=timezone.now())
    work = find_job(row.name)
    assert work is not None
    try:
        jobs._work(WORKER, work, row)
        assert begun[0]._thread is not None
        begun[0]._thread.join(timeout=30)
    finally:
        set_only_read(False)
    assert "this is written later" in one_line_of(caplog)
    row.refresh_from_db()
    assert (row.state, row.message) == end


def test_an_end_is_not_written_over_the_attempt_of_another_worker() -> None:
    row = make_row("", state=Job.WORKING, attempts=1, heartbeat_at=timezone.now() - timedelta(minutes=5))
    beats = Heartbeat(row)
    with only_read():
        beats.record(Job.FAILED, "The file is gone.")
    Job.objects.update(attempts=2, heartbeat_at=timezone.now())
    beats._beat_once()
    row.refresh_from_db()
    assert (row.state, row.message) == (Job.WORKING, "")


@job("be overtaken")
def be_overtaken(progress: Progress, *, problem: str) -> None:
    """While it works, the sweep takes its worker for dead, and another worker begins the job anew."""
    Job.objects.update(attempts=2, message="the second worker", heartbeat_at=(beat := timezone.now()))
    progress.report(7, 7, "the first worker")
    assert Job.objects.get().heartbeat_at == beat
    problems = [JobFailed(problem), JobPostponed(problem), JobWaits("tidy", 1, problem), ConnectionError(problem)]
    for one in problems:
        if type(one).__name__ == problem:
            raise one


@pytest.mark.parametrize("problem", ["", "JobFailed", "JobPostponed", "JobWaits", "ConnectionError"])
def test_a_worker_whose_job_was_taken_over_writes_nothing_of_it(problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "send", lambda row: None)
    monkeypatch.setattr(do_job, "max_retries", 0)  # the retry itself would run here
    row = Job.objects.create(name="be overtaken", arguments={"problem": problem})
    with pytest.raises(ConnectionError) if problem == "ConnectionError" else nullcontext():
        do_job.apply(kwargs={"job_id": row.pk})
    row.refresh_from_db()
    assert (row.state, row.attempts, row.message, row.done) == (Job.WORKING, 2, "the second worker", 0)
    assert row.started_at is not None
    begun = Job(pk=row.pk, attempts=1)
    Heartbeat(begun)._beat_once()
    assert Job.objects.get().heartbeat_at == row.heartbeat_at
