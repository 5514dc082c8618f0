"""Who judges which topics."""

import secrets
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from campaign.database import clock
from campaign.log.audit import audit
from campaign.models import Topic, User
from campaign.permissions import held_organised_campaign_or_404, is_assessor
from campaign.web.daily_limits import left_of_person, require_few_of_person, require_left
from judging.assigning.services.mails import tell_of_assignments
from judging.checkouts.services import close_or_reopen
from judging.models import Assignment
from pooling.models import Pool
from pooling.selectors.sizes import pooled_topics

MOST_PARTS = 99
CHANGES = "changes of assignments"
MOST_CHANGED_A_DAY = 50_000
"""By one person: topics assigned, handed over and taken back, dates changed."""


@dataclass(slots=True)
class Changes:
    """What one person changes of assignments in one transaction. `left`: how many more are allowed today, before these."""

    actor: User
    left: int
    number: int = 0

    def require_room(self, more: int) -> None:
        require_left(self.number + more, self.left, CHANGES, MOST_CHANGED_A_DAY)

    def add(self, more: int) -> None:
        """Before they are written."""
        self.require_room(more)
        self.number += more


@contextmanager
def changes_by(actor: User) -> Iterator[Changes]:
    """Once all are made they are counted at once: a count for each topic would take most of the statements of a plan."""
    changes = Changes(actor, left_of_person(actor, CHANGES, MOST_CHANGED_A_DAY))
    yield changes
    if changes.number:
        require_few_of_person(actor, CHANGES, MOST_CHANGED_A_DAY, changes.number)


@dataclass(frozen=True, slots=True)
class Extent:
    """What of a topic an assignment is about; the names are those of its columns."""

    parts: int = 1
    part: int = 1
    part_seed: int = 0
    share: float | None = None
    share_seed: int = 0


@transaction.atomic
def assignments_create(
    *, actor: User, pool: Pool, assessor: User, topics: Sequence[Topic], **how: Any
) -> list[Assignment]:
    """Assign topics to an assessor, who is told by mail; see `topics_assign`."""
    held_organised_campaign_or_404(actor, pool.task.campaign)
    with changes_by(actor) as changes:
        created = topics_assign(changes=changes, pool=pool, assessor=assessor, topics=topics, **how)
        tell_of_assignments(actor, created)
    return created


def topics_assign(
    *,
    changes: Changes,
    pool: Pool,
    topics: Sequence[Topic],
    assessor: User,
    pass_number: int = 1,
    part: int = 1,
    parts: int = 1,
    due_on: date | None = None,
) -> list[Assignment]:
    """Assign topics of a pool, or a part of each, to an assessor; returns the new assignments.

    Of those who have a topic (or this part of it) in this pass already, who judges on alone is the new assessor: the others
    stop, and what they graded stays. In a pool that grows they go on side by side, each with documents of their own. One that
    was handed over comes back to its assessor. A share that was drawn for the pass stays what the pass is about.
    """
    pool_lock(pool)
    _check(pool, topics, assessor, pass_number)
    _check_parts(pool, part, parts)
    held = _held(pool, topics, pass_number)
    same = {topic.pk: [row for row in held[topic.pk] if (row.parts, row.part) == (parts, part)] for topic in topics}
    own = {row.topic_id: row for rows in same.values() for row in rows if row.assessor_id == assessor.pk}
    handed = [] if pool.grows else [row for rows in same.values() for row in _others(rows, assessor)]
    dated = {row for row in own.values() if due_on not in (None, row.due_on)}
    changes.add(len(same) - len(own) + len(handed) + len(dated))
    actor, created = changes.actor, []
    for topic in topics:
        extent = _extent(topic, held[topic.pk], part, parts)
        if not pool.grows:
            _hand_over(actor, same[topic.pk], assessor)
        if (mine := own.get(topic.pk)) is None:
            made: dict[str, Any] = {"topic": topic, "pass_number": pass_number, "due_on": due_on}
            created.append(assignment_add(actor=actor, pool=pool, assessor=assessor, extent=extent, **made))
        elif mine in dated:
            Assignment.objects.filter(pk=mine.pk).update(due_on=due_on)
            _audit(actor, "changed due date", mine, due_on=str(due_on))
    return created


def pool_lock(pool: Pool) -> None:
    """Who assigns topics of a pool, by what is assigned already, holds this lock until the end of the transaction."""
    # NO KEY: rows that refer to the pool, such as qrels, can be added meanwhile.
    Pool.objects.select_for_update(no_key=True).get(pk=pool.pk)


def _held(pool: Pool, topics: Sequence[Topic], pass_number: int) -> dict[int, list[Assignment]]:
    """By topic, its assignments in this pass; locked at once by their keys, as by everybody who locks those of several topics."""
    held: dict[int, list[Assignment]] = defaultdict(list)
    rows = Assignment.objects.select_for_update(of=("self",)).select_related("assessor")
    for row in rows.filter(pool=pool, topic__in=topics, pass_number=pass_number).order_by("pk"):
        held[row.topic_id].append(row)
    return held


