"""Jobs that ended, as workers leave them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from django.utils import timezone

from campaign import queues
from campaign.database import clock
from campaign.models import Job, SiteFigures, WorkerHeartbeat

LONG_AGO = timedelta(minutes=1)


def make_ended(name: str, worked: float, waited: float = 1.0, state: str = Job.DONE, **values: Any) -> Job:
    ended = timezone.now() - LONG_AGO
    started = ended - timedelta(seconds=worked)
    job = Job.objects.create(
        name=name, key=str(Job.objects.count()), state=state, started_at=started, finished_at=ended, **values
    )
    Job.objects.filter(pk=job.pk).update(created_at=started - timedelta(seconds=waited))
    return job


def make_worker(
    name: str = "worker@first", taken: Sequence[str] = queues.ALL, silent: int = 0, begun: int = 3600
) -> None:
    """A worker whose last sign of life is so many seconds old, and which began so many seconds ago."""
    now = clock.now()
    moments = {"at": now - timedelta(seconds=silent), "begun_at": now - timedelta(seconds=begun)}
    WorkerHeartbeat.objects.update_or_create(
        pk=uuid5(NAMESPACE_OID, f"{name} {begun}"), defaults={"name": name, "queues": list(taken), **moments}
    )


def tally_begins() -> None:
    """What ended within the last hour is counted by the next tally."""
    before = timezone.now() - timedelta(hours=1)
    SiteFigures.objects.update_or_create(name=SiteFigures.JOBS, defaults={"at": before})
