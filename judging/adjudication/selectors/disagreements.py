"""Documents on which assessors disagree, and what was decided about them. For adjudicators only."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Max, Min, Q, QuerySet

from campaign.models import Document, Task, Topic
from campaign.text.collation import by_numbers
from judging.models import Adjudication, Assignment, Judgment
from judging.selectors.judged import judgments_version, judgments_versions
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
    def is_judged_twice(self) -> bool:
        return len({vote.assessor_id for vote in self.votes}) > 1

    @property
    def is_changed(self) -> bool:
        """Whether somebody judged it otherwise since it was decided."""
        return self.decision is not None and {str(uuid) for uuid in self.seen} != set(self.decision.judgments)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A document that `votes` people judged, from grade `low` to `high`; `unable` of the judgments say that they cannot.

    `low` and `high` are None where nobody grades it any more. `latest`: when it was last judged. `decided`: when the current
    decision was made, None where there is none or the judgments are others since.
    """

    topic: str
    docno: str
    low: int | None
    high: int | None
    votes: int
    unable: int
    crosses: bool
    latest: datetime
    decided: datetime | None

    @property
    def grades(self) -> str:
        """In words, from the lowest to the highest."""
        if self.low is None:
            return "cannot judge" if self.unable else "no grade"
        grades = f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"
        return f"{grades}, cannot judge" if self.unable else grades

    @property
    def apart(self) -> int:
        """How far the grades are apart; a grade and "cannot judge" are farther than any two grades."""
        if self.low is None or self.high is None:
            return 0
        return FAR_APART if self.unable else self.high - self.low


def disagreements(task: Task, show: str = "all", topic: str = "") -> list[Disagreement]:
    """Documents that two people judged differently, the farthest apart first.

    What people judged differently is kept until somebody judges: decisions leave it as it is.
    Of those equally far apart the ones that are relevant for some and not for others come first. Documents that were decided,
    and that are judged otherwise since, are among them though they may differ no more: the decision still counts.
    """
    decisions = {(one.topic, one.docno): one for one in _decided(task, topic)}
    decided = {pair: one.at for pair, one in decisions.items() if not one.is_changed}
    key = f"judging:differing:{task.pk}:{task.created_at.timestamp()}:{judgments_version(task)}"
    rows = kept(key, partial(_judged_differently, task))
    of_topic = (row for row in rows if topic in ("", row["topic__number"]))
    found = [_disagreement(row, task.lowest_relevant_grade, decided) for row in of_topic]
    differing = {(one.topic, one.docno) for one in found}
    found += [one.undisputed for pair, one in decisions.items() if pair not in decided and pair not in differing]
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
    return sum(since is None or one.latest > since for one in disagreements(task, "open"))


@dataclass(frozen=True, slots=True)
class _Decided:
    """A decision that stands; `seen` and `votes`: the judgments that it is of, and those of today with their grades.

    `latest`: when the document was last judged, or a judgment of it taken back.
    """

    topic: str
    docno: str
    at: datetime
    seen: frozenset[str]
    votes: Mapping[str, int | None]
    latest: datetime

    @property
    def is_changed(self) -> bool:
        return self.seen != set(self.votes)

    @property
    def undisputed(self) -> Disagreement:
        grades = [grade for grade in self.votes.values() if grade is not None]
        low, high = min(grades, default=None), max(grades, default=None)
        unable = len(self.votes) - len(grades)
        counts = (low, high, len(self.votes), unable)
        return Disagreement(self.topic, self.docno, *counts, crosses=False, latest=self.latest, decided=None)


def _decided(task: Task, topic: str) -> list[_Decided]:
    current = Adjudication.objects.filter(topic__task=task, is_current=True).exclude(verdict=Adjudication.WITHDRAWN)
    current = current.filter(topic__number=topic) if topic else current
    decided = current.order_by().values("docno")
    votes: dict[tuple[str, str], dict[str, int | None]] = defaultdict(dict)
    columns = ("topic__number", "docno", "uuid", "grade")
    acts = Judgment.objects.of_task(task.pk).filter(docno__in=decided).order_by()
    for number, docno, uuid, grade in _voting(acts).values_list(*columns):
        votes[number, docno][str(uuid)] = grade
    last = acts.values_list("topic__number", "docno").annotate(Max("received_at"))
    latest = {(number, docno): at for number, docno, at in last}
    facts = current.order_by(by_numbers("topic__number"), "docno").values_list(
        "topic__number", "docno", "decided_at", "judgments"
    )
    return [
        _Decided(number, docno, at, frozenset(seen), votes[number, docno], latest.get((number, docno), at))
        for number, docno, at, seen in facts
    ]


def _voting(acts: "QuerySet[Judgment]") -> "QuerySet[Judgment]":
    return acts.filter(is_current=True, verdict__in=Judgment.JUDGED, assignment__is_repeat=False)


def _judged_differently(task: Task) -> list[Mapping[str, Any]]:
    # Within one pass a document is judged once: only documents of further passes can be judged differently.
    of_task = Judgment.objects.of_task(task.pk)
    twice = of_task.filter(is_current=True, pass_number__gt=1).values("docno")
    current = _voting(of_task).filter(docno__in=twice)
    counted = (
        current.order_by()
        .values("topic__number", "docno")
        .annotate(
            low=Min("grade"),
            high=Max("grade"),
            votes=Count("assessor", distinct=True),
            unable=Count("pk", filter=Q(verdict=Judgment.CANNOT_JUDGE)),
            latest=Max("received_at"),
        )
    )
    differing = Q(votes__gt=1) & (Q(low__lt=F("high")) | Q(unable__gt=0, low__isnull=False))
    return list(counted.filter(differing).order_by(by_numbers("topic__number"), "docno"))


def _disagreement(
    row: Mapping[str, Any], lowest_relevant: int, decided: Mapping[tuple[str, str], datetime]
) -> Disagreement:
    topic, docno, low, high = row["topic__number"], row["docno"], row["low"], row["high"]
    return Disagreement(
        topic,
        docno,
        low,
        high,
        row["votes"],
        row["unable"],
        crosses=low < lowest_relevant <= high,
        latest=row["latest"],
        decided=decided.get((topic, docno)),
    )


def dispute(task: Task, topic: Topic, docno: str) -> Dispute | None:
    """The judgments of one document with what was decided; None where fewer than two people judged it and nothing is decided."""
    votes = list(
        _voting(Judgment.objects.filter(topic=topic, docno=docno))
        .select_related("assessor")
        .order_by("pass_number", "pk")
    )
    document = Document.objects.filter(collection=task.collection_id, docno=docno).first()
    decision = (
        Adjudication.objects.filter(topic=topic, docno=docno, is_current=True)
        .exclude(verdict=Adjudication.WITHDRAWN)
        .select_related("adjudicator")
        .first()
    )
    found = Dispute(topic, docno, document, votes, decision)
    return found if decision is not None or found.is_judged_twice else None
