"""The one way to put work on the queue.

The database holds what is to be done (a `Job` row, by the job's name); the queue only notifies workers. A job is
claimed by a conditional UPDATE, so a message delivered twice does nothing the second time; a worker that dies stops the
job's heartbeat, and the sweep sends the job again. Every job must therefore be safe to run twice.

Work done in parts: a job asks for further jobs, lets its process go, and is sent again when the last of them has ended. A part
belongs to the whole of the same task. No process ever waits for another, so that one worker can do all of it. Who ends last is
told from rows: a part looks after its own row says that it has ended, a whole after its row says that it waits.

A job's name is its own and stays when its function moves: rows of earlier versions keep their meaning.
"""

import inspect
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

from celery import (
    current_app,
    shared_task,  # noqa: TID251 - the one Celery task that carries every job
)
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, IntegrityError, OperationalError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Least
from django.http import Http404

from campaign import log, queues
from campaign.database import clock
from campaign.database.errors import takes_no_writes
from campaign.formats.moments import LATEST
from campaign.log import traces
from campaign.models import Job, LastSeen, job_key
from campaign.queue.broker import deliver
from campaign.queue.heartbeat import Heartbeat
from campaign.queue.locks import (
    BEAT,
    STALE_AFTER,
    claim,
    finish,
    first_line,
    free,
    let_wait,
    may_be_written_later,
    of_attempt,
    postpone,
    write_end,
)
from campaign.queue.periodic import by_itself, last_seen_record
from campaign.storage.interface import StorageAwayError
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.room import DiskFullError, disk_full_named

_inline: ContextVar[bool] = ContextVar("inline", default=False)
logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 5
SOFT_LIMIT_SECONDS, SECONDS_TO_END = 1800, 60
GONE = "What this was about was deleted meanwhile: nothing was done."
DISK_FULL = "The disk is full. This is tried again within minutes until there is room; the operators have to make some."
NO_WRITES = "The database takes no writes now. This is tried again within minutes until it does."
STORAGE_AWAY = "The storage of files does not answer. This is tried again within minutes until it does."
RETRIED = (OperationalError, ConnectionError, TimeoutError)
Queue = str | Callable[..., str]


class UnknownJobError(LookupError):
    """There is no job of this name in this version of the site."""


class JobFailed(Exception):  # noqa: N818 - an outcome that the job reports, in words meant for people
    """Raised by a job that cannot succeed however often it is tried."""


class JobPostponed(Exception):  # noqa: N818 - an outcome as well
    """Raised by a job for which something is away: the sweep sends it again within minutes, and no attempt is counted."""


class JobWaits(Exception):  # noqa: N818 - an outcome as well
    """Raised by a job whose parts are under way; `total` of what `message` names is left. No attempt is counted."""

    def __init__(self, part_name: str, total: int, message: str) -> None:
        super().__init__(message)
        self.part_name, self.total = part_name, total


class Progress:
    """The progress of a job for the page that waits for it: a count and a sentence."""

    def __init__(self, job_id: int, attempts: int) -> None:
        self.job_id = job_id
        self._attempts = attempts
        self._written = 0.0

    def report(self, done: int, total: int, message: str = "") -> None:
        now = time.monotonic()
        if now - self._written < 0.5 and done not in (0, total):
            return
        self._written = now
        Job.objects.filter(pk=self.job_id, attempts=self._attempts, state=Job.WORKING).update(
            done=done, total=total, message=message, **BEAT
        )


class JobTask:
    """A function registered as the job of this name."""

    def __init__(self, name: str, body: Callable[..., None], limit_seconds: int, queue: Queue, part_of: str) -> None:
        self.name = name
        self.body = body
        self.limit_seconds = limit_seconds
        self.part_of = part_of
        self._queue = queue
        self.argument_names = set(inspect.signature(body).parameters) - {"progress"}

    def queue(self, arguments: dict[str, Any]) -> str:
        return self._queue if isinstance(self._queue, str) else self._queue(**arguments)


_jobs: dict[str, JobTask] = {}
_importing = threading.RLock()


