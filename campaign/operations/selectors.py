"""The health of the site: database, storage, stored files, queue, sweep, workers."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import DatabaseError, transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from campaign.broker import broker_answers
from campaign.models import DamagedFile, Job, LastSeen, Verification
from campaign.operations.restarts import restarts_in_words
from campaign.queues import GENERAL
from campaign.storage.inventory import users_of
from campaign.storage.room import free_bytes, has_room

CLEAN, VERIFY = "clean", "verify"
MOST_DAMAGE_SHOWN = 50
NO_WORKER_AFTER = timedelta(minutes=5)
"""Jobs that wait this long while none is taken: no worker runs, or it cannot reach the queue."""


NO_SWEEP_AFTER = timedelta(seconds=150)
"""Five sweeps in a row are missing."""


@dataclass(frozen=True, slots=True)
class Health:
    """`beat`: seconds since the last sweep, None if there was none. Texts are sentences, empty where all is well.

    `takes_uploads`: enough disk is free; `free_bytes`: None if that cannot be told; `damaged_files`: not yet restored.
    `findings`: of the last verification, None before any.
    """

    database: bool
    storage: bool
    broker: bool
    beat: int | None
    oldest_waiting_job_seconds: int | None
    no_worker: str
    no_sweep: str
    restarts: str
    free_bytes: int | None
    takes_uploads: bool
    damaged_files: int | None
    findings: int | None

    @property
    def status(self) -> str:
        """`failing`: this server cannot do its work. `degraded`: it can, but jobs wait for a part that does not run."""
        if not (self.database and self.storage):
            return "failing"
        return "ok" if self.broker and not self.no_worker and not self.no_sweep else "degraded"


def jobs_in(state: str) -> QuerySet[Job]:
    """Newest first; `is_superseded` marks failed jobs whose work was requested again since."""
    return Job.objects.filter(state=state).annotate(is_superseded=Exists(_newer())).order_by("-pk")


def superseded_jobs() -> QuerySet[Job]:
    """Failed jobs whose work was requested again since."""
    return Job.objects.filter(Exists(_newer()), state=Job.FAILED)


def _newer() -> QuerySet[Job]:
    return Job.objects.filter(name=OuterRef("name"), key=OuterRef("key"), pk__gt=OuterRef("pk"))


def job_counts() -> dict[str, int]:
    counted = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    return {state: counted.get(state, 0) for state in Job.STATES}


def health() -> Health:
    queue = _Queue(None, None, "", "", None, None)
    try:
        with transaction.atomic():
            queue, database = _queue(), True
    except DatabaseError:
        database = False
    storage = _storage_is_writable()
    return Health(
        database=database,
        storage=storage,
        broker=broker_answers(),
        restarts=restarts_in_words(settings.DATA_DIR / "logs"),
        free_bytes=free_bytes() if storage else None,
        takes_uploads=storage and has_room(),
        **queue._asdict(),
    )


class _Queue(NamedTuple):
    """What the database tells of the queue and of stored files."""

    beat: int | None
    oldest_waiting_job_seconds: int | None
    no_worker: str
    no_sweep: str
    damaged_files: int | None
    findings: int | None


def _queue() -> _Queue:
    swept = LastSeen.objects.filter(name=LastSeen.SWEEP).first()
    since = None if swept is None else timezone.now() - swept.at
    return _Queue(
        beat=None if since is None else max(0, int(since.total_seconds())),
        oldest_waiting_job_seconds=oldest_waiting_job_seconds(),
        no_worker=no_worker(),
        no_sweep=_no_sweep(since),
        damaged_files=damaged_files().count(),
        findings=findings_of_last(),
    )


def _no_sweep(since: timedelta | None) -> str:
    if since is None:
        return "no sweep has run yet"
    return f"no sweep has run for {_minutes(since)} minutes" if since >= NO_SWEEP_AFTER else ""


def damaged_files() -> QuerySet[DamagedFile]:
    """Those that are not restored yet."""
    return DamagedFile.objects.filter(restored_at=None)


def damage_in_words() -> list[tuple[DamagedFile, list[str]]]:
    """Each damaged file with what rests on it."""
    return [(damaged, users_of(damaged.name)) for damaged in damaged_files()[:MOST_DAMAGE_SHOWN]]


def last_verification() -> Verification | None:
    return Verification.objects.order_by("-pk").first()


def findings_of_last() -> int | None:
    return Verification.objects.order_by("-pk").values_list("found", flat=True).first()


def verification_under_way() -> bool:
    return Job.objects.filter(name=VERIFY, state__in=[Job.QUEUED, Job.WORKING]).exists()


def last_cleaning() -> Job | None:
    return Job.objects.filter(name=CLEAN, state=Job.DONE).order_by("-pk").first()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job stands. `ahead`: jobs at work or waiting longer; `oldest_at`: since when the oldest of them is there."""

    ahead: int
    oldest_at: datetime | None


def place_in_queue(job: Job) -> Place:
    """Jobs of other queues stand in nobody's way: workers take from each in turn."""
    ahead = Job.objects.filter(Q(state=Job.WORKING) | Q(state=Job.QUEUED, pk__lt=job.pk), queue=job.queue)
    place = ahead.exclude(pk=job.pk).order_by().aggregate(ahead=Count("pk"), oldest_at=Min("created_at"))
    return Place(**place)


def no_worker(queue: str = "") -> str:
    """A sentence if jobs of the queue, or of any, wait and no worker has taken or continued one of it for minutes."""
    jobs = Job.objects.filter(queue=queue) if queue else Job.objects.all()
    seen = (
        jobs.order_by("queue")
        .values("queue")
        .annotate(
            waiting_since=Min("created_at", filter=Q(state=Job.QUEUED)),
            beat_at=Max("heartbeat_at"),
            ended_at=Max("finished_at"),
        )
    )
    now = timezone.now()
    silent = {one["queue"]: since for one in seen if (since := _silence(one, now)) >= NO_WORKER_AFTER}
    if not silent:
        return ""
    names = (
        ""
        if queue or set(silent) == {GENERAL}
        else f" of the queue{'s' if len(silent) > 1 else ''} {' and '.join(sorted(silent))}"
    )
    return f"no worker has taken a job{names} for {_minutes(max(silent.values()))} minutes"


def _silence(seen: Mapping[str, Any], now: datetime) -> timedelta:
    """How long jobs have been waiting with no worker to be seen."""
    if seen["waiting_since"] is None:
        return timedelta(0)
    last: datetime = max(at for at in (seen["waiting_since"], seen["beat_at"], seen["ended_at"]) if at is not None)
    return now - last


def _minutes(time: timedelta) -> str:
    return f"{int(time.total_seconds() // 60):,}"


def oldest_waiting_job_seconds() -> int | None:
    oldest = Job.objects.filter(state=Job.QUEUED).order_by("created_at").first()
    return None if oldest is None else max(0, int((timezone.now() - oldest.created_at).total_seconds()))


def _storage_is_writable() -> bool:
    try:
        if isinstance(default_storage, FileSystemStorage):
            folder = Path(default_storage.location)
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(b"probe")
        else:
            default_storage.exists("probe")
    except OSError:
        return False
    return True
