"""Figures on jobs that have ended, and on what is stored, kept as rows: the sweep and the cleaning bring them up to date.

To count a month's jobs at each look would read all of them. The sweep counts those that ended since it last did: each is
read once.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Any

from django.db import transaction

from campaign import queues
from campaign.database import clock
from campaign.database.readable import Unreadable, readable_rows
from campaign.models import Job, SiteFigures
from campaign.storage.inventory import stored_sizes
from runpool.operations.metrics.buckets import JOB_BOUNDS, Durations

LAG = timedelta(seconds=10)
"""An end is counted only then: clocks of workers differ, and a transaction may be seen after a later one."""
MOST_AT_ONCE = 20_000
SWEEPS_KEPT = 50
MEASURES_KEPT = 31
"""Of the storage, one of each cleaning: what a folder grew by is told over a month."""
WORK_KEPT = 5
"""Of each step of the sweep, the last runs in which it did something or failed: most find nothing to do."""
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
    # Without its moment, which may be one that cannot be read.
    values: dict[str, Any] | None = SiteFigures.objects.filter(name=name).values_list("values", flat=True).first()
    return values or {}


@dataclass(frozen=True, slots=True)
class StorageUse:
    """`folders`: name, files, bytes, and what these grew by since `since`, the oldest measure that is kept; the largest first."""

    at: datetime
    since: datetime
    folders: list[tuple[str, int, int, int]]


def storage_use() -> StorageUse | None:
    """As the last cleaning found it. None before the first."""
    measures = tally(SiteFigures.STORAGE).get("measures")
    if not measures:
        return None
    (at, now), (since, before) = measures[0], measures[-1]
    folders = [(name, files, size, size - before.get(name, [0, 0])[1]) for name, (files, size) in now.items()]
    ordered = sorted(folders, key=lambda folder: (-folder[2], folder[0]))
    return StorageUse(datetime.fromisoformat(at), datetime.fromisoformat(since), ordered)


def sweeps_that_sent() -> list[tuple[datetime, int]]:
    """The last sweeps that sent jobs again, newest first, with how many."""
    return [(datetime.fromisoformat(at), sent) for at, sent in tally(SiteFigures.SWEEPS).get("newest", [])]


def storage_measure() -> None:
    """Note how many files and bytes each folder of the storage holds, beside the measures of the last month."""
    folders = {folder: list(sizes) for folder, sizes in stored_sizes().items()}
    now = clock.now()
    measures = [[now.isoformat(timespec="seconds"), folders], *tally(SiteFigures.STORAGE).get("measures", [])]
    values = {"folders": folders, "measures": measures[:MEASURES_KEPT]}
    row = SiteFigures(name=SiteFigures.STORAGE, at=now, values=values)
    # One statement: another cleaning may add the row meanwhile, and the moment of the row that is there may be unreadable.
    SiteFigures.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["name"], update_fields=["at", "values"]
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


@dataclass(frozen=True, slots=True)
class StepRun:
    """A run of a step of the sweep. `number`: what it says that it did, None where it says nothing."""

    name: str
    at: datetime
    milliseconds: int
    number: int | None
    failed: bool

    @property
    def in_words(self) -> str:
        if self.failed:
            return "failed"
        return "nothing to do" if not self.number else f"{self.number:,}"


def timed(step: Callable[[], object], note: Callable[[StepRun], None]) -> Callable[[], object]:
    """The step, which says when it ran, for how long and with what result."""

    @wraps(step)
    def run() -> object:
        at, start = clock.now(), time.perf_counter()
        result: object = None
        failed = True
        try:
            result = step()
            failed = False
        finally:
            number = result if isinstance(result, int) else None
            note(StepRun(step.__name__, at, round(1000 * (time.perf_counter() - start)), number, failed))
        return result

    return run


@transaction.atomic
def steps_note(runs: Iterable[StepRun]) -> None:
    """Remember the last run of each step of the sweep, and the last ones in which it did something or failed."""
    row = _locked_row(SiteFigures.STEPS)
    before = {name: work for name, _, work in row.values.get("steps", [])}
    steps = []  # in the order of the sweep, which an object of the database would lose
    for run in runs:
        told = [run.at.isoformat(timespec="seconds"), run.milliseconds, run.number, run.failed]
        work = before.get(run.name, [])
        steps.append([run.name, told, [told, *work][:WORK_KEPT] if run.number or run.failed else work])
    row.at, row.values = clock.now(), {"steps": steps}
    row.save()


def steps_of_the_sweep() -> list[tuple[StepRun, list[StepRun]]]:
    """Each step by its last run, with the last runs in which it did something or failed, newest first."""
    return [
        (_step_run(name, last), [_step_run(name, told) for told in work])
        for name, last, work in tally(SiteFigures.STEPS).get("steps", [])
    ]


def _step_run(name: str, told: Sequence[Any]) -> StepRun:
    at, *rest = told
    return StepRun(name.replace("_", " "), datetime.fromisoformat(at), *rest)
