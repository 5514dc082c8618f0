"""Carrying out plans of assignments, as they were shown."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.models import User
from campaign.permissions import held_organised_campaign_or_404, is_assessor
from judging.assigning.selectors.planning import Plan, Planned
from judging.assigning.services.assignments import (
    Changes,
    Extent,
    assignment_add,
    changes_by,
    pool_lock,
    topics_assign,
)
from judging.assigning.services.mails import tell_of_assignments
from judging.models import Assignment
from pooling.models import Pool

CHANGED = (
    "Something was assigned or judged since this was shown. This is the plan as it is now: look at it, then assign."
)


class PlanChangedError(ValidationError):
    """Another plan than the one that was shown would be carried out."""


@transaction.atomic
def plan_carry_out(*, actor: User, pool: Pool, make: Callable[[], Plan], shown: str | None = None) -> list[Assignment]:
    """Assign what the plan says; `shown`: the fingerprint of the one that the organiser has seen."""
    held_organised_campaign_or_404(actor, pool.task.campaign)
    pool_lock(pool)
    plan = make()
    if shown is not None and plan.fingerprint != shown:
        raise PlanChangedError(CHANGED)
    if not plan.rows:
        raise ValidationError(" ".join(["Nothing can be assigned by this plan.", *plan.left_out]))
    return _assign_all(actor, pool, plan)


def _assign_all(actor: User, pool: Pool, plan: Plan) -> list[Assignment]:
    with changes_by(actor) as changes:
        changes.require_room(len(plan.rows))
        created = [assignment for row in plan.rows for assignment in _assign(changes, pool, row)]
        tell_of_assignments(actor, created)
    return created


def _assign(changes: Changes, pool: Pool, row: Planned) -> list[Assignment]:
    who: dict[str, Any] = {"pool": pool, "assessor": row.assessor, "pass_number": row.pass_number}
    if not row.is_repeat and row.share is None:
        return topics_assign(**who, changes=changes, topics=[row.topic], part=row.part, parts=row.parts)
    if not is_assessor(row.assessor, pool.task.campaign):
        raise ValidationError(f"{row.assessor} is not an assessor of {pool.task.campaign} any more.")
    extent = Extent(row.parts, row.part, row.part_seed, row.share, row.share_seed)
    changes.add(1)
    return [assignment_add(**who, actor=changes.actor, topic=row.topic, extent=extent, is_repeat=row.is_repeat)]
