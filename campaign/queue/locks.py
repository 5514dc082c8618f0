"""Which worker has a job: a row is taken and ended by conditional updates, so that two can never both have it."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Exists, F, Q
from django.db.models.functions import Coalesce

from campaign.database import clock
from campaign.database.errors import database_is_away
from campaign.log import traces
from campaign.models import Job
from campaign.storage.room import is_disk_full

logger = logging.getLogger(__name__)
STALE_AFTER = timedelta(seconds=45)
BEAT = {"heartbeat_at": clock.Moment(), "started_at": Coalesce("started_at", clock.Moment())}
"""A sign of life; a sweep has removed `started_at` if it took the worker for dead."""


def free(now: datetime) -> Q:
    """Jobs that a worker may claim: queued, or lost.

    A job at work is lost where a sweep found its worker silent, and removed `started_at`, and no beat came since. A stale
    heartbeat alone is no sign of it: after a clock was set forward each is stale until the worker beats again.
    """
    return Q(state=Job.QUEUED) | Q(state=Job.WORKING, started_at=None, heartbeat_at__lt=now - STALE_AFTER)


def of_attempt(row: Job) -> Q:
    """The job while the worker of this attempt has it: one whose job was taken over meanwhile writes nothing."""
    return Q(pk=row.pk, attempts=row.attempts, state=Job.WORKING)


def claim(row: Job) -> bool:
    """Take the job unless another worker has it, or does the same work for an earlier request: one after the other is soon
    enough, and ten scorings of a task at once would leave no process to the other jobs of the queue."""
    now = clock.now()
    at_work = Job.objects.filter(
        Q(started_at__isnull=False) | Q(heartbeat_at__gte=now - STALE_AFTER), state=Job.WORKING
    )
    same_work = at_work.filter(name=row.name, key=row.key).exclude(pk=row.pk)
    changes = {"state": Job.WORKING, "started_at": now, "heartbeat_at": now, "done": 0, "total": 0, "message": ""}
    found = Job.objects.filter(free(now), ~Exists(same_work), pk=row.pk)
    return bool(found.update(**changes, attempts=F("attempts") + 1))


def finish(row: Job, state: str, message: str = "") -> None:
    traces.job_ended(state, is_failed=state == Job.FAILED)
    write_end(of_attempt(row), state, message)


def write_end(which: Q, state: str, message: str) -> bool:
    """End the jobs; False where all of them had ended. A job whose effect must come once ends itself in the same transaction."""
    changes: dict[str, Any] = {"state": state, "finished_at": clock.Moment()}
    if message:
        changes["message"] = message
    return bool(Job.objects.filter(which, state__in=[Job.QUEUED, Job.WORKING]).update(**changes))


def may_be_written_later(problem: DatabaseError) -> bool:
    """Whether the same statement may succeed once the database answers, takes writes and has room."""
    return database_is_away(problem) or is_disk_full(problem)


def first_line(problem: DatabaseError) -> str:
    """What the database said, in one line of the log."""
    return str(problem).partition("\n")[0]


def let_wait(row: Job, message: str, total: int = 0) -> bool:
    """Put a job that is at work back among those that wait; this was none of its attempts.

    `total`: how much its parts have to do, if it waits for parts. False where the same work was asked for meanwhile: that row
    waits, and this one is to be ended.
    """
    waits = {"state": Job.QUEUED, "sent_at": clock.Moment(), "attempts": row.attempts - 1}
    try:
        with transaction.atomic():
            Job.objects.filter(of_attempt(row)).update(**waits, message=message, done=0, total=total)
    except IntegrityError:
        return False
    return True


def postpone(row: Job, why: str) -> None:
    """Let the job wait for the sweep, which sends it again and again."""
    logger.error("job %s %s waits: %s", row.pk, row, why)
    traces.told(outcome="postponed")
    try:
        if not let_wait(row, why):
            finish(row, Job.FAILED, why)
    except DatabaseError as problem:  # on the same disk: without a heartbeat, the sweep sends the job again
        logger.warning("job %s stays as it is: %s", row.pk, first_line(problem))
