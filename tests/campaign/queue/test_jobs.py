import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from celery.exceptions import Retry, SoftTimeLimitExceeded
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from campaign import queues
from campaign.models import Job, User, job_key
from campaign.queue.jobs import (
    GONE,
    MOST_ATTEMPTS,
    NO_WRITES,
    STALE_AFTER,
    JobFailed,
    Progress,
    _jobs,
    do_job,
    enqueue,
    find_job,
    inline,
    job,
    requeue_lost_jobs,
    send,
)
from campaign.queue.open_jobs import no_worker
from runpool.celery import app
from tests.factories import make_user
from tests.places import REPOSITORY

pytestmark = pytest.mark.sqlite


@job("rename")
def rename(progress: Progress, *, user_id: int, to: str) -> None:
    progress.report(0, 1)
    User.objects.filter(pk=user_id).update(display_name=to)
    progress.report(1, 1, "renamed")


@job("refuse")
def refuse(progress: Progress, *, reason: str) -> None:
    raise JobFailed(reason)


def test_a_job_runs_when_the_transaction_that_asked_for_it_commits(db, django_capture_on_commit_callbacks) -> None:
    user = make_user()
    with django_capture_on_commit_callbacks(execute=True):
        enqueue("rename", user_id=user.pk, to="Ada")
        assert Job.objects.get().state == Job.QUEUED
    user.refresh_from_db()
    job_row = Job.objects.get()
    assert (user.display_name, job_row.state, job_row.done, job_row.total) == ("Ada", Job.DONE, 1, 1)


def test_asking_twice_for_the_same_waiting_work_makes_one_job(db) -> None:
    assert enqueue("rename", user_id=1, to="Ada").pk == enqueue("rename", user_id=1, to="Ada").pk
    assert enqueue("rename", user_id=2, to="Ada").pk != enqueue("rename", user_id=1, to="Ada").pk


def test_a_job_refuses_arguments_that_it_does_not_take(db) -> None:
    with pytest.raises(TypeError, match="takes"):
        enqueue("rename", user=1)


def test_a_message_delivered_twice_runs_the_job_once(db, django_capture_on_commit_callbacks) -> None:
    user = make_user()
    with django_capture_on_commit_callbacks(execute=True):
        row = enqueue("rename", user_id=user.pk, to="Ada")
    User.objects.update(display_name="changed by hand")
    send(row)
    user.refresh_from_db()
    assert user.display_name == "changed by hand"


@pytest.fixture
def all_jobs() -> None:
    """Looking for a name that no job has imports the jobs of all apps, and sets up the log anew: before it is listened to."""
    assert find_job("a name that no job has") is None


def test_a_job_whose_subject_was_deleted_since_it_was_asked_for_ends_quietly(db, all_jobs, caplog) -> None:
    caplog.set_level(logging.INFO, logger="campaign.queue.jobs")
    known = {"actor_id": make_user().pk, "import_id": str(uuid4()), "restoration_id": str(uuid4()), "set_name": ""}
    told = 0
    for name, work in _jobs.items():
        arguments = work.argument_names
        if not arguments or work.body.__module__.startswith("tests."):
            continue
        values = {argument: known.get(argument, 0) for argument in arguments}
        row = Job.objects.create(name=name, key=job_key(values), arguments=values)
        caplog.clear()
        do_job.apply(kwargs={"job_id": row.pk})
        row.refresh_from_db()
        assert (row.state, row.message or GONE) == (Job.DONE, GONE), name
        assert not [line for line in caplog.records if line.levelno > logging.INFO], name
        told += GONE in caplog.text
    assert told > 20