def assignment_add(
    *, actor: User, pool: Pool, topic: Topic, assessor: User, extent: Extent, pass_number: int, **values: Any
) -> Assignment:
    """Store one assignment, whose rules the caller has checked."""
    assignment = Assignment(
        pool=pool,
        topic=topic,
        assessor=assessor,
        pass_number=pass_number,
        assigned_by=actor,
        **asdict(extent),
        **values,
    )
    assignment.full_clean()
    assignment.save()
    about = {"extent": assignment.extent, **asdict(extent)} if assignment.extent else {}
    _audit(actor, "assigned", assignment, assessor=assessor.username, **about)
    return assignment


def _audit(actor: User, verb: str, assignment: Assignment, **data: Any) -> None:
    pool = assignment.pool
    facts = {"topic": assignment.topic.number, "pool": pool.version, "pass_number": assignment.pass_number}
    audit(actor, verb, assignment, campaign=pool.task.campaign, **facts, **data)


def new_seed() -> int:
    return secrets.randbelow(2**31)


def _check_parts(pool: Pool, part: int, parts: int) -> None:
    if not 1 <= part <= parts <= MOST_PARTS:
        raise ValidationError(
            {"part": f"Write a part from 1 to the number of parts, at most {MOST_PARTS}: for example 2 of 3."}
        )
    if parts > 1 and pool.grows:
        raise ValidationError(
            {
                "parts": f"Pool {pool.version} grows while it is judged, and hands out its documents one by one. Assign the "
                "whole topic to several assessors: nobody gets a document that another one has."
            }
        )


def _extent(topic: Topic, same_pass: Sequence[Assignment], part: int, parts: int) -> Extent:
    """What the new assignment is about, so that the parts of a pass stay those of one division."""
    if any(row.is_repeat for row in same_pass):
        raise ValidationError(
            f"Pass {same_pass[0].pass_number} of topic {topic.number} is a hidden repeat. Choose another pass."
        )
    divided = next((row for row in same_pass if not row.is_handed_over and row.parts != parts), None)
    if divided is not None:
        is_now = f"divided into {divided.parts} parts" if divided.parts > 1 else "assigned as a whole"
        raise ValidationError(
            f"Topic {topic.number} is {is_now} in pass {divided.pass_number}, to {divided.assessor} among others. Hand it over "
            "as it is, or take it back where nothing is judged and assign it anew."
            if divided.parts > 1
            else f"Topic {topic.number} is {is_now} in pass {divided.pass_number}, to {divided.assessor}. Hand it over as it "
            "is, or take it back if nothing is judged and assign it in parts."
        )
    alike = [row for row in same_pass if row.parts == parts]
    seed = 0 if parts == 1 else alike[0].part_seed if alike else new_seed()
    drawn = next((row for row in same_pass if row.share is not None), None)
    share, share_seed = (drawn.share, drawn.share_seed) if drawn else (None, 0)
    return Extent(parts, part, seed, share, share_seed)


def _hand_over(actor: User, same: Sequence[Assignment], assessor: User) -> None:
    """`same`: who has, or had, just what is assigned now."""
    own = [row.pk for row in same if row.assessor_id == assessor.pk and row.is_handed_over]
    close_or_reopen(_returned(Assignment.objects.filter(pk__in=own)))
    for earlier in _others(same, assessor):
        now = clock.now()
        Assignment.objects.filter(pk=earlier.pk).update(handed_over_at=now, handed_over_to=assessor, finished_at=now)
        _audit(actor, "handed over", earlier, **{"from": earlier.assessor.username, "to": assessor.username})


def _others(same: Sequence[Assignment], assessor: User) -> list[Assignment]:
    return [row for row in same if not row.is_handed_over and row.assessor_id != assessor.pk]


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
    other_passes = Assignment.objects.filter(
        pool__task=pool.task_id, topic__in=topics, assessor=assessor, is_repeat=False
    )
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
def assignment_remove(*, actor: User, assignment: Assignment) -> None:
    """Delete an assignment in which nothing was judged yet; one with judgments stays. Twice changes nothing."""
    held_organised_campaign_or_404(actor, assignment.pool.task.campaign)
    locked = Assignment.objects.select_for_update(of=("self",)).filter(pk=assignment.pk).first()
    if locked is None:
        return
    if locked.judgments.exists():
        raise ValidationError(
            f"{assignment.assessor} has judged documents of topic {assignment.topic.number}, and judgments are kept. "
            "To hand over the rest, assign the topic to another assessor in the same pass."
        )
    with changes_by(actor) as changes:
        changes.add(1)
        _audit(actor, "unassigned", assignment, assessor=assignment.assessor.username)
        locked.delete()
