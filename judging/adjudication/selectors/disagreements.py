"""Documents on which assessors disagree, and what was decided about them. For adjudicators only."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias
from uuid import UUID

from django.db.models import Count, F, Max, Min, Q, QuerySet

from campaign.models import Document, Task, Topic
from campaign.text.collation import by_numbers
from campaign.web.asking_once import once
from campaign.web.cache import kept
from judging.models import Adjudication, Assignment, Judgment
from judging.selectors.judged_documents import judgments_version, judgments_versions

SHOW = {"open": "to decide", "decided": "decided", "all": "all"}
Pair: TypeAlias = tuple[str, str]
"""A topic number and a docno."""
DOCNOS_AT_ONCE = 2000
"""How many a statement names: SQLite takes a bounded number of values."""
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
    everything = once((disagreements, task.pk), lambda: _disagreements(task, judgments_version(task)))
    return [
        one
        for one in everything
        if topic in ("", one.topic) and (show == "all" or (one.decided is not None) == (show == "decided"))
    ]


def _disagreements(task: Task, version: str) -> list[Disagreement]:
    key = f"judging:differing:{task.pk}:{task.created_at.timestamp()}:{version}"
    rows, decisions = kept(key, partial(_judged_differently, task)), _current_decisions(task)
    decided = {
        pair: decisions[pair].decided_at
        for pair, row in rows.items()
        if pair in decisions and set(decisions[pair].judgments) == row["uuids"]
    }
    found = [_disagreement(pair, row, task.lowest_relevant_grade, decided) for pair, row in rows.items()]
    others = {pair: one for pair, one in decisions.items() if pair not in rows}
    found += [one.undisputed for one in _agreed_since(task, others) if one.is_changed]
    found.sort(key=lambda one: (-one.apart, not one.crosses))
    return found


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
        found[task.pk] = kept(key, partial(_to_decide, task, versions[task.pk], since))
    return {task: count for task, count in found.items() if count}


def _decisions(tasks: Sequence[Task]) -> dict[int, tuple[int, int]]:
    """By task, what changes with every decision that is made or taken back."""
    rows = Adjudication.objects.filter(topic__task__in=tasks).order_by().values("topic__task")
    counted = rows.annotate(count=Count("pk"), last=Max("pk"))
    return {row["topic__task"]: (row["count"], row["last"]) for row in counted}


def _to_decide(task: Task, version: str, since: datetime | None) -> int:
    """Not of what this request asked before: it is kept for others, by what was decided until now."""
    stand_open = (one for one in _disagreements(task, version) if one.decided is None)
    return sum(since is None or one.latest > since for one in stand_open)


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


def _current_decisions(task: Task) -> dict[Pair, Adjudication]:
    current = Adjudication.objects.filter(topic__task=task, is_current=True).exclude(verdict=Adjudication.WITHDRAWN)
    facts = current.order_by(by_numbers("topic__number"), "docno").only(
        "docno", "decided_at", "judgments", "topic__number"
    )
    return {(one.topic.number, one.docno): one for one in facts.select_related("topic")}


def _agreed_since(task: Task, decisions: Mapping[Pair, Adjudication]) -> list[_Decided]:
    """Decisions about documents that nobody judges differently today."""
    if not decisions:
        return []
    votes: dict[Pair, dict[str, int | None]] = defaultdict(dict)
    latest: dict[Pair, datetime] = {}
    for docnos in _in_batches(decisions):
        acts = Judgment.objects.of_task(task.pk).filter(docno__in=docnos).order_by()
        for number, docno, uuid, grade in _voting(acts).values_list("topic__number", "docno", "uuid", "grade"):
            votes[number, docno][str(uuid)] = grade
        last = acts.values_list("topic__number", "docno").annotate(Max("received_at"))
        latest |= {(number, docno): at for number, docno, at in last}
    return [
        _Decided(*pair, one.decided_at, frozenset(one.judgments), votes[pair], latest.get(pair, one.decided_at))
        for pair, one in decisions.items()
    ]


def _voting(acts: "QuerySet[Judgment]") -> "QuerySet[Judgment]":
    return acts.filter(is_current=True, verdict__in=Judgment.JUDGED, assignment__is_repeat=False)


def _judged_differently(task: Task) -> dict[Pair, dict[str, Any]]:
    """By topic and docno, in the order of topics: grades, counts, and the `uuids` of the judgments that count."""
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
    found: dict[Pair, dict[str, Any]] = {
        (row["topic__number"], row["docno"]): {**row, "uuids": set()}
        for row in counted.filter(differing).order_by(by_numbers("topic__number"), "docno")
    }
    for docnos in _in_batches(found):
        of_these = _voting(of_task).filter(docno__in=docnos).order_by()
        for number, docno, uuid in of_these.values_list("topic__number", "docno", "uuid"):
            if (number, docno) in found:
                found[number, docno]["uuids"].add(str(uuid))
    return found


def _in_batches(pairs: Iterable[Pair]) -> Iterator[list[str]]:
    """Their docnos, each once, as many as a statement may name."""
    docnos = sorted({docno for _, docno in pairs})
    return (docnos[start : start + DOCNOS_AT_ONCE] for start in range(0, len(docnos), DOCNOS_AT_ONCE))


def _disagreement(
    pair: Pair, row: Mapping[str, Any], lowest_relevant: int, decided: Mapping[Pair, datetime]
) -> Disagreement:
    low, high = row["low"], row["high"]
    return Disagreement(
        *pair,
        low,
        high,
        row["votes"],
        row["unable"],
        crosses=low < lowest_relevant <= high,
        latest=row["latest"],
        decided=decided.get(pair),
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