def test_a_job_that_cannot_succeed_says_why(db, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        enqueue("refuse", reason="The file is gone.")
    row = Job.objects.get()
    assert (row.state, row.message) == (Job.FAILED, "The file is gone.")


@job("write to a standby server")
def write_to_a_standby(progress: Progress, *, number: int) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute("CREATE TABLE x ()")
        cursor.execute("PRAGMA query_only = ON")
        try:
            cursor.execute("CREATE TABLE x (y)")
        finally:
            cursor.execute("PRAGMA query_only = OFF")


def test_a_job_whose_statement_meets_a_database_without_writes_is_put_off_where_that_can_be_written(db) -> None:
    waiting = Job.objects.create(name="write to a standby server", arguments={"number": 1})
    for _ in range(MOST_ATTEMPTS + 1):
        with inline():
            send(waiting)
        waiting.refresh_from_db()
        assert (waiting.state, waiting.attempts, waiting.message) == (Job.QUEUED, 0, NO_WRITES)


@job("hang", limit_seconds=60)
def hang(progress: Progress, *, number: int) -> None:
    raise SoftTimeLimitExceeded  # what the worker raises in a body whose time is up


def test_a_job_that_hangs_is_stopped_at_its_limit_and_says_so(db, django_capture_on_commit_callbacks) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        enqueue("hang", number=1)
    row = Job.objects.get()
    assert (row.state, row.message) == (Job.FAILED, "This took longer than 60 seconds and was stopped.")


@pytest.mark.parametrize("state", [Job.QUEUED, Job.WORKING])
def test_the_sweep_sends_again_what_a_lost_message_or_a_dead_worker_left_behind(db, state: str) -> None:
    user = make_user()
    row = enqueue("rename", user_id=user.pk, to="Ada")
    long_ago = timezone.now() - timedelta(minutes=2)
    Job.objects.update(state=state, sent_at=long_ago, heartbeat_at=long_ago, attempts=1)
    assert requeue_lost_jobs() == 1
    user.refresh_from_db()
    row.refresh_from_db()
    assert (user.display_name, row.state) == ("Ada", Job.DONE)


def sent_by_sweeps(monkeypatch, rows_of: Callable[[datetime], object], hours: float) -> list[int]:
    """The seconds after which sweeps every half minute send a job again that no worker takes."""
    begin, sent = timezone.now(), []
    monkeypatch.setattr("campaign.queue.jobs.send", lambda row: sent.append(now - begin))
    for half_minute in range(int(hours * 120)):
        now = begin + timedelta(seconds=30 * half_minute)
        monkeypatch.setattr("campaign.database.clock.now", lambda now=now: now)
        if half_minute == 0:
            rows_of(now)
        requeue_lost_jobs()
    return [round(after.total_seconds()) for after in sent]


def test_a_job_in_a_long_backlog_is_sent_again_ever_more_rarely_but_never_forgotten(db, monkeypatch) -> None:
    sent = sent_by_sweeps(monkeypatch, lambda now: Job.objects.create(name="rename", key="{}"), hours=1)
    assert sent[:5] == [90, 180, 360, 600, 840]
    pauses = [after - before for before, after in pairwise(sent)]
    assert max(pauses) == 240


def test_the_job_of_a_dead_worker_is_sent_at_once_and_then_as_rarely(db, monkeypatch) -> None:
    def silent(now: datetime) -> None:
        past = now - 2 * STALE_AFTER
        row = Job.objects.create(name="rename", key="{}", state=Job.WORKING, attempts=1, heartbeat_at=past)
        Job.objects.filter(pk=row.pk).update(sent_at=past, created_at=past)

    assert sent_by_sweeps(monkeypatch, silent, hours=0.25)[:3] == [0, 90, 270]


@pytest.mark.sqlite(
    "campaign.database.clock.Moment",
    "campaign.database.clock.Moment.as_sqlite",
    "campaign.database.clock.now",
    "campaign.queue.jobs._waiting_row",
)
def test_the_sweep_leaves_alone_what_is_being_worked_on(db) -> None:
    enqueue("rename", user_id=1, to="Ada")
    Job.objects.update(state=Job.WORKING, heartbeat_at=timezone.now())
    assert requeue_lost_jobs() == 0


def test_the_sweep_gives_up_on_work_that_killed_its_worker_again_and_again(db) -> None:
    enqueue("rename", user_id=1, to="Ada")
    long_ago = timezone.now() - timedelta(minutes=2)
    Job.objects.update(state=Job.WORKING, heartbeat_at=long_ago, attempts=MOST_ATTEMPTS)
    requeue_lost_jobs()
    assert Job.objects.get().state == Job.FAILED


def test_two_jobs_cannot_have_one_name() -> None:
    with pytest.raises(ValueError, match="Two jobs are called “rename”"):
        job("rename")(lambda progress: None)


def test_the_message_of_a_job_carries_its_own_time_limits(db, monkeypatch) -> None:
    monkeypatch.setitem(app.conf, "task_always_eager", False)
    send(Job.objects.create(name="hang", key="1", arguments={"number": 1}))
    headers = [message["headers"] for message in messages_in(queues.GENERAL)]
    assert [found["timelimit"] for found in headers if found["shadow"] == "hang"] == [[120, 60]]


def messages_in(queue: str) -> list[dict[str, Any]]:
    folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["folder"]) / "waiting" / queue
    return [json.loads(path.read_text()) for path in folder.glob("*")]


def test_a_job_of_another_version_is_kept_and_the_operators_are_told(db) -> None:
    row = Job.objects.create(name="dream", key="{}", sent_at=timezone.now())
    Job.objects.update(
        sent_at=timezone.now() - timedelta(minutes=10), created_at=timezone.now() - timedelta(minutes=10)
    )
    assert requeue_lost_jobs() == 1
    row.refresh_from_db()
    assert (row.state, row.attempts) == (Job.QUEUED, 0)
    assert "has no job “dream”" in row.message
    assert no_worker() == ""


