"""The one way to put work on the queue.

The database says what is to be done (a `Job` row); the queue only carries the news of it. A job is claimed by a
conditional UPDATE, so a message delivered twice does nothing the second time; a worker that dies stops the job's
heartbeat, and the sweep sends the job again. Every job must therefore be safe to run twice.
"""

import hashlib
import inspect
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

from celery import shared_task  # noqa: TID251 - this is the decorator that all else uses
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, IntegrityError, OperationalError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError as BrokerError

from campaign.models import Job

_inline: ContextVar[bool] = ContextVar("inline", default=False)
logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 10
STALE_AFTER = timedelta(seconds=45)
RESEND_AFTER = timedelta(seconds=60)
MOST_ATTEMPTS = 5
LONGEST_KEY = 200
SOFT_LIMIT_SECONDS, SECONDS_TO_END = 1800, 60
RETRIED = (OperationalError, ConnectionError, TimeoutError)


class JobFailed(Exception):  # noqa: N818 - an outcome that the job reports, in words meant for people
    """Raised by a job that cannot succeed however often it is tried."""


class Progress:
    """What a job tells the page that waits for it: a count and a sentence."""

    def __init__(self, job_id: int) -> None:
        self.job_id = job_id
        self._written = 0.0

    def report(self, done: int, total: int, message: str = "") -> None:
        now = time.monotonic()
        if now - self._written < 0.5 and done not in (0, total):
            return
        self._written = now
        Job.objects.filter(pk=self.job_id, state=Job.WORKING).update(
            done=done, total=total, message=message, heartbeat_at=timezone.now()
        )


class JobTask:
    """A function registered as a job: call `enqueue(**ids)` inside the transaction that makes the work necessary."""

    def __init__(self, body: Callable[..., None], limit_seconds: int = SOFT_LIMIT_SECONDS) -> None:
        self.body = body
        self.limit_seconds = limit_seconds
        self.name = f"{body.__module__}.{body.__name__}"
        self._argument_names = set(inspect.signature(body).parameters) - {"progress"}

        def receive(celery_task: Any, *, job_id: int) -> None:
            self._receive(celery_task, job_id)

        self.celery_task = shared_task(
            name=self.name,
            bind=True,
            acks_late=True,
            reject_on_worker_lost=True,
            max_retries=MOST_ATTEMPTS,
            soft_time_limit=limit_seconds,
            time_limit=limit_seconds + SECONDS_TO_END,
        )(receive)

    def enqueue(self, **arguments: Any) -> Job:
        if set(arguments) != self._argument_names:
            raise TypeError(f"{self.name} takes {sorted(self._argument_names)}, not {sorted(arguments)}")
        with transaction.atomic():
            row = self._waiting_row(arguments)
            transaction.on_commit(lambda: send(row))
        return row

    def _waiting_row(self, arguments: dict[str, Any]) -> Job:
        work = {"name": self.name, "key": job_key(arguments)}
        while True:
            # The lock makes a worker that is about to claim the waiting job see what this transaction writes.
            waiting = Job.objects.select_for_update().filter(**work, state=Job.QUEUED).first()
            if waiting is not None:
                return waiting
            try:
                with transaction.atomic():
                    return Job.objects.create(**work, arguments=arguments)
            except IntegrityError:  # somebody else asked for the same work at this moment: theirs is found now
                continue

    def latest(self, **arguments: Any) -> Job | None:
        return Job.objects.filter(name=self.name, key=job_key(arguments)).order_by("-pk").first()

    def _receive(self, celery_task: Any, job_id: int) -> None:
        row = _claim(job_id)
        if row is None:
            return
        heartbeat = _Heartbeat(job_id)
        if not celery_task.request.is_eager:
            heartbeat.start()
        try:
            self.body(Progress(job_id), **row.arguments)
        except RETRIED as problem:
            _retry(celery_task, row, problem)
        except JobFailed as problem:
            _finish(job_id, Job.FAILED, str(problem))
        except SoftTimeLimitExceeded:  # the heartbeat goes on while a body hangs: only this ends it
            logger.exception("job %s %s was stopped", row.pk, row)
            _finish(job_id, Job.FAILED, f"This took longer than {self.limit_seconds} seconds and was stopped.")
        except Exception:
            logger.exception("job %s %s failed", row.pk, row)
            _finish(job_id, Job.FAILED, "This failed by an error of ours; it is in the server's log.")
            if celery_task.request.is_eager:
                raise
        else:
            _finish(job_id, Job.DONE)
        finally:
            heartbeat.stop()


