"""Topics that are ticked for assessors, assigned together or not at all."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.models import Topic, User
from campaign.permissions import held_organised_campaign_or_404
from campaign.text.plurals import listed
from judging.assigning.services.assignments import changes_by, pool_lock, topics_assign
from judging.assigning.services.mails import tell_of_assignments
from judging.models import Assignment
from pooling.models import Pool

NOTHING_TICKED = "Nothing is ticked: tick topics in the columns of their assessors."


@transaction.atomic
def ticked_assign(
    *, actor: User, pool: Pool, ticked: Iterable[tuple[Topic, User]], pass_number: int
) -> list[Assignment]:
    """Assign each ticked topic as a whole; what another assessor has in this pass is handed over."""
    held_organised_campaign_or_404(actor, pool.task.campaign)
    pool_lock(pool)
    by_assessor: dict[User, list[Topic]] = defaultdict(list)
    for topic, assessor in ticked:
        by_assessor[assessor].append(topic)
    if not by_assessor:
        raise ValidationError(NOTHING_TICKED)
    _refuse_two_of_a_topic(pool, by_assessor)
    with changes_by(actor) as changes:
        created = [
            assignment
            for assessor, topics in by_assessor.items()
            for assignment in topics_assign(
                changes=changes, pool=pool, topics=topics, assessor=assessor, pass_number=pass_number
            )
        ]
        tell_of_assignments(actor, created)
    return created


def _refuse_two_of_a_topic(pool: Pool, by_assessor: dict[User, list[Topic]]) -> None:
    """In a pool that grows several assessors share a topic; elsewhere the second would take it from the first."""
    if pool.grows:
        return
    counts = Counter(topic.number for topics in by_assessor.values() for topic in topics)
    if twice := [number for number, count in counts.items() if count > 1]:
        named = f"{'Topic' if len(twice) == 1 else 'Topics'} {listed(twice)}"
        raise ValidationError(
            f"{named}: ticked for several assessors, and in one pass one judges a topic. Tick one of them; for a second "
            "opinion choose the next pass."
        )
