"""What pages show of archives and restorations."""

from dataclasses import dataclass

from django.db.models import QuerySet

from campaign.models import Archive, Campaign, Job, Restoration, User, job_key
from campaign.models.tones import BAD, GOOD, OFF, WORKING

MAKE_ARCHIVE = "make an archive"
"""Done by runpool/jobs.py."""
SHOWN = 50


@dataclass(frozen=True, slots=True)
class ShownArchive:
    """An archive with the job that makes it, and what to say of it in a word."""

    archive: Archive
    job: Job | None

    @property
    def is_unfinished(self) -> bool:
        return not self.archive.made_at and self.job is not None and self.job.is_unfinished

    @property
    def state(self) -> tuple[str, str]:
        if self.archive.file:
            return GOOD, "ready"
        if self.archive.made_at:
            return OFF, "file removed"
        return (WORKING, "being made") if self.is_unfinished else (BAD, "failed")


def campaign_archives(campaign: Campaign) -> list[ShownArchive]:
    rows = list(Archive.objects.filter(campaign=campaign).select_related("task", "created_by")[:SHOWN])
    keys = [job_key({"archive_id": row.pk}) for row in rows]
    jobs = {job.key: job for job in Job.objects.filter(name=MAKE_ARCHIVE, key__in=keys).order_by("pk")}
    return [ShownArchive(row, jobs.get(key)) for row, key in zip(rows, keys, strict=True)]


def same_archives(archive: Archive) -> QuerySet[Archive]:
    """The others that hold the same, as far as it depends on what was asked for."""
    asked = {name: getattr(archive, name) for name in ("campaign_id", "task_id", "documents", "people")}
    return Archive.objects.filter(**asked).exclude(pk=archive.pk)


def shown_archive(archive: Archive) -> ShownArchive:
    jobs = Job.objects.filter(name=MAKE_ARCHIVE, key=job_key({"archive_id": archive.pk}))
    return ShownArchive(archive, jobs.order_by("-pk").first())


def own_restorations(user: User) -> list[Restoration]:
    return list(Restoration.objects.filter(created_by=user).exclude(state=Restoration.DISCARDED)[:10])


def restoration_job(restoration: Restoration) -> Job | None:
    """The newest job about it."""
    return Job.objects.filter(key=job_key({"restoration_id": str(restoration.pk)})).order_by("-pk").first()
