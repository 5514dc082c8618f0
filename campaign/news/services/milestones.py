from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.log.audit import apply_changes, audit
from campaign.models import Campaign, Milestone, User
from campaign.permissions import locked_organised_campaign_or_404
from campaign.web.daily_limits import require_few_changes

MOST_MILESTONES = 50


@transaction.atomic
def milestone_add(*, actor: User, campaign: Campaign, label: str, at: datetime, link: str = "") -> Milestone:
    locked_organised_campaign_or_404(actor, campaign)
    if campaign.milestones.count() >= MOST_MILESTONES:
        raise ValidationError(f"A campaign has at most {MOST_MILESTONES} milestones. Remove one first.")
    milestone = Milestone(campaign=campaign, label=label, at=at, link=link)
    milestone.full_clean()
    milestone.save()
    audit(actor, "add milestone", milestone, campaign=campaign, label=label, at=at.isoformat(), link=link)
    return milestone


@transaction.atomic
def milestone_update(*, actor: User, milestone: Milestone, label: str, at: datetime, link: str = "") -> Milestone:
    changed = _locked(actor, milestone)
    changes = apply_changes(changed, {"label": label, "at": at, "link": link})
    if changes:
        changed.full_clean()
        changed.save()
        audit(actor, "change milestone", changed, campaign=changed.campaign, **changes)
        require_few_changes(actor)
    return changed


@transaction.atomic
def milestone_remove(*, actor: User, milestone: Milestone) -> None:
    removed = _locked(actor, milestone)
    audit(actor, "remove milestone", removed, campaign=removed.campaign, label=removed.label, at=removed.at.isoformat())
    require_few_changes(actor)
    removed.delete()


def _locked(actor: User, milestone: Milestone) -> Milestone:
    locked_organised_campaign_or_404(actor, milestone.campaign)
    rows = Milestone.objects.select_for_update(of=("self",)).select_related("campaign")
    locked = rows.filter(pk=milestone.pk).first()
    if locked is None:
        raise ValidationError("This milestone was removed a moment ago.")
    return locked
