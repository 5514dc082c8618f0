"""The organisers choose topics whose scores teams see during the round; they enter no published mean and no test."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.events import what_counts_changed
from campaign.log.audit import AFTER_SCORES, audit
from campaign.models import Task, User
from campaign.permissions import locked_organised_task_or_404
from campaign.setup.services.tasks import UnconfirmedChangesError
from campaign.text.plurals import listed, number_of
from campaign.web.daily_limits import require_few_changes
from evaluation.models import Evaluation

PUBLISHED = (
    "A leaderboard is published, and its means were computed without the topics for feedback: they stay as they are."
)


def drawn_topics(numbers: Sequence[str], count: int, seed: str) -> list[str]:
    """Draw topics by a seed: those whose SHA-256 of seed and number comes first, so that everybody can draw them again.

    >>> drawn_topics(["1", "2", "3", "4"], 2, "7")
    ['3', '4']
    """
    first = sorted(numbers, key=lambda number: sha256(f"{seed}:{number}".encode()).digest())[:count]
    return [number for number in numbers if number in first]


@transaction.atomic
def feedback_set(
    *, actor: User, task: Task, topics: Sequence[str], seed: str = "", is_confirmed: bool = False
) -> list[str]:
    """Make these the topics for feedback, and no others; gives their numbers. `seed`: by which they were drawn, for the log.

    UnconfirmedChangesError where runs have been scored already and nobody has confirmed the change.
    """
    locked = locked_organised_task_or_404(actor, task)
    if locked.leaderboards.exists():
        raise ValidationError(PUBLISHED)
    of_task = locked.topics.filter(removed_at__isnull=True)
    known = list(of_task.order_by("position").values_list("number", flat=True))
    if unknown := sorted(set(topics) - set(known)):
        raise ValidationError(f"There is no topic {unknown[0]} that is scored. Load the page again, then choose.")
    after = [number for number in known if number in set(topics)]
    if known and len(after) == len(known):
        raise ValidationError("At least one topic must stay for the ranking: choose fewer for feedback.")
    before = list(of_task.filter(is_feedback=True).order_by("position").values_list("number", flat=True))
    if before == after:
        return after
    logged: dict[str, Any] = {"feedback": [", ".join(before), ", ".join(after)]}
    if Evaluation.objects.filter(run__task=locked).exists():
        said = changes_of_feedback(before, after)
        if not is_confirmed:
            raise UnconfirmedChangesError(said)
        logged[AFTER_SCORES] = said
    of_task.filter(is_feedback=True).exclude(number__in=after).update(is_feedback=False)
    of_task.filter(is_feedback=False, number__in=after).update(is_feedback=True)
    require_few_changes(actor)
    audit(actor, "update", locked, campaign=locked.campaign, **logged, **({"seed": seed} if seed else {}))
    what_counts_changed.send(sender=Task, task=locked)
    return after


def changes_of_feedback(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The changes in words.

    >>> changes_of_feedback(["1"], ["2", "3"])
    ['2 topics given for feedback: 2 and 3', '1 topic no longer for feedback: 1']
    """
    said = []
    if added := [number for number in after if number not in before]:
        said.append(f"{number_of(len(added), 'topic')} given for feedback: {listed(added)}")
    if gone := [number for number in before if number not in after]:
        said.append(f"{number_of(len(gone), 'topic')} no longer for feedback: {listed(gone)}")
    return said