def job(
    name: str, *, limit_seconds: int = SOFT_LIMIT_SECONDS, queue: Queue = queues.GENERAL, part_of: str = ""
) -> Callable[[Callable[..., None]], JobTask]:
    """Decorate `def work(progress, *, some_id)`: retried with back-off, time-limited, resumed after a worker's death.

    It reads what it is about by `get_or_404`: a job whose subject was deleted meanwhile is done.
    `queue`: the one where it waits, or a function that chooses it by the job's arguments. `part_of`: the job that raises
    `JobWaits` until all parts of this name of its task have ended.
    """

    def register(body: Callable[..., None]) -> JobTask:
        if name in _jobs:
            raise ValueError(f"Two jobs are called “{name}”.")
        return _jobs.setdefault(name, JobTask(name, body, limit_seconds, queue, part_of))

    return register


def find_job(name: str) -> JobTask | None:
    """The registered job of this name. Services ask for work by name, since the jobs import the services."""
    if name not in _jobs:
        with _importing:  # another thread that asks meanwhile must not find half of them
            current_app.loader.import_default_modules()  # the modules `jobs` of all apps, which register their jobs
    return _jobs.get(name)


def enqueue(name: str, **arguments: Any) -> Job:
    """Ask for a job, inside the transaction that makes it necessary; work that waits already is not asked for twice.

    Arguments called `run_id` and `task_id` are relations of the row as well.
    """
    work = _required_job(name, arguments)
    with transaction.atomic():
        row = _waiting_row(work, arguments)
        transaction.on_commit(lambda: send(row))
    return row


def enqueue_first(name: str, **arguments: Any) -> Job:
    """Like `enqueue`, in one query: for work on a row that this transaction has made, which nobody can have asked for."""
    row = Job.objects.create(**_values(_required_job(name, arguments), arguments))
    transaction.on_commit(lambda: send(row))
    return row


def _required_job(name: str, arguments: dict[str, Any]) -> JobTask:
    work = find_job(name)
    if work is None:
        raise UnknownJobError(name)
    if set(arguments) != work.argument_names:
        raise TypeError(f"The job “{name}” takes {sorted(work.argument_names)}, not {sorted(arguments)}")
    return work


def _values(work: JobTask, arguments: dict[str, Any]) -> dict[str, Any]:
    relations: dict[str, Any] = {field: arguments[field] for field in ("run_id", "task_id") if field in arguments}
    how = {"queue": work.queue(arguments), "request_id": log.request_id.get()}
    return {"name": work.name, "key": job_key(arguments), **relations, **how, "arguments": arguments}


def _waiting_row(work: JobTask, arguments: dict[str, Any]) -> Job:
    values = _values(work, arguments)
    same_work = {key: values[key] for key in ("name", "key")}
    while True:
        # The lock makes a worker that is about to claim the waiting job see what this transaction writes.
        waiting = Job.objects.select_for_update().filter(**same_work, state=Job.QUEUED).first()
        if waiting is not None:
            logger.info("%s: waits already as job %d, of request %s", waiting.name, waiting.pk, waiting.request_id)
            return waiting
        try:
            with transaction.atomic():
                return Job.objects.create(**values)
        except IntegrityError:  # another request enqueued the same work at this moment: its row exists now
            continue


@contextmanager
def inline() -> Iterator[None]:
    """Jobs enqueued within run at once in this process: for commands, which need no worker."""
    token = _inline.set(True)
    try:
        yield
    finally:
        _inline.reset(token)


def send(row: Job) -> None:
    if _inline.get():
        do_job.apply(kwargs={"job_id": row.pk})
        return
    work = find_job(row.name)
    seconds = work.limit_seconds if work else SOFT_LIMIT_SECONDS
    limits = {"soft_time_limit": seconds, "time_limit": seconds + SECONDS_TO_END}
    names = {"task_id": f"job-{row.pk}-{uuid4().hex[:8]}", "shadow": row.name}  # as Celery's own log lines show it
    message = partial(do_job.apply_async, kwargs={"job_id": row.pk}, queue=row.queue, **names, **limits)
    deliver(message, f"job {row.pk} {row.name}")


@shared_task(name="job", bind=True, acks_late=True, reject_on_worker_lost=True, max_retries=MOST_ATTEMPTS)  # type: ignore[untyped-decorator]
def do_job(celery_task: Any, *, job_id: int) -> None:
    """One Celery task for jobs of every name, so that no worker drops the message of a job that it lacks."""
    try:
        _take(celery_task, job_id)
    except DatabaseError as problem:
        if not may_be_written_later(problem):
            raise
        logger.error("job %s stays as it is until the sweep sends it again: %s", job_id, first_line(problem))


