"""Who judges which topics."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from campaign.audit import audit
from campaign.models import Topic, User
from campaign.permissions import is_assessor
from judging.models import Assignment
from judging.services.claims import close_or_reopen
from pooling.models import Pool
from pooling.selectors.sizes import pooled_topics, topic_sizes


@transaction.atomic
def assignments_create(
    *, actor: User, pool: Pool, topics: Sequence[Topic], assessor: User, pass_number: int = 1
) -> list[Assignment]:
    """Assign topics of a pool to an assessor; returns the new assignments.

    Of those who have a topic in this pass already, who judges on alone is the new assessor: the others stop, and what they
    graded stays. In a pool that grows they go on side by side, each with documents of their own. One that was handed over
    comes back to its assessor.
    """
    _check(pool, topics, assessor, pass_number)
    assigned = set(
        Assignment.objects.select_for_update()
        .filter(pool=pool, assessor=assessor, pass_number=pass_number)
        .values_list("topic_id", flat=True)
    )
    created = []
    for topic in topics:
        if not pool.grows:
            _hand_over(actor, pool, topic, assessor, pass_number)
        if topic.pk in assigned:
            continue
        assignment = Assignment(pool=pool, topic=topic, assessor=assessor, pass_number=pass_number, assigned_by=actor)
        assignment.full_clean()
        assignment.save()
        created.append(assignment)
        audit(
            actor,
            "assigned",
            assignment,
            campaign=pool.task.campaign,
            topic=topic.number,
            assessor=assessor.username,
            pool=pool.version,
            pass_number=pass_number,
        )
    return created


def _hand_over(actor: User, pool: Pool, topic: Topic, assessor: User, pass_number: int) -> None:
    same_pass = Assignment.objects.select_for_update().filter(pool=pool, topic=topic, pass_number=pass_number)
    close_or_reopen(_returned(same_pass.filter(assessor=assessor).exclude(handed_over_at=None)))
    for earlier in same_pass.filter(handed_over_at=None).exclude(assessor=assessor).select_related("assessor"):
        now = timezone.now()
        Assignment.objects.filter(pk=earlier.pk).update(handed_over_at=now, handed_over_to=assessor, finished_at=now)
        facts = {"topic": topic.number, "pool": pool.version, "pass_number": pass_number}
        names = {"from": earlier.assessor.username, "to": assessor.username}
        audit(actor, "handed over", earlier, campaign=pool.task.campaign, **facts, **names)


def _returned(assignments: QuerySet[Assignment]) -> list[Assignment]:
    rows = list(assignments.values_list("pk", flat=True))
    Assignment.objects.filter(pk__in=rows).update(handed_over_at=None, handed_over_to=None)
    return list(Assignment.objects.filter(pk__in=rows).select_related("pool__task", "topic"))


def _check(pool: Pool, topics: Sequence[Topic], assessor: User, pass_number: int) -> None:
    campaign = pool.task.campaign
    if not is_assessor(assessor, campaign):
        raise ValidationError(
            f"{assessor} is not an assessor of {campaign}. Invite them on the campaign's people page."
        )
    if pass_number < 1:
        raise ValidationError("Passes are counted from 1.")
    if not topics:
        raise ValidationError("Choose at least one topic.")
    pooled = pooled_topics(pool)
    other_passes = Assignment.objects.filter(pool__task=pool.task_id, topic__in=topics, assessor=assessor)
    doubled = other_passes.exclude(pass_number=pass_number).select_related("topic").first()
    if doubled is not None:
        raise ValidationError(
            f"{assessor} judges topic {doubled.topic.number} in pass {doubled.pass_number} already. Another pass is a second "
            "opinion: give it to somebody else."
        )
    missing = [topic.number for topic in topics if topic.pk not in pooled]
    if missing:
        raise ValidationError(f"Pool {pool.version} has no documents for topic {', '.join(missing)}: nothing to judge.")


@transaction.atomic
def assignments_distribute(
    *, actor: User, pool: Pool, assessors: Sequence[User], pass_number: int = 1
) -> list[Assignment]:
    """Assign the topics without an assessor in this pass: the largest first, each to the assessor with the fewest documents."""
    if not assessors:
        raise ValidationError("Choose at least one assessor.")
    loads = dict.fromkeys(assessors, 0)
    sizes = topic_sizes(pool)
    taken = Assignment.objects.filter(pool=pool, pass_number=pass_number)
    for assignment in taken.select_related("assessor"):
        if assignment.assessor in loads:
            loads[assignment.assessor] += sizes.get(assignment.topic_id, 0)
    free = pool.task.topics.filter(pk__in=sizes).exclude(pk__in=taken.values("topic"))
    shares: dict[User, list[Topic]] = {assessor: [] for assessor in assessors}
    for topic in sorted(free, key=lambda one: (-sizes[one.pk], one.position)):
        assessor = min(loads, key=lambda one: (loads[one], assessors.index(one)))
        shares[assessor].append(topic)
        loads[assessor] += sizes[topic.pk]
    return [
        assignment
        for assessor, topics in shares.items()
        if topics
        for assignment in assignments_create(
            actor=actor, pool=pool, topics=topics, assessor=assessor, pass_number=pass_number
        )
    ]


@transaction.atomic
def assignment_remove(*, actor: User, assignment: Assignment) -> None:
    """Delete an assignment in which nothing was judged yet; one with judgments stays."""
    locked = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if locked.judgments.exists():
        raise ValidationError(
            f"{assignment.assessor} has judged documents of topic {assignment.topic.number}, and judgments are kept. "
            "To hand over the rest, assign the topic to another assessor in the same pass."
        )
    audit(
        actor,
        "unassigned",
        locked,
        campaign=assignment.pool.task.campaign,
        topic=assignment.topic.number,
        assessor=assignment.assessor.username,
        pool=assignment.pool.version,
        pass_number=assignment.pass_number,
    )
    locked.delete()
