"""Closing, reopening, archiving: what stops in a campaign for participants, and what for everybody."""

from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from campaign.log.audit import ARCHIVE, UNARCHIVE, audit
from campaign.models import Campaign, User
from campaign.permissions import locked_organised_campaign_or_404
from campaign.setup.selectors import lifecycle
from campaign.setup.selectors.lifecycle import work_under_way
from campaign.web.daily_limits import require_few_changes


@transaction.atomic
def campaign_close(*, actor: User, campaign: Campaign) -> Campaign:
    """No registrations, runs and judgments any more; closing again changes nothing."""
    locked = locked_organised_campaign_or_404(actor, campaign, with_key=True)
    if locked.opened_at is None:
        raise ValidationError("This campaign is a draft: there is nothing to close.")
    if locked.closed_at is None:
        locked.closed_at = timezone.now()
        locked.save(update_fields=["closed_at"])
        audit(actor, "close", locked, campaign=locked)
    return locked


@transaction.atomic
def campaign_reopen(*, actor: User, campaign: Campaign) -> Campaign:
    locked = locked_organised_campaign_or_404(actor, campaign, with_key=True)
    if locked.archived_at is not None:
        raise ValidationError("This campaign is archived. Take it out of the archive first.")
    if locked.closed_at is not None:
        locked.closed_at = None
        locked.save(update_fields=["closed_at"])
        require_few_changes(actor)
        audit(actor, "reopen", locked, campaign=locked)
    return locked


@transaction.atomic
def campaign_archive(*, actor: User, campaign: Campaign) -> Campaign:
    """Nothing in it changes any more. Refused while jobs work for it: what they write would be refused."""
    locked = locked_organised_campaign_or_404(actor, campaign, with_key=True)
    if locked.opened_at is None:
        raise ValidationError("This campaign is a draft. Delete it, or open it first.")
    if problem := work_under_way(locked):
        raise ValidationError(problem)
    if locked.archived_at is None:
        locked.archived_at = timezone.now()
        locked.closed_at = locked.closed_at or locked.archived_at
        locked.save(update_fields=["archived_at", "closed_at"])
        audit(actor, ARCHIVE, locked, campaign=locked)
    return locked


@transaction.atomic
def campaign_unarchive(*, actor: User, campaign: Campaign) -> Campaign:
    """Organisers can change it again; for all others it stays closed."""
    locked = locked_organised_campaign_or_404(actor, campaign, with_key=True)
    if locked.archived_at is not None:
        locked.archived_at = None
        locked.save(update_fields=["archived_at"])
        require_few_changes(actor)
        audit(actor, UNARCHIVE, locked, campaign=locked)
    return locked


ACTS: dict[str, Callable[..., Campaign]] = {
    lifecycle.CLOSE: campaign_close,
    lifecycle.REOPEN: campaign_reopen,
    lifecycle.ARCHIVE: campaign_archive,
    lifecycle.UNARCHIVE: campaign_unarchive,
}
