"""How much is judged, for organisers and for each assessor's own list."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import mean, median
from typing import Any, ClassVar, NamedTuple

from django.db.models import Count, Max, QuerySet

from campaign.models import Role, Task, Topic, User, tones
from campaign.models.tones import Toned
from judging.models import Assignment, Claim, Judgment
from pooling.models import Pool, PoolEntry
from pooling.selectors.duplicates import stood_for
from pooling.selectors.growth import open_topics

SECONDS_ASSUMED = 30.0
"""Per document, until the assessor's own pace is known."""


class CurrentJudgment(NamedTuple):
    """An assessor's current judgment; without a grade, the document could not be judged."""

    grade: int | None
    active_ms: int | None


CurrentJudgments = dict[tuple[int, int, str], dict[int, CurrentJudgment]]
"""By topic, pass and document, and then by assessor."""


@dataclass(slots=True)
class Progress(Toned):
    """Counts of documents: `total` to judge, of these `grades` (value to count) and `cannot_judge`.

    `held`: documents of a pool that grows which are handed to this assessor and to nobody else; `held_since`: the last act.
    `open_docnos` are those left. Of a pool that grows the counts are those so far; `is_open`: more may be chosen.
    """

    DONE, IN_PROGRESS, WAITING = "done", "in progress", "waiting"
    TONES: ClassVar = {DONE: tones.GOOD, IN_PROGRESS: tones.WORKING, WAITING: tones.WAITING}

    assignment: Assignment
    is_open: bool = False
    total: int = 0
    open_docnos: list[str] = field(default_factory=list)
    cannot_judge: int = 0
    held: int = 0
    held_since: datetime | None = None
    grades: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    @property
    def graded(self) -> int:
        return self.grades.total()

    @property
    def judged(self) -> int:
        return self.graded + self.cannot_judge

    @property
    def left(self) -> int:
        return self.total - self.judged

    @property
    def median_seconds(self) -> float | None:
        return median(self.seconds) if self.seconds else None

    @property
    def hours_left(self) -> float:
        return self.left * (self.median_seconds or SECONDS_ASSUMED) / 3600

    @property
    def state(self) -> str:
        if not self.left and not self.is_open:
            return self.DONE
        return self.IN_PROGRESS if self.judged else self.WAITING


def progress_of(assignments: Iterable[Assignment]) -> list[Progress]:
    """The progress of each assignment, with four queries for any number of them, and three more where pools grow."""
    rows = list(assignments)
    growing = open_topics({row.pool_id: row.pool for row in rows}.values())
    topics = {assignment.topic_id for assignment in rows}
    pooled: dict[tuple[int, int], list[str]] = defaultdict(list)
    entries = PoolEntry.objects.filter(pool__in={assignment.pool_id for assignment in rows}, topic__in=topics)
    for pool, topic, docno in entries.order_by().values_list("pool_id", "topic_id", "docno"):
        pooled[pool, topic].append(docno)
    by_document: CurrentJudgments = defaultdict(dict)
    current = Judgment.objects.filter(topic__in=topics, is_current=True).exclude(verdict=Judgment.WITHDRAWN).order_by()
    columns = ["topic_id", "pass_number", "docno", "assessor_id", "grade", "active_ms"]
    for topic, pass_number, docno, assessor, *judged in current.values_list(*columns).iterator(chunk_size=10_000):
        by_document[topic, pass_number, docno][assessor] = CurrentJudgment(*judged)
    pools = {row.pool_id for row in rows}
    held = _held(rows) if growing else {}
    led = set(stood_for(pools).filter(topic__in=topics).values_list("pool_id", "topic_id", "docno"))
    return [
        _progress(
            Progress(row, is_open=(row.pool_id, row.topic_id) in growing, **held.get(row.pk, {})),
            pooled[row.pool_id, row.topic_id],
            by_document,
            led,
        )
        for row in rows
    ]


def _held(assignments: Sequence[Assignment]) -> dict[int, dict[str, Any]]:
    counted = Claim.objects.filter(assignment__in=assignments).order_by().values_list("assignment")
    rows = counted.annotate(Count("pk"), Max("claimed_at"))
    return {assignment: {"held": count, "held_since": since} for assignment, count, since in rows}


def _progress(
    progress: Progress, docnos: Sequence[str], by_document: CurrentJudgments, led: Collection[tuple[int, int, str]]
) -> Progress:
    """`led`: documents (pool, topic, docno) for which a near-identical one is judged."""
    assignment = progress.assignment
    for docno in docnos:
        judgments = by_document.get((assignment.topic_id, assignment.pass_number, docno), {})
        own = judgments.get(assignment.assessor_id)
        if own is None:
            is_led = (assignment.pool_id, assignment.topic_id, docno) in led
            if not is_led and all(other.grade is None for other in judgments.values()):
                progress.open_docnos.append(docno)
                progress.total += 1
            continue
        progress.total += 1
        if own.grade is None:
            progress.cannot_judge += 1
        else:
            progress.grades[own.grade] += 1
        if own.active_ms is not None:
            progress.seconds.append(own.active_ms / 1000)
    return progress


@dataclass(frozen=True, slots=True)
class Overall:
    """Sums of assignments. `is_open`: pools among them still grow, so that `left` is the least."""

    judged: int
    left: int
    cannot_judge: int
    hours_left: float
    is_open: bool = False

    @property
    def total(self) -> int:
        return self.judged + self.left


def overall(rows: Sequence[Progress]) -> Overall:
    """A document that is left to several assessors of a pass is one document, and takes the time of one of them."""
    left, hours = 0, 0.0
    by_pass: dict[tuple[int, int, int], list[Progress]] = defaultdict(list)
    for row in rows:
        by_pass[row.assignment.pool_id, row.assignment.topic_id, row.assignment.pass_number].append(row)
    for sharing in by_pass.values():
        documents = len({docno for row in sharing for docno in row.open_docnos})
        left += documents
        hours += documents * mean(row.median_seconds or SECONDS_ASSUMED for row in sharing) / 3600
    return Overall(
        judged=sum(row.judged for row in rows),
        left=left,
        cannot_judge=sum(row.cannot_judge for row in rows),
        hours_left=hours,
        is_open=any(row.is_open for row in rows),
    )


def pool_numbered(task: Task, version: int | None = None) -> Pool | None:
    """Return the pool of this version; without a version, the latest."""
    pools = task.pools.select_related("task__campaign").order_by("-version")
    return pools.first() if version is None else pools.filter(version=version).first()


def topic_sizes(pool: Pool) -> dict[int, int]:
    """Pooled documents of each topic, by the topic's key."""
    rows = PoolEntry.objects.filter(pool=pool).order_by().values("topic").annotate(size=Count("pk"))
    return {row["topic"]: row["size"] for row in rows}


def assessors_of(task: Task) -> list[User]:
    roles = Role.objects.filter(campaign=task.campaign_id, role=Role.ASSESSOR).select_related("user")
    return [role.user for role in roles.order_by("user__username")]


def task_assignments(task: Task) -> "QuerySet[Assignment]":
    assignments = Assignment.objects.filter(pool__task=task).select_related("pool", "topic", "assessor")
    return assignments.order_by("-pool__version", "pass_number", "topic__position", "assessor__username")


def unassigned_topics(pool: Pool) -> "QuerySet[Topic]":
    """Pooled topics without an assessor in pass 1."""
    taken = Assignment.objects.filter(pool=pool, pass_number=1).values("topic")
    return pool.task.topics.filter(pk__in=topic_sizes(pool)).exclude(pk__in=taken)
