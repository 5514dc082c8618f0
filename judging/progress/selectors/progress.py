"""How much is judged, for organisers and for each assessor's own list."""

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, ClassVar

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from campaign.models import Role, Task, Topic, User, tones
from campaign.models.tones import Toned
from campaign.text.collation import by_numbers
from campaign.web.cache import kept
from judging.judgments.selectors.acts import Pass
from judging.judgments.selectors.counts import expected_end, pace_per_day
from judging.judgments.selectors.own_documents import unjudged
from judging.models import Assignment, Claim, Judgment
from judging.progress.selectors.progress_counts import Share, Shares, shares_of
from pooling.models import Pool, PoolEntry
from pooling.selectors.growth import open_topics
from pooling.selectors.pools import latest_pools
from pooling.selectors.sizes import pooled_topics

SECONDS_ASSUMED = 30.0
"""Per document, until the assessor's own pace is known."""


@dataclass(slots=True)
class Progress(Toned):
    """Counts of documents: `total` to judge, of these `grades` (value to count) and `cannot_judge`.

    `left_to_all`: those left to at least one of the assessors who share the topic in this pass. `held`: documents of a pool
    that grows which are handed to this assessor and to nobody else; `held_since`: the last act. Of a pool that grows the
    counts are those so far; `is_open`: more may be chosen.
    """

    DONE, IN_PROGRESS, WAITING, HANDED_OVER = "done", "in progress", "waiting", "handed over"
    TONES: ClassVar = {DONE: tones.GOOD, IN_PROGRESS: tones.WORKING, WAITING: tones.WAITING, HANDED_OVER: tones.OFF}

    assignment: Assignment
    is_open: bool = False
    total: int = 0
    left_to_all: int = 0
    cannot_judge: int = 0
    held: int = 0
    held_since: datetime | None = None
    grades: Counter[int] = field(default_factory=Counter)
    mean_seconds: float | None = None
    usual_seconds: float = SECONDS_ASSUMED
    flagged: int = 0
    noted: int = 0
    days: dict[date, int] = field(default_factory=dict)

    @property
    def rate(self) -> float | None:
        """Documents in an hour of active time."""
        return 3600 / self.mean_seconds if self.mean_seconds else None

    @property
    def relevant(self) -> int:
        lowest = self.assignment.pool.task.lowest_relevant_grade
        return sum(count for grade, count in self.grades.items() if grade >= lowest)

    @property
    def expected_end(self) -> date | None:
        """By the pace of the last days (UTC); None where there is none, or more may be chosen."""
        today = timezone.now().date()
        return None if self.is_open else expected_end(self.left, pace_per_day(self.days, today), today)

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
    def hours_left(self) -> float:
        return self.left * (self.mean_seconds or self.usual_seconds) / 3600

    @property
    def state(self) -> str:
        if self.assignment.is_handed_over:
            return self.HANDED_OVER
        if not self.left and not self.is_open:
            return self.DONE
        return self.IN_PROGRESS if self.judged else self.WAITING


def progress_of(assignments: Iterable[Assignment], shares: Shares | None = None) -> list[Progress]:
    """The progress of each assignment; the queries do not grow with their number. `pool` should be selected with them.

    `shares`: of these assignments at least, if they are known already.
    """
    rows = list(assignments)
    pools = {row.pool_id: row.pool for row in rows}
    growing = open_topics(pools.values())
    if shares is None:
        shares = shares_of(pools.values(), {row.topic_id for row in rows})
    held, usual = _held(rows) if growing else {}, _usual_seconds(shares)
    return [
        _progress(
            row,
            shares[row.pool_id, row.topic_id, row.pass_number],
            growing,
            held.get(row.pk, {}),
            usual[row.assessor_id],
        )
        for row in rows
    ]


def _usual_seconds(shares: Shares) -> dict[int, float]:
    """Mean active time per document of each assessor over these assignments; what is assumed where none is known."""
    timed, active_ms = Counter[int](), Counter[int]()
    for share in shares.values():
        for desk in share.rests_on.desks:
            own = share.own[desk.assignment]
            timed[desk.assessor] += own.timed
            active_ms[desk.assessor] += own.active_ms
    return {one: active_ms[one] / count / 1000 if count else SECONDS_ASSUMED for one, count in timed.items()}


