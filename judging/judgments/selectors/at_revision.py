"""Judgments and decisions as they stood after an act: nothing is ever deleted, so that any state can be found again."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import BigIntegerField, Exists, ExpressionWrapper, F, Max, OuterRef, Q, QuerySet

from campaign.models import Task
from judging.models import Adjudication, Judgment


@dataclass(frozen=True, slots=True)
class AsOf:
    """The numbers of the newest judgment and the newest decision of an adjudicator; None: whatever is the newest now."""

    judgment: int | None = None
    decision: int | None = None


NOW: Final = AsOf()


def last_acts(task: Task) -> AsOf:
    """The newest judgment and decision of a task, 0 for none. Another transaction may still be storing an earlier one."""
    judgments, decisions = Judgment.objects.of_task(task.pk), Adjudication.objects.filter(topic__task=task)
    judgment, decision = (acts.aggregate(last=Max("pk"))["last"] or 0 for acts in (judgments, decisions))
    return AsOf(judgment, decision)


def judgments_as_of(
    judgments: "QuerySet[Judgment]", number: int | None = None, moment: datetime | None = None
) -> "QuerySet[Judgment]":
    """The judgments that were current when the act with this number was the newest, or of what had arrived at a moment.

    Without either, those that are now. Of the acts of one person on one document in one pass the last by its time stands, however
    late it arrived: what `is_current` marked then.
    """
    if number is None and moment is None:
        return judgments.filter(is_current=True)
    arrived = Q() if number is None else Q(pk__lte=number)
    arrived &= Q() if moment is None else Q(received_at__lte=moment)
    return judgments.filter(arrived, ~Exists(later_acts(arrived)))


def later_acts(arrived: Q) -> "QuerySet[Judgment]":
    """For a subquery: the acts, of those that match `arrived`, that are later than the outer query's act and replace it.

    They are of the same person, document and pass.

    SQLite would look for each among all acts of the person, so their key is no column here: the index of documents is left.
    """
    person = ExpressionWrapper(F("assessor") + 0, output_field=BigIntegerField())
    return Judgment.objects.alias(person=person).filter(
        Q(judged_at__gt=OuterRef("judged_at")) | Q(judged_at=OuterRef("judged_at"), pk__gt=OuterRef("pk")),
        arrived,
        topic=OuterRef("topic"),
        docno=OuterRef("docno"),
        person=OuterRef("assessor"),
        pass_number=OuterRef("pass_number"),
    )


def decisions_as_of(decisions: "QuerySet[Adjudication]", number: int | None) -> "QuerySet[Adjudication]":
    """The same of adjudicators' decisions, of which the newest about a document stands."""
    if number is None:
        return decisions.filter(is_current=True)
    later = Adjudication.objects.filter(
        pk__gt=OuterRef("pk"), pk__lte=number, topic=OuterRef("topic"), docno=OuterRef("docno")
    )
    return decisions.filter(~Exists(later), pk__lte=number)
