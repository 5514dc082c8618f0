"""How the site itself is doing: the queue, the database, the storage."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from django.core.files.storage import FileSystemStorage, default_storage
from django.db import DatabaseError, transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from campaign.models import Job


@dataclass(frozen=True, slots=True)
class Health:
    database: bool
    storage: bool
    oldest_waiting_job_seconds: int | None

    @property
    def ok(self) -> bool:
        return self.database and self.storage


def jobs_in(state: str) -> QuerySet[Job]:
    """Newest first; of the failed ones, `is_superseded` says that the same work was asked for again since."""
    newer = Job.objects.filter(name=OuterRef("name"), key=OuterRef("key"), pk__gt=OuterRef("pk"))
    return Job.objects.filter(state=state).annotate(is_superseded=Exists(newer)).order_by("-pk")


def job_counts() -> dict[str, int]:
    counted = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    return {state: counted.get(state, 0) for state in Job.STATES}


def health() -> Health:
    storage = _storage_is_writable()
    try:
        with transaction.atomic():
            age = oldest_waiting_job_seconds()
    except DatabaseError:
        return Health(database=False, storage=storage, oldest_waiting_job_seconds=None)
    return Health(database=True, storage=storage, oldest_waiting_job_seconds=age)


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