def _held(assignments: Sequence[Assignment]) -> dict[int, dict[str, Any]]:
    counted = Claim.objects.filter(assignment__in=assignments).order_by().values_list("assignment")
    rows = counted.annotate(Count("pk"), Max("claimed_at"))
    return {assignment: {"held": count, "held_since": since} for assignment, count, since in rows}


def _progress(
    assignment: Assignment, share: Share, growing: Container[tuple[int, int]], held: dict[str, Any], usual: float
) -> Progress:
    own = share.own[assignment.pk]
    return Progress(
        assignment,
        is_open=(assignment.pool_id, assignment.topic_id) in growing,
        total=own.left + own.judged,
        left_to_all=share.left,
        cannot_judge=own.cannot_judge,
        grades=Counter(own.grades),
        mean_seconds=own.mean_seconds,
        usual_seconds=usual,
        flagged=own.flagged,
        noted=own.noted,
        days=own.days,
        **held,
    )


@dataclass(frozen=True, slots=True)
class Overall:
    """Sums of assignments. `is_open`: pools among them still grow, so that `left` is the least."""

    judged: int = 0
    left: int = 0
    cannot_judge: int = 0
    hours_left: float = 0.0
    is_open: bool = False

    @property
    def total(self) -> int:
        return self.judged + self.left


def overall(rows: Sequence[Progress]) -> Overall:
    """The sums of these assignments, which are those of one assessor: a document of several versions of a pool is one."""
    groups: dict[Pass, list[Progress]] = defaultdict(list)
    for row in rows:
        groups[row.assignment.topic_id, row.assignment.pass_number].append(row)
    several = {one for one, group in groups.items() if len({row.assignment.pool_id for row in group}) > 1}
    pools = {row.assignment.pool_id for one in several for row in groups[one]}
    once = judged_once(several, pools, rows[0].assignment.assessor_id) if several else {}
    sums = [_of_one_topic(group, once.get(one)) for one, group in groups.items()]
    return _sum(sums, is_open=any(row.is_open for row in rows))


def _of_one_topic(group: Sequence[Progress], once: tuple[int, int] | None) -> Overall:
    open_rows = [row for row in group if row.left]
    left, hours = sum(row.left for row in group), sum(row.hours_left for row in group)
    if once is None:
        return Overall(sum(row.judged for row in group), left, sum(row.cannot_judge for row in group), hours)
    left_by_any = left_once(row.assignment for row in open_rows) if len(open_rows) > 1 else left
    return Overall(once[0], left_by_any, once[1], hours * left_by_any / left if left else 0.0)


def _sum(sums: Sequence[Overall], *, is_open: bool) -> Overall:
    return Overall(
        judged=sum(one.judged for one in sums),
        left=sum(one.left for one in sums),
        cannot_judge=sum(one.cannot_judge for one in sums),
        hours_left=sum(one.hours_left for one in sums),
        is_open=is_open,
    )


def pools_assigned(task: Task) -> list[Pool]:
    return list(Pool.objects.filter(Exists(Assignment.objects.filter(pool=OuterRef("pk"))), task=task))


def task_overall(pools: Sequence[Pool], shares: Shares) -> Overall:
    """The sums of all assignments of these pools.

    A document that is left to several assessors of a pass is one document, and takes the time of one of them. One that several
    versions of the pool hold is one document too.
    """
    growing, usual = open_topics(pools), _usual_seconds(shares)
    groups: dict[Pass, list[Share]] = defaultdict(list)
    for (_, topic, number), share in shares.items():
        groups[topic, number].append(share)
    several = {one for one, group in groups.items() if len(group) > 1}
    once = judged_once(several, [pool.pk for pool in pools])
    sums = [_of_all(group, usual, once.get(one)) for one, group in groups.items()]
    return _sum(sums, is_open=any((pool, topic) in growing for pool, topic, _ in shares))


