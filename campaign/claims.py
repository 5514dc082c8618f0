"""Which worker has a job: a row is taken and ended by conditional updates, so that two can never both have it."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, Q
from django.utils import timezone

from campaign.models import Job

STALE_AFTER = timedelta(seconds=45)


def free(now: datetime) -> Q:
    """Jobs that a worker may claim: queued, or with a stale heartbeat."""
    return Q(state=Job.QUEUED) | Q(state=Job.WORKING, heartbeat_at__lt=now - STALE_AFTER)


def claim(row: Job) -> bool:
    """Take the job unless another worker has it, or does the same work for an earlier request: one after the other is soon
    enough, and ten scorings of a task at once would leave no process to the other jobs of the queue."""
    now = timezone.now()
    at_work = Job.objects.filter(state=Job.WORKING, heartbeat_at__gte=now - STALE_AFTER)
    same_work = at_work.filter(name=row.name, key=row.key).exclude(pk=row.pk)
    changes = {"state": Job.WORKING, "heartbeat_at": now, "done": 0, "total": 0, "message": ""}
    found = Job.objects.filter(free(now), ~Exists(same_work), pk=row.pk)
    return bool(found.update(**changes, attempts=F("attempts") + 1))


def finish(job_id: int, state: str, message: str = "") -> None:
    changes: dict[str, Any] = {"state": state, "finished_at": timezone.now()}
    if message:
        changes["message"] = message
    Job.objects.filter(pk=job_id, state__in=[Job.QUEUED, Job.WORKING]).update(**changes)
