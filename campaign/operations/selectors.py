"""The health of the site: queue, database, storage, stored files."""

import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.core.files.storage import FileSystemStorage, default_storage
from django.db import DatabaseError, transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from campaign.models import DamagedFile, Job
from campaign.storage.inventory import users_of
from campaign.storage.room import free_bytes, has_room

CLEAN = "clean"
MOST_DAMAGE_SHOWN = 50
NO_WORKER_AFTER = timedelta(minutes=5)
"""Jobs that wait this long while none is taken: no worker runs, or it cannot reach the queue."""


@dataclass(frozen=True, slots=True)
class Health:
    """`takes_uploads`: enough disk is free; `free_bytes`: None if that cannot be told; `damaged_files`: not yet restored."""

    database: bool
    storage: bool
    oldest_waiting_job_seconds: int | None
    no_worker: str
    free_bytes: int | None
    takes_uploads: bool
    damaged_files: int | None

    @property
    def ok(self) -> bool:
        return self.database and self.storage


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
    is_writable = _storage_is_writable()
    try:
        with transaction.atomic():
            waiting, absence, damaged = oldest_waiting_job_seconds(), no_worker(), damaged_files().count()
            answers = True
    except DatabaseError:
        waiting, absence, damaged, answers = None, "", None, False
    return Health(
        database=answers,
        storage=is_writable,
        oldest_waiting_job_seconds=waiting,
        no_worker=absence,
        free_bytes=free_bytes() if is_writable else None,
        takes_uploads=is_writable and has_room(),
        damaged_files=damaged,
    )


def damaged_files() -> QuerySet[DamagedFile]:
    """Those that are not restored yet."""
    return DamagedFile.objects.filter(restored_at=None)


def damage_in_words() -> list[tuple[DamagedFile, list[str]]]:
    """Each damaged file with what rests on it."""
    return [(damaged, users_of(damaged.name)) for damaged in damaged_files()[:MOST_DAMAGE_SHOWN]]


def last_cleaning() -> Job | None:
    return Job.objects.filter(name=CLEAN, state=Job.DONE).order_by("-pk").first()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job stands. `ahead`: jobs at work or waiting longer; `oldest_at`: since when the oldest of them is there."""

    ahead: int
    oldest_at: datetime | None


def place_in_queue(job: Job) -> Place:
    ahead = Job.objects.filter(Q(state=Job.WORKING) | Q(state=Job.QUEUED, pk__lt=job.pk)).exclude(pk=job.pk)
    place = ahead.order_by().aggregate(ahead=Count("pk"), oldest_at=Min("created_at"))
    return Place(**place)


def no_worker() -> str:
    """A sentence if jobs wait and no worker has taken or continued one for minutes; else empty."""
    now = timezone.now()
    seen = Job.objects.order_by().aggregate(
        waiting_since=Min("created_at", filter=Q(state=Job.QUEUED)),
        beat_at=Max("heartbeat_at"),
        finished_at=Max("finished_at"),
    )
    if seen["waiting_since"] is None:
        return ""
    last = max(at for at in seen.values() if at is not None)
    minutes = int((now - last).total_seconds() // 60)
    return f"no worker has taken a job for {minutes:,} minutes" if now - last >= NO_WORKER_AFTER else ""


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