def _of_all(group: Sequence[Share], usual: Mapping[int, float], once: tuple[int, int] | None) -> Overall:
    """Of one topic and pass; the time of a document is the mean of those to whom documents are left, by their number."""
    own = [(share.own[desk.assignment], desk) for share in group for desk in share.rests_on.desks]
    left = sum(share.left for share in group)
    if sum(share.left > 0 for share in group) > 1:
        desks = [desk.assignment for counts, desk in own if counts.left]
        left = kept(f"judging:left-once:{[share.rests_on for share in group]}", lambda: _left_once(desks))
    lefts = sum(counts.left for counts, _ in own)
    seconds = sum(counts.left * (counts.mean_seconds or usual[desk.assessor]) for counts, desk in own)
    every = sum(counts.judged for counts, _ in own), sum(counts.cannot_judge for counts, _ in own)
    judged, cannot_judge = every if once is None else once
    return Overall(judged, left, cannot_judge, left * seconds / lefts / 3600 if lefts else 0.0)


def _left_once(assignments: Sequence[int]) -> int:
    rows = Assignment.objects.filter(pk__in=assignments)
    return left_once(rows.select_related("pool__task", "topic", "assessor"))


def pool_numbered(task: Task, version: int | None = None) -> Pool | None:
    """Return the pool of this version; without a version, the latest."""
    if version is None:
        return latest_pools([task]).get(task.pk)
    return task.pools.filter(version=version).select_related("task__campaign").first()


def assessors_of(task: Task) -> list[User]:
    roles = Role.objects.filter(campaign=task.campaign_id, role=Role.ASSESSOR).select_related("user")
    return [role.user for role in roles.order_by("user__username")]


def task_assignments(task: Task) -> "QuerySet[Assignment]":
    assignments = Assignment.objects.filter(pool__task=task).select_related("pool__task", "topic", "assessor")
    return assignments.order_by(
        "-pool__version", "pass_number", by_numbers("topic__number"), "assessor__username", "pk"
    )


def unassigned_topics(pool: Pool) -> "QuerySet[Topic]":
    """Pooled topics without an assessor in pass 1."""
    taken = Assignment.objects.filter(pool=pool, pass_number=1).values_list("topic", flat=True)
    return pool.task.topics.filter(pk__in=pooled_topics(pool) - set(taken)).order_by(by_numbers("number"))


def judgments_by_day(task: Task) -> dict[date, int]:
    """The judgments that stand, of all assessors and passes, by the day (UTC) on which the site stored them."""
    standing = Judgment.objects.of_task(task.pk).filter(is_current=True, verdict__in=Judgment.JUDGED).order_by()
    days = standing.annotate(day=TruncDate("received_at", tzinfo=UTC)).values_list("day").annotate(Count("pk"))
    return dict(days)


def newest_judgment(task: Task) -> int | None:
    """What counts of a task does not change until this one has a successor: each act of judging is a row of its own."""
    newest: int | None = Judgment.objects.of_task(task.pk).aggregate(newest=Max("pk"))["newest"]
    return newest


def judged_once(
    passes: Collection[Pass], pools: Collection[int], assessor: int | None = None
) -> dict[Pass, tuple[int, int]]:
    """By topic and pass, the judgments that stand of documents of any of these pools, and how many of them have no grade."""
    if not passes:
        return {}
    here = PoolEntry.objects.filter(pool__in=pools, topic=OuterRef("topic"), docno=OuterRef("docno"))
    acts = Judgment.objects.filter(
        Exists(here), topic__in={topic for topic, _ in passes}, is_current=True, verdict__in=Judgment.JUDGED
    )
    if assessor is not None:
        acts = acts.filter(assessor=assessor)
    unable = Count("pk", filter=Q(verdict=Judgment.CANNOT_JUDGE))
    rows = acts.order_by().values_list("topic", "pass_number").annotate(Count("pk"), unable=unable)
    counted = {(topic, number): (judged, cannot) for topic, number, judged, cannot in rows}
    return {one: counted.get(one, (0, 0)) for one in passes}


def left_once(assignments: Iterable[Assignment]) -> int:
    """Documents left to at least one of these assignments, which are of one topic and pass."""
    return len({docno for one in assignments for docno in unjudged(one).values_list("docno", flat=True)})
