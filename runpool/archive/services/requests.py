"""What people ask for: an archive of their campaign, and an archive restored."""

from pathlib import PurePath
from typing import BinaryIO

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db import transaction
from django.utils import timezone

from campaign.database import clock
from campaign.log.audit import ASK_FOR_ARCHIVE, audit
from campaign.models import Archive, Campaign, Restoration, Task, User
from campaign.permissions import locked_organised_campaign_or_404, require_founder
from campaign.queue.jobs import enqueue, enqueue_first
from campaign.storage import FileTooLargeError, store
from campaign.storage.room import taking_in
from campaign.web.daily_limits import DAY, require_few_of_person, require_few_rows
from runpool.archive.selectors import MAKE_ARCHIVE, restoration_job, same_archives, shown_archive
from runpool.archive.services.restoring import draft_slug

CHECK_ARCHIVE, RESTORE_ARCHIVE = "check an archive", "restore an archive"
"""Done by runpool/jobs.py."""
FOLDER = "restorations"
MOST_ARCHIVES_A_DAY = 20
"""Of a campaign, for one person."""
MOST_RESTORATIONS = 10
"""Of a person, before one is restored or discarded. And those discarded within a day."""
MOST_RESTORED_A_DAY = 50
"""By one person: each is a whole campaign."""
KEEP_A_FILE = (Restoration.CHECKING, Restoration.READY, Restoration.BAD, Restoration.RESTORING)


@transaction.atomic
def archive_request(
    *,
    actor: User,
    campaign: Campaign,
    task: Task | None = None,
    documents: str = Archive.DOCNOS,
    people: str = Archive.PSEUDONYMS,
) -> Archive:
    """Ask for an archive; a job makes it. One that is being made already is the answer to whoever asks for the same."""
    archive = Archive(campaign=campaign, task=task, documents=documents, people=people, created_by=actor)
    if task is not None and task.campaign_id != campaign.pk:
        raise ValidationError({"task": "This is a task of another campaign."})
    archive.full_clean(exclude=["made_at"])
    locked_organised_campaign_or_404(actor, campaign)  # two tabs that ask at once
    for earlier in same_archives(archive).filter(file="", made_at=None):
        if shown_archive(earlier).is_unfinished:
            return earlier
    given, what = Archive.objects.filter(campaign=campaign), "archives of this campaign"
    require_few_rows(given, "created_at", {"created_by": actor}, MOST_ARCHIVES_A_DAY, what)
    archive.save()
    said = {"task": task.slug if task else "", "documents": documents, "people": people}
    audit(actor, ASK_FOR_ARCHIVE, archive, campaign=campaign, **said)
    enqueue_first(MAKE_ARCHIVE, archive_id=archive.pk)
    return archive


def restoration_receive(
    *, actor: User, file: "BinaryIO | File[bytes]", file_name: str, limit: int | None = None
) -> Restoration:
    """Store an archive and have it checked. Nothing is restored before `restoration_confirm`."""
    require_founder(actor)
    _require_few_waiting(actor)
    try:
        with taking_in():
            stored = store(file, folder=FOLDER, suffix=".zip", limit=limit or settings.UPLOAD_LIMIT_BYTES)
    except FileTooLargeError as problem:
        raise ValidationError({"file": f"{problem} Operators restore larger ones by a command."}) from problem
    name = PurePath(file_name).name[-200:]
    restoration = Restoration(
        file_name=name, size=stored.size, sha256=stored.sha256, created_by=actor, file=stored.name
    )
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=actor.pk)
        _require_few_waiting(actor)  # others may have come in while this one was stored
        restoration.full_clean(exclude=["file", "finished_at", "campaign"])
        restoration.save()
        audit(actor, "receive", restoration, campaign=None, file=name, sha256=stored.sha256)
        enqueue(CHECK_ARCHIVE, restoration_id=str(restoration.pk))
    return restoration


def _require_few_waiting(actor: User) -> None:
    own = Restoration.objects.filter(created_by=actor)
    waiting = own.filter(state__in=KEEP_A_FILE).exclude(file="").count()
    discarded = own.filter(clock.within("finished_at", DAY, timezone.now()), state=Restoration.DISCARDED).count()
    if waiting >= MOST_RESTORATIONS:
        raise ValidationError(f"{MOST_RESTORATIONS} archives that you gave wait here. Restore or discard one first.")
    if discarded >= MOST_RESTORATIONS:
        raise ValidationError(f"You have discarded {MOST_RESTORATIONS} archives within a day. Go on tomorrow.")


def restoration_confirm(*, actor: User, restoration: Restoration, slug: str) -> None:
    """Have a checked archive restored at this address; one whose job failed is tried again."""
    require_founder(actor)
    with transaction.atomic():
        locked = Restoration.objects.select_for_update().get(pk=restoration.pk)
        if locked.state == Restoration.READY:
            _require_free(locked, slug)
            locked.state, locked.slug = Restoration.RESTORING, slug
            locked.save(update_fields=["state", "slug"])
            require_few_of_person(actor, "restorations", MOST_RESTORED_A_DAY)
            audit(actor, "confirm", locked, campaign=None, slug=slug)
        elif not restoration_is_stuck(locked):
            return
        enqueue(RESTORE_ARCHIVE, restoration_id=str(locked.pk))


def _require_free(restoration: Restoration, slug: str) -> None:
    field = Campaign._meta.get_field("slug")
    try:
        field.run_validators(slug)
    except ValidationError as problem:
        raise ValidationError({"slug": problem.messages}) from problem
    if Campaign.objects.filter(slug=slug).exists():
        raise ValidationError({"slug": "This address is not free. Choose another."})


def restoration_discard(*, actor: User, restoration: Restoration) -> None:
    """Give an archive up before it is restored."""
    with transaction.atomic():
        locked = Restoration.objects.select_for_update().get(pk=restoration.pk)
        if locked.state not in (Restoration.READY, Restoration.BAD) and not restoration_is_stuck(locked):
            raise ValidationError(f"This archive is {locked.get_state_display()}: it cannot be discarded now.")
        Campaign.objects.filter(slug=draft_slug(locked), opened_at=None).delete()
        locked.state, locked.finished_at = Restoration.DISCARDED, timezone.now()
        locked.save(update_fields=["state", "finished_at"])
        audit(actor, "discard", locked, campaign=None)


def restoration_is_stuck(restoration: Restoration) -> bool:
    """Whether it waits for a job that failed for good, or is lost."""
    waits = restoration.state in (Restoration.CHECKING, Restoration.RESTORING)
    job = restoration_job(restoration)
    return waits and (job is None or not job.is_unfinished)
