"""Documents on which assessors disagree, and what was decided about them. For adjudicators only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from campaign.models import Document, Task, Topic
from judging.models import Adjudication, Assignment, Judgment
from judging.selectors.judged import judgments_versions
from pooling.selectors.sizes import kept

SHOW = {"open": "to decide", "decided": "decided", "all": "all"}
FAR_APART = 1000
"""By which a grade and "cannot judge" are apart: more than any two grades."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """All that is shown of one document: `votes` the oldest pass first, `decision` the current one."""

    topic: Topic
    docno: str
    document: Document | None
    votes: Sequence[Judgment]
    decision: Adjudication | None

    @property
    def seen(self) -> list[UUID]:
        return [vote.uuid for vote in self.votes]

    @property
    def is_changed(self) -> bool:
        """Whether somebody judged it otherwise since it was decided."""
        return self.decision is not None and {str(uuid) for uuid in self.seen} != set(self.decision.judgments)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A document that `votes` people judged, from grade `low` to `high`; `unable` of the judgments say that they cannot.

    `latest`: when the last of the judgments came in. `decided`: when the current decision was made, None where there is none
    or somebody judged the document since.
    """

    topic: str
    docno: str
    low: int
    high: int
    votes: int
    unable: int
    crosses: bool
    latest: datetime
    decided: datetime | None

    @property
    def apart(self) -> int:
        """How far the grades are apart; a grade and "cannot judge" are farther than any two grades."""
        return FAR_APART if self.unable else self.high - self.low


def disagreements(task: Task, show: str = "all", topic: str = "") -> list[Disagreement]:
    """Documents that two people judged differently, the farthest apart first.

    Of those equally far apart the ones that are relevant for some and not for others come first.
    """
    decisions = Adjudication.objects.filter(topic__task=task, is_current=True).exclude(verdict=Adjudication.WITHDRAWN)
    decided = {
        (number, docno): at for number, docno, at in decisions.values_list("topic__number", "docno", "decided_at")
    }
    found = [_disagreement(row, task.lowest_relevant_grade, decided) for row in _judged_differently(task, topic)]
    found.sort(key=lambda one: (-one.apart, not one.crosses))
    return [one for one in found if show == "all" or (one.decided is not None) == (show == "decided")]


def disagreements_to_decide(tasks: Sequence[Task], answered: Mapping[int, datetime]) -> dict[int, int]:
    """By task, how many stand open of which a judgment came in after the task was `answered`; none where there is none.

    Kept until something is judged or decided: the phase bar of every page counts them.
    """
    second = Assignment.objects.filter(pool__task__in=tasks, pass_number__gt=1, is_repeat=False)
    judged_twice = set(second.order_by().values_list("pool__task", flat=True))
    chosen = [task for task in tasks if task.pk in judged_twice]
    if not chosen:
        return {}
    versions, decisions = judgments_versions(chosen), _decisions(chosen)
    found = {}
    for task in chosen:
        since = answered.get(task.pk)
        rests_on = f"{versions[task.pk]}:{decisions.get(task.pk)}:{since and since.timestamp()}"
        key = f"judging:to-decide:{task.pk}:{task.created_at.timestamp()}:{rests_on}"
        found[task.pk] = kept(key, partial(_to_decide, task, since))
    return {task: count for task, count in found.items() if count}


def _decisions(tasks: Sequence[Task]) -> dict[int, tuple[int, int]]:
    """By task, what changes with every decision that is made or taken back."""
    rows = Adjudication.objects.filter(topic__task__in=tasks).order_by().values("topic__task")
    counted = rows.annotate(count=Count("pk"), last=Max("pk"))
    return {row["topic__task"]: (row["count"], row["last"]) for row in counted}


def _to_decide(task: Task, since: datetime | None) -> int:
    """What `disagreements` lists as open, counted from the judgments of second passes alone: there are few of them."""
    pair = {"topic": OuterRef("topic"), "docno": OuterRef("docno")}
    votes = _votes().filter(**pair)
    differs = ~Q(verdict=OuterRef("verdict")) | Q(grade__isnull=False) & ~Q(grade=OuterRef("grade"))
    decisions = Adjudication.objects.filter(**pair, is_current=True).exclude(verdict=Adjudication.WITHDRAWN)
    decided = decisions.exclude(Exists(votes.filter(received_at__gt=OuterRef("decided_at"))))
    second = Assignment.objects.filter(pool__task=task, pass_number__gt=1, is_repeat=False)
    found = _votes().filter(
        Exists(votes.filter(differs).exclude(assessor=OuterRef("assessor"))), ~Exists(decided), assignment__in=second
    )
    if since is not None:
        found = found.filter(Exists(votes.filter(received_at__gt=since)))
    return found.order_by().values("topic", "docno").distinct().count()


def _votes() -> "QuerySet[Judgment]":
    return Judgment.objects.filter(is_current=True, verdict__in=Judgment.JUDGED, assignment__is_repeat=False)


def _judged_differently(task: Task, topic: str) -> Iterable[Mapping[str, Any]]:
    # Within one pass a document is judged once: only documents of further passes can be judged differently.
    twice = Judgment.objects.filter(topic__task=task, is_current=True, pass_number__gt=1).values("docno")
    current = _votes().filter(topic__task=task, docno__in=twice)
    if topic:
        current = current.filter(topic__number=topic)
    counted = (
        current.order_by()
        .values("topic__number", "topic__position", "docno")
        .annotate(
            low=Min("grade"),
            high=Max("grade"),
            votes=Count("assessor", distinct=True),
            unable=Count("pk", filter=Q(verdict=Judgment.CANNOT_JUDGE)),
            latest=Max("received_at"),
        )
    )
    differing = Q(votes__gt=1) & (Q(low__lt=F("high")) | Q(unable__gt=0, low__isnull=False))
    return counted.filter(differing).order_by("topic__position", "docno")


def _disagreement(
    row: Mapping[str, Any], lowest_relevant: int, decided: Mapping[tuple[str, str], datetime]
) -> Disagreement:
    topic, docno, low, high = row["topic__number"], row["docno"], row["low"], row["high"]
    at = decided.get((topic, docno))
    return Disagreement(
        topic,
        docno,
        low,
        high,
        row["votes"],
        row["unable"],
        crosses=low < lowest_relevant <= high,
        latest=row["latest"],
        decided=at if at is not None and at >= row["latest"] else None,
    )


def dispute(task: Task, topic: Topic, docno: str) -> Dispute | None:
    """The judgments of one document with what was decided; None where fewer than two people judged it."""
    votes = list(
        Judgment.objects.filter(topic=topic, docno=docno, is_current=True, verdict__in=Judgment.JUDGED)
        .filter(assignment__is_repeat=False)
        .select_related("assessor")
        .order_by("pass_number", "pk")
    )
    if len({vote.assessor_id for vote in votes}) < 2:
        return None
    document = Document.objects.filter(collection=task.collection_id, docno=docno).first()
    decision = (
        Adjudication.objects.filter(topic=topic, docno=docno, is_current=True)
        .exclude(verdict=Adjudication.WITHDRAWN)
        .select_related("adjudicator")
        .first()
    )
    return Dispute(topic, docno, document, votes, decision)
