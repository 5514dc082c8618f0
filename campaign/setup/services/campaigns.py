from typing import Any

from django.db import transaction
from django.utils import timezone

from campaign.log.audit import apply_changes, audit
from campaign.models import Campaign, Role, Task, User
from campaign.models.saving import checked_again
from campaign.permissions import locked_organised_campaign_or_404
from campaign.setup.services.people import role_grant
from campaign.setup.services.tasks import task_advance
from campaign.web.daily_limits import require_few_changes, require_few_of_person
from campaign.web.rendered_markdown import require_prose

MOST_CAMPAIGNS_A_DAY = 50


@transaction.atomic
def campaign_create(*, actor: User, slug: str, title: str, **fields: Any) -> Campaign:
    """Create a draft that only its organisers see; the actor is the first of them."""
    campaign = Campaign(slug=slug, title=title, **fields)
    campaign.full_clean()
    require_prose("call", campaign.call)
    with checked_again(campaign.full_clean):
        campaign.save()
    audit(actor, "create", campaign, campaign=campaign, slug=slug, title=title)
    role_grant(actor=actor, campaign=campaign, user=actor, role=Role.ORGANISER)
    require_few_of_person(actor, "campaigns", MOST_CAMPAIGNS_A_DAY)
    return campaign


@transaction.atomic
def campaign_update(*, actor: User, campaign: Campaign, **fields: Any) -> Campaign:
    changed = locked_organised_campaign_or_404(actor, campaign, with_key=True)
    changes = apply_changes(changed, fields)
    if changes:
        changed.full_clean()
        require_prose("call", changed.call)
        changed.save()
        audit(actor, "update", changed, campaign=changed, **changes)
        require_few_changes(actor)
    return changed


@transaction.atomic
def campaign_open(*, actor: User, campaign: Campaign, task: Task | None = None) -> Campaign:
    """Open the campaign: everybody sees it and teams may register. Opening it again changes nothing.

    `task`: a task of it in its set-up, which is opened for runs with it.
    """
    opened = locked_organised_campaign_or_404(actor, campaign, with_key=True)
    if opened.opened_at is None:
        opened.opened_at = timezone.now()
        opened.save(update_fields=["opened_at"])
        audit(actor, "open", opened, campaign=opened)
    if task is not None:
        task_advance(actor=actor, task=task, phase=Task.RUNS)
    return opened
