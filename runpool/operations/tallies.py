"""Figures on jobs that have ended, and on what is stored, kept as rows: the sweep and the cleaning bring them up to date.

To count a month's jobs at each look would read all of them. The sweep counts those that ended since it last did: each is
read once.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from campaign import clock, queues
from campaign.models import Job, SiteFigures
from campaign.readable import Unreadable, readable_rows
from campaign.storage.inventory import stored_sizes
from runpool.operations.metrics.buckets import JOB_BOUNDS, Durations

LAG = timedelta(seconds=10)
"""An end is counted only then: clocks of workers differ, and a transaction may be seen after a later one."""
MOST_AT_ONCE = 20_000
SWEEPS_KEPT = 50
logger = logging.getLogger(__name__)


@transaction.atomic
def ended_jobs_tally() -> int:
    """Count the jobs that ended since the last call; returns how many."""
    row = _locked_row(SiteFigures.JOBS)
    ended = Job.objects.filter(queue__in=queues.ALL, finished_at__gt=row.at, finished_at__lte=clock.now() - LAG)
    upto = _end_of_part(ended, row)
    number = 0
    columns = ("name", "state", "created_at", "started_at", "finished_at")
    for job in readable_rows(ended.filter(finished_at__lte=upto).only(*columns)):
        if isinstance(job, Unreadable):
            logger.error("%s is not counted, for it cannot be read: %s", job.name, job.problem)
            continue
        _count(row.values.setdefault(job.name, {}), job)
        number += 1
    row.at = upto
    row.save()
    return number


def _end_of_part(ended: Any, row: SiteFigures) -> datetime:
    """Until when this call counts: after a long stop the rest is left to the next. What ends at one moment is not divided."""
    last: datetime | None = (
        ended.order_by("finished_at").values_list("finished_at", flat=True)[MOST_AT_ONCE : MOST_AT_ONCE + 1].first()
    )
    return last or max(row.at, clock.now() - LAG)


def _count(tally: dict[str, Any], job: Job) -> None:
    tally[job.state] = tally.get(job.state, 0) + 1
    if job.started_at is None or job.finished_at is None:  # ended without a worker
        return
    worked = Durations.from_json(JOB_BOUNDS, tally.get("worked"))
    worked.add(max(0.0, (job.finished_at - job.started_at).total_seconds()))
    tally["worked"] = worked.to_json()
    tally["waited"] = tally.get("waited", 0.0) + max(0.0, (job.started_at - job.created_at).total_seconds())


def _locked_row(name: str) -> SiteFigures:
    SiteFigures.objects.get_or_create(name=name, defaults={"at": clock.now() - LAG})
    return SiteFigures.objects.select_for_update().get(name=name)


def tally(name: str) -> dict[str, Any]:
    found = SiteFigures.objects.filter(name=name).first()
    return found.values if found else {}


@dataclass(frozen=True, slots=True)
class StorageUse:
    """`folders`: name, files and bytes of each, the largest first."""

    at: datetime
    folders: list[tuple[str, int, int]]


def storage_use() -> StorageUse | None:
    """As the last cleaning found it."""
    found = SiteFigures.objects.filter(name=SiteFigures.STORAGE).first()
    if found is None:
        return None
    folders = [(name, files, size) for name, (files, size) in found.values["folders"].items()]
    return StorageUse(found.at, sorted(folders, key=lambda folder: (-folder[2], folder[0])))


def sweeps_that_sent() -> list[tuple[datetime, int]]:
    """The last sweeps that sent jobs again, newest first, with how many."""
    return [(datetime.fromisoformat(at), sent) for at, sent in tally(SiteFigures.SWEEPS).get("newest", [])]


def storage_measure() -> None:
    """Note how many files and bytes each folder of the storage holds."""
    values = {folder: list(sizes) for folder, sizes in stored_sizes().items()}
    SiteFigures.objects.update_or_create(
        name=SiteFigures.STORAGE, defaults={"at": clock.now(), "values": {"folders": values}}
    )


@transaction.atomic
def sweep_note(sent: int) -> None:
    """Remember a sweep that sent jobs again, for the page of operations."""
    if not sent:
        return
    row = _locked_row(SiteFigures.SWEEPS)
    newest = [[clock.now().isoformat(timespec="seconds"), sent], *row.values.get("newest", [])]
    row.values = {"newest": newest[:SWEEPS_KEPT], "sent": row.values.get("sent", 0) + sent}
    row.at = clock.now()
    row.save()
