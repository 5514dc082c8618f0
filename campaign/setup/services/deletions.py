"""Deleting what holds nobody else's work: it disappears at once, can be restored for a time, and is then removed for good."""

import logging

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import CASCADE, ProtectedError
from django.utils import timezone

from campaign.log.audit import audit
from campaign.models import Campaign, Task, User
from campaign.models.campaign import KEPT_AFTER_DELETION
from campaign.permissions import get_or_404, held_organised_campaign_or_404, locked_organised_campaign_or_404
from campaign.queue.periodic import by_itself
from campaign.setup.selectors.lifecycle import (
    campaign_deletion_blockers,
    deleted_campaigns,
    deleted_tasks,
    task_deletion_blockers,
)
from campaign.text.plurals import listed, number_of
from campaign.web.daily_limits import require_few_changes

GONE = "This was restored already, or was removed for good."
logger = logging.getLogger(__name__)


@transaction.atomic
def campaign_delete(*, actor: User, campaign: Campaign) -> None:
    """Hide the campaign from everybody, with its tasks; ValidationError where it holds the work of others."""
    locked = locked_organised_campaign_or_404(actor, campaign, with_key=True)
    if held := campaign_deletion_blockers(locked):
        raise ValidationError(f"This campaign holds {listed(held)}. Close or archive it instead.")
    audit(actor, "delete", locked, campaign=locked, title=locked.title)
    locked.deleted_at = timezone.now()
    locked.save(update_fields=["deleted_at"])
    Task.objects.filter(campaign=locked).update(deleted_at=locked.deleted_at)


@transaction.atomic
def campaign_restore(*, actor: User, pk: int) -> Campaign:
    """Bring the campaign back as it was, with the tasks that were deleted with it."""
    campaign = deleted_campaigns(actor).select_for_update().filter(pk=pk).first()
    if campaign is None:
        raise ValidationError(GONE)
    Task.everything.filter(campaign=campaign, deleted_at=campaign.deleted_at).update(deleted_at=None)
    campaign.deleted_at = None
    campaign.save(update_fields=["deleted_at"])
    require_few_changes(actor)
    audit(actor, "restore", campaign, campaign=campaign, title=campaign.title)
    return campaign


@transaction.atomic
def task_delete(*, actor: User, task: Task) -> None:
    """Hide a task that is in its set-up and that nobody has worked on."""
    campaign = held_organised_campaign_or_404(actor, task.campaign)
    locked = get_or_404(Task.objects.select_for_update(of=("self",)), pk=task.pk)
    require_deletable(locked)
    locked.deleted_at = timezone.now()
    locked.save(update_fields=["deleted_at"])
    audit(actor, "delete", locked, campaign=campaign, title=locked.title, slug=locked.slug)


def require_deletable(task: Task) -> None:
    if held := task_deletion_blockers(task):
        raise ValidationError(f"This task cannot be deleted. It has {listed(held)}.")


@transaction.atomic
def task_restore(*, actor: User, pk: int) -> Task:
    task = deleted_tasks(actor).select_for_update(of=("self",)).filter(pk=pk).first()
    if task is None:
        raise ValidationError(GONE)
    task.deleted_at = None
    task.save(update_fields=["deleted_at"])
    require_few_changes(actor)
    audit(actor, "restore", task, campaign=task.campaign, title=task.title)
    return task


def remove_for_good() -> str:
    """Remove what was deleted long ago; its files follow, where nothing else names them. Part of the daily cleaning."""
    before = timezone.now() - KEPT_AFTER_DELETION
    old_tasks = Task.everything.filter(deleted_at__lt=before, campaign__deleted_at=None)
    tasks = by_itself(old_tasks, _removed)
    old = Campaign.everything.filter(deleted_at__lt=before, emptied_at=None)
    campaigns = by_itself(old, _removed)
    return f"deleted campaigns: {number_of(campaigns, 'campaign')}, and {number_of(tasks, 'task')} of others"


def _removed(deleted: Campaign | Task) -> bool:
    held = task_deletion_blockers(deleted) if isinstance(deleted, Task) else campaign_deletion_blockers(deleted)
    if held:  # came in while it was deleted
        logger.error("%s %d was deleted, but holds %s", deleted._meta.verbose_name, deleted.pk, listed(held))
        return False
    try:
        with transaction.atomic():
            same = type(deleted).everything.select_for_update().filter(pk=deleted.pk, deleted_at=deleted.deleted_at)
            if same.first() is None:  # restored in the meantime
                return False
            if isinstance(deleted, Task):
                deleted.delete()
            else:
                _empty(deleted)
    except ProtectedError:
        logger.exception("%s %d was deleted, but something still rests on it", deleted._meta.verbose_name, deleted.pk)
        return False
    return True


def _empty(campaign: Campaign) -> None:
    """Remove all that belongs to the campaign. Its row stays, nameless: the audit log is never deleted, and refers to it."""
    Task.everything.filter(campaign=campaign).update(follows=None)
    Task.everything.filter(campaign=campaign).delete()
    for relation in Campaign._meta.related_objects:
        if relation.on_delete is CASCADE:
            relation.related_model._default_manager.filter(campaign=campaign).delete()  # keeps states
    kept = {"pk": campaign.pk, "created_at": campaign.created_at, "deleted_at": campaign.deleted_at}
    # A leading hyphen stands in no address that somebody can choose.
    Campaign(**kept, slug=f"-{campaign.pk}", title="Deleted campaign", emptied_at=timezone.now()).save(
        force_update=True
    )
