"""Jobs that ended, as workers leave them."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from campaign.models import Job, SiteFigures

LONG_AGO = timedelta(minutes=1)


def make_ended(name: str, worked: float, waited: float = 1.0, state: str = Job.DONE, **values: Any) -> Job:
    ended = timezone.now() - LONG_AGO
    started = ended - timedelta(seconds=worked)
    job = Job.objects.create(
        name=name, key=str(Job.objects.count()), state=state, started_at=started, finished_at=ended, **values
    )
    Job.objects.filter(pk=job.pk).update(created_at=started - timedelta(seconds=waited))
    return job


def tally_begins() -> None:
    """What ended within the last hour is counted by the next tally."""
    before = timezone.now() - timedelta(hours=1)
    SiteFigures.objects.update_or_create(name=SiteFigures.JOBS, defaults={"at": before})