def _take(celery_task: Any, job_id: int) -> None:
    row = Job.objects.select_related("task", "run__task").filter(pk=job_id).first()
    if row is None:
        return
    with log.of_job(row.request_id, row.pk, row.subject):
        work = find_job(row.name)
        if work is None:
            _keep_unknown(row)
            _leave_to_others(celery_task)
        elif claim(row):
            with traces.of_job(row.request_id, row.name, row.subject):
                _work(celery_task, work, Job.objects.get(pk=job_id))


def _work(celery_task: Any, work: JobTask, row: Job) -> None:
    started, heartbeat = time.monotonic(), Heartbeat(row)
    logger.info("%s: attempt %d", row.name, row.attempts)
    if not celery_task.request.is_eager:
        heartbeat.start()
    try:
        last_words = _do(work, row)
    except (DiskFullError, StorageAwayError, PermissionError, JobPostponed) as problem:
        postpone(row, _why_it_waits(problem))
    except JobWaits as waits:
        _wait_for_parts(row, waits)
    except RETRIED as problem:
        _retry(celery_task, row, problem)
    except (JobFailed, DamagedFileError) as problem:
        logger.info("%s: failed: %s", row.name, problem)
        heartbeat.record(Job.FAILED, str(problem))
    except SoftTimeLimitExceeded:  # the heartbeat goes on while a body hangs: only this ends it
        logger.exception("job %s %s was stopped", row.pk, row)
        heartbeat.record(Job.FAILED, f"This took longer than {work.limit_seconds} seconds and was stopped.")
    except Exception:
        logger.exception("job %s %s failed", row.pk, row)
        heartbeat.record(Job.FAILED, "This failed because of an error in Runpool; see the server's log.")
        if celery_task.request.is_eager:
            raise
    else:
        heartbeat.record(Job.DONE, last_words)
        logger.info("%s: done after %.2f s", row.name, time.monotonic() - started)
    finally:
        heartbeat.stop()
        _send_what_waits_for(row)


def _do(work: JobTask, row: Job) -> str:
    """Return what is to be read in place of the last report of its progress; empty if that stays."""
    try:
        with disk_full_named():
            work.body(Progress(row.pk, row.attempts), **row.arguments)
    except Http404:
        logger.info("%s: %s", row.name, GONE)
        return GONE
    except DatabaseError as problem:
        if takes_no_writes(problem):
            raise JobPostponed(NO_WRITES) from problem
        raise
    return ""


def _wait_for_parts(row: Job, waits: JobWaits) -> None:
    """Let the whole wait without a process; where the same work was asked for meanwhile, that row goes on."""
    logger.info("%s: waits for its parts", row.name)
    if not let_wait(row, str(waits), waits.total):
        finish(row, Job.DONE)
    elif not unfinished_parts(waits.part_name, row.task_id).exists():
        send(row)  # the last of them ended before the row said that it waits, and sent nothing


def unfinished_parts(part_name: str, task_id: int | None) -> "QuerySet[Job]":
    """Those that wait or are at work, whoever asked for them."""
    return Job.objects.filter(name=part_name, task=task_id, state__in=(Job.QUEUED, Job.WORKING))


def wholes_to_send(part: Job, whole_name: str) -> list[Job]:
    """The waiting wholes of a part that has ended, if it was the last one."""
    wholes = Job.objects.filter(name=whole_name, task=part.task_id, state=Job.QUEUED)
    done = Job.objects.filter(pk=part.pk).values_list("done", flat=True).first() or 0
    wholes.filter(total__gt=0).update(done=Least(F("done") + done, F("total")))
    return [] if unfinished_parts(part.name, part.task_id).exists() else list(wholes)


def _send_what_waits_for(row: Job) -> None:
    """Send the same work that was asked for meanwhile, whose message found this and was dropped, and the whole of a last part."""
    work = find_job(row.name)
    try:
        for waiting in Job.objects.filter(name=row.name, key=row.key, state=Job.QUEUED).exclude(pk=row.pk):
            send(waiting)
        for whole in wholes_to_send(row, work.part_of) if work and work.part_of else []:
            send(whole)
    except DatabaseError as problem:  # the sweep sends it
        logger.warning("job %s: what waits for it is not known: %s", row.pk, first_line(problem))


def _keep_unknown(row: Job) -> None:
    """Leave the row to a worker of a version that has the job, and record for the operators why it waits."""
    logger.warning("this version has no job %s %s: it is kept", row.pk, row)
    message = f"The worker that took this has no job “{row.name}”. Start workers of a version that has it."
    now = clock.now()
    Job.objects.filter(free(now), pk=row.pk).update(message=message, heartbeat_at=now)


