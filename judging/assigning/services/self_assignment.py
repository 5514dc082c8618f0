"""Topics that assessors take themselves, and the rules under which they do."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.log.audit import apply_changes, audit
from campaign.models import Role, Task, Topic, User
from campaign.permissions import (
    held_campaign_or_404,
    held_organised_campaign_or_404,
    locked_organised_campaign_or_404,
)
from campaign.web.daily_limits import require_few_changes
from judging.assigning.selectors.workload import assessor_roles, rules_of, topics_to_take, why_not_take
from judging.assigning.services.assignments import changes_by, pool_lock, topics_assign
from judging.models import AssigningRules, Assignment
from pooling.models import Pool


@transaction.atomic
def topic_take(*, assessor: User, pool: Pool, topic: Topic) -> Assignment:
    """Assign a topic that nobody has to the assessor who asks for it; of several who ask at once the first gets it."""
    held_campaign_or_404(pool.task.campaign)  # nobody takes the role of the assessor away meanwhile
    pool_lock(pool)
    rules = rules_of(pool.task)
    if not rules.topics_are_open:
        raise ValidationError("The organisers assign the topics of this task: none can be taken.")
    if problem := why_not_take(assessor, pool, rules):
        raise ValidationError(problem)
    if not topics_to_take(assessor, pool).filter(pk=topic.pk).exists():
        raise ValidationError(f"Topic {topic.number} is not free any more. Take another one.")
    with changes_by(assessor) as changes:
        [assignment] = topics_assign(changes=changes, pool=pool, topics=[topic], assessor=assessor)
    return assignment


@transaction.atomic
def languages_set(*, actor: User, task: Task, languages: Mapping[int, str]) -> None:
    """Note what assessors read, by the key of their role; roles of other campaigns are left alone."""
    locked_organised_campaign_or_404(actor, task.campaign, with_key=True)  # as whoever gives roles and takes them away
    changed = list[tuple[Role, dict[str, Any]]]()
    for role in assessor_roles(task):
        if changes := apply_changes(role, {"languages": languages.get(role.pk, role.languages)}):
            role.full_clean()
            changed.append((role, changes))
    if changed:
        require_few_changes(actor, len(changed))
    for role, changes in changed:
        role.save(update_fields=["languages"])
        audit(actor, "changed languages of an assessor", role.user, campaign=task.campaign, **changes)


@transaction.atomic
def assigning_rules_set(*, actor: User, task: Task, fields: dict[str, Any]) -> AssigningRules:
    held_organised_campaign_or_404(actor, task.campaign)
    rules, _ = AssigningRules.objects.select_for_update().get_or_create(task=task)
    changes = apply_changes(rules, fields)
    if changes:
        rules.full_clean()
        require_few_changes(actor)
        rules.save()
        audit(actor, "changed rules of assigning", rules, campaign=task.campaign, **changes)
    return rules