def job(body: Callable[..., None]) -> JobTask:
    """Decorate `def work(progress, *, some_id)`: retried with back-off, time-limited, resumed after a worker's death."""
    return JobTask(body)


def job_within(seconds: int) -> Callable[[Callable[..., None]], JobTask]:
    """The same with a time limit of its own: what should be quick must not keep a worker for half an hour."""
    return lambda body: JobTask(body, seconds)


def named(name: str) -> JobTask:
    """The job of this dotted name: services ask for work by name, since the jobs import the services."""
    found = import_string(name)
    if not isinstance(found, JobTask):
        raise TypeError(f"{name} is no job.")
    return found


def enqueue(name: str, **arguments: Any) -> Job:
    return named(name).enqueue(**arguments)


def job_key(arguments: dict[str, Any]) -> str:
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"), default=str)
    return text if len(text) <= LONGEST_KEY else hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def inline() -> Iterator[None]:
    """Jobs enqueued within run at once in this process: for commands, which need no worker."""
    token = _inline.set(True)
    try:
        yield
    finally:
        _inline.reset(token)


def send(row: Job) -> None:
    celery_task = named(row.name).celery_task
    if _inline.get():
        celery_task.apply(kwargs={"job_id": row.pk})
        return
    try:
        celery_task.apply_async(kwargs={"job_id": row.pk}, retry=False)
    except (BrokerError, ConnectionError, OSError) as problem:
        logger.warning("job %s waits for the sweep: the broker did not take it (%s)", row.pk, problem)


def send_what_was_lost() -> int:
    """Send again every job whose message or worker is gone; give up on those that killed their worker too often."""
    now = timezone.now()
    silent = Q(state=Job.WORKING, heartbeat_at__lt=now - STALE_AFTER)
    unsent = Q(state=Job.QUEUED, sent_at__lt=now - RESEND_AFTER)
    lost = list(Job.objects.filter(silent | unsent))
    for row in lost:
        if row.attempts >= MOST_ATTEMPTS:
            _finish(row.pk, Job.FAILED, f"Given up after {row.attempts} attempts: its worker stopped each time.")
        elif Job.objects.filter(pk=row.pk, sent_at=row.sent_at).update(sent_at=now):
            logger.info("sending job %s again", row)
            send(row)
    return len(lost)


def _claim(job_id: int) -> Job | None:
    now = timezone.now()
    free = Q(state=Job.QUEUED) | Q(state=Job.WORKING, heartbeat_at__lt=now - STALE_AFTER)
    claimed = Job.objects.filter(free, pk=job_id).update(
        state=Job.WORKING, heartbeat_at=now, attempts=F("attempts") + 1, done=0, total=0, message=""
    )
    return Job.objects.get(pk=job_id) if claimed else None


def _finish(job_id: int, state: str, message: str = "") -> None:
    changes: dict[str, Any] = {"state": state, "finished_at": timezone.now()}
    if message:
        changes["message"] = message
    Job.objects.filter(pk=job_id, state__in=[Job.QUEUED, Job.WORKING]).update(**changes)


def _retry(celery_task: Any, row: Job, problem: Exception) -> None:
    if row.attempts >= MOST_ATTEMPTS:
        logger.error("job %s given up: %s", row, problem)
        _finish(row.pk, Job.FAILED, "Given up after several attempts: a service it needs did not answer.")
        return
    # Aged on purpose: the retry, or failing that the sweep, may claim it at once.
    Job.objects.filter(pk=row.pk).update(heartbeat_at=timezone.now() - 2 * STALE_AFTER)
    raise celery_task.retry(exc=problem, countdown=min(60, 2**row.attempts)) from problem


class _Heartbeat:
    """Says every few seconds that the worker is alive, however long one step of the job takes."""

    def __init__(self, job_id: int) -> None:
        self._job_id = job_id
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._over.wait(HEARTBEAT_SECONDS):
                self._beat_once()
        finally:
            connection.close()

    def _beat_once(self) -> None:
        try:
            Job.objects.filter(pk=self._job_id, state=Job.WORKING).update(heartbeat_at=timezone.now())
        except DatabaseError as problem:
            logger.warning("no heartbeat for job %s: %s", self._job_id, problem)