def _leave_to_others(celery_task: Any) -> None:
    """Put the message back at once, then after ever longer pauses: a worker that has the job may be free. At last the sweep does.

    Without it, workers of an old version that have nothing to do take the message again each time that the sweep sends it.
    """
    request = celery_task.request
    if not request.is_eager and request.retries < MOST_ATTEMPTS:
        raise celery_task.retry(countdown=2**request.retries - 1)


def requeue_lost_jobs() -> int:
    """Send again every job whose message or worker is gone; give up on those that killed their worker too often."""
    now = clock.now()
    _count_from_now(now)
    _let_workers_beat_first(now)
    silent = Q(state=Job.WORKING, heartbeat_at__lt=now - STALE_AFTER)
    unsent = Q(state=Job.QUEUED, sent_at__lt=now - Job.FIRST_PAUSE)
    return by_itself(Job.objects.filter(silent | unsent), lambda row: _send_if_lost(row, now))


def _count_from_now(now: datetime) -> None:
    """Moments that lie in the future: the clock was set back since. A worker that lives beats again within seconds.

    What no program can read stays, and is named.
    """
    unfinished = Job.objects.filter(state__in=[Job.QUEUED, Job.WORKING])
    for column, ahead in {
        "heartbeat_at": STALE_AFTER,
        "sent_at": Job.LONGEST_PAUSE,
        "created_at": Job.LONGEST_PAUSE,
    }.items():
        unfinished.filter(**{f"{column}__range": (now + ahead, LATEST)}).update(**{column: now})


def _let_workers_beat_first(now: datetime) -> None:
    """After a clock was set forward, or a machine slept, each living worker seems silent until it beats again.

    So a worker that lived when lost jobs were last looked for, long ago by the clock, has time for one more beat. It is given
    once: what is written here is too old to count as a beat the next time, and this moment is recorded whatever comes after it.
    """
    age = STALE_AFTER * 2 / 3
    silent = Job.objects.filter(state=Job.WORKING, started_at__isnull=False, heartbeat_at__lt=now - STALE_AFTER)
    long_ago = LastSeen.objects.filter(name=LastSeen.LOST_JOBS, at__lt=now - STALE_AFTER)
    lived = Exists(long_ago.filter(at__lt=OuterRef("heartbeat_at") + age))  # unread: no program may be able to read it
    with transaction.atomic():
        silent.filter(lived).update(heartbeat_at=now - age)
        last_seen_record(LastSeen.LOST_JOBS, now)


def _send_if_lost(row: Job, now: datetime) -> bool:
    if row.state == Job.WORKING and row.attempts >= MOST_ATTEMPTS:
        message = f"Given up after {row.attempts} attempts: its worker stopped each time."
        if write_end(of_attempt(row) & Q(heartbeat_at=row.heartbeat_at), Job.FAILED, message):
            traces.job_ended(Job.FAILED, is_failed=True)
            _send_what_waits_for(row)
        return True
    if row.lost_at > now:
        return False
    unchanged = Job.objects.filter(pk=row.pk, sent_at=row.sent_at, heartbeat_at=row.heartbeat_at)
    if unchanged.update(sent_at=now, started_at=None):  # so that another worker may claim it
        logger.info("sending job %s again: %s (request %s, attempt %d)", row.pk, row, row.request_id, row.attempts)
        send(row)
    return True


def _retry(celery_task: Any, row: Job, problem: Exception) -> None:
    if row.attempts >= MOST_ATTEMPTS:
        logger.error("job %s given up: %s", row, problem)
        finish(row, Job.FAILED, "Given up after several attempts: a service it needs did not answer.")
        return
    traces.told(outcome="tried again")
    # Aged on purpose: the retry, or failing that the sweep, may claim it at once.
    Job.objects.filter(of_attempt(row)).update(heartbeat_at=clock.now() - 2 * STALE_AFTER, started_at=None)
    raise celery_task.retry(exc=problem, countdown=min(60, 2**row.attempts)) from problem


def _why_it_waits(problem: Exception) -> str:
    if isinstance(problem, (StorageAwayError, PermissionError)):
        logger.warning("storage: %s", getattr(problem, "reason", problem))
        return STORAGE_AWAY
    return DISK_FULL if isinstance(problem, DiskFullError) else str(problem)