@pytest.mark.parametrize(("retries", "pause", "again"), [(0, 0, 1), (3, 7, 1), (MOST_ATTEMPTS, 0, 0)])
def test_a_worker_puts_the_job_of_another_version_back_for_others(
    db, monkeypatch: pytest.MonkeyPatch, retries: int, pause: int, again: int
) -> None:
    monkeypatch.setitem(app.conf, "task_always_eager", False)
    row = Job.objects.create(name="dream", key="{}", queue=queues.SCORE)
    before = len(messages_in(queues.SCORE))
    name = uuid4().hex
    received = {"id": name, "retries": retries, "kwargs": {"job_id": row.pk}, "args": (), "is_eager": False}
    do_job.push_request(**received, called_directly=False, delivery_info={"routing_key": queues.SCORE, "exchange": ""})
    try:
        with pytest.raises(Retry) if again else nullcontext():
            do_job.run(job_id=row.pk)
    finally:
        do_job.pop_request()
    sent = messages_in(queues.SCORE)
    assert len(sent) - before == again
    if again:
        [message] = [one for one in sent if one["headers"]["id"] == name]
        eta = message["headers"]["eta"]
        due = datetime.fromisoformat(eta) if eta else timezone.now()
        assert pause - 5 < (due - timezone.now()).total_seconds() <= pause + 1
    row.refresh_from_db()
    assert (row.state, row.attempts) == (Job.QUEUED, 0)


def test_a_lost_job_of_another_version_does_not_keep_the_sweep_from_the_others(db) -> None:
    user = make_user()
    Job.objects.create(name="dream", key="{}")
    enqueue("rename", user_id=user.pk, to="Ada")
    Job.objects.update(sent_at=timezone.now() - timedelta(minutes=10))
    requeue_lost_jobs()
    user.refresh_from_db()
    assert user.display_name == "Ada"


def test_threads_that_are_the_first_to_ask_for_a_job_all_find_it() -> None:
    """In a process of its own, since the jobs are imported once."""
    asked = """
import django; django.setup()
from concurrent.futures import ThreadPoolExecutor
from campaign.queue.jobs import find_job
with ThreadPoolExecutor(8) as threads:
    assert all(threads.map(find_job, ["check run"] * 8))
"""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    subprocess.run([sys.executable, "-c", asked], cwd=REPOSITORY, env=environment, check=True, timeout=300)


def test_every_job_sent_again_is_named_in_the_log_with_its_request(db, caplog) -> None:
    row = enqueue("rename", user_id=1, to="Ada\nBob")
    Job.objects.update(sent_at=timezone.now() - timedelta(minutes=2), request_id="r1")
    with caplog.at_level("INFO", "campaign.queue.jobs"):
        requeue_lost_jobs()
    assert any(f"sending job {row.pk} again" in line and "request r1" in line for line in caplog.messages)


@job("sized", queue=lambda *, size: queues.queue_for_file(size))
def sized(progress: Progress, *, size: int) -> None:
    pass


@pytest.mark.parametrize(
    ("name", "arguments", "queue"),
    [
        ("send mail", {"mail_id": 1}, queues.MAIL),
        ("sized", {"size": 10}, queues.GENERAL),
        ("sized", {"size": queues.LARGE_BYTES}, queues.LARGE),
    ],
)
def test_what_is_quick_and_what_is_slow_wait_in_queues_of_their_own(
    db, monkeypatch, name: str, arguments: dict[str, int], queue: str
) -> None:
    monkeypatch.setitem(app.conf, "task_always_eager", False)
    row = enqueue(name, **arguments)
    send(row)
    assert row.queue == queue
    assert any(message["headers"]["id"].startswith(f"job-{row.pk}-") for message in messages_in(queue))


def test_the_sweep_is_sent_to_a_queue_of_its_own() -> None:
    assert app.conf.beat_schedule["sweep"]["options"]["queue"] == queues.SWEEP


def test_a_worker_without_queues_named_takes_from_all() -> None:
    assert set(app.amqp.queues.consume_from) == set(queues.ALL)


@job("ask again")
def ask_again(progress: Progress, *, user_id: int) -> None:
    """Like a run that comes while its task is being scored."""
    if User.objects.filter(pk=user_id, first_name="once").update(first_name="twice") == 0:
        User.objects.filter(pk=user_id).update(first_name="once")
        enqueue("ask again", user_id=user_id)


def test_work_that_is_being_done_is_not_begun_a_second_time_beside_it(db) -> None:
    first = enqueue("refuse", reason="one")
    Job.objects.filter(pk=first.pk).update(state=Job.WORKING, heartbeat_at=timezone.now())
    second = enqueue("refuse", reason="one")
    do_job.apply(kwargs={"job_id": second.pk})
    second.refresh_from_db()
    assert (second.state, second.attempts) == (Job.QUEUED, 0)


def test_the_same_work_of_a_worker_that_fell_silent_holds_nobody_up(db) -> None:
    first = enqueue("refuse", reason="one")
    silent = timezone.now() - 2 * STALE_AFTER
    Job.objects.filter(pk=first.pk).update(state=Job.WORKING, heartbeat_at=silent)
    second = enqueue("refuse", reason="one")
    do_job.apply(kwargs={"job_id": second.pk})
    second.refresh_from_db()
    assert second.state == Job.FAILED, "it was done, and refused"


def test_what_is_asked_for_while_the_same_work_is_done_follows_when_that_ends(
    db, django_capture_on_commit_callbacks
) -> None:
    user = make_user("asked-twice")
    with inline(), django_capture_on_commit_callbacks(execute=True):
        enqueue("ask again", user_id=user.pk)
    user.refresh_from_db()
    assert user.first_name == "twice"
    assert set(Job.objects.filter(name="ask again").values_list("state", flat=True)) == {Job.DONE}
