"""What is judged and what is left of each topic, for the assessors who share it in a pass.

Pages that show hundreds of topics ask for it again and again: it is kept, and counted anew only for topics in which something
has happened since.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median

from django.core.cache import caches
from django.db.models import Count, Max

from judging.models import Assignment, Judgment
from pooling.models import Pool, PoolEntry
from pooling.selectors.duplicates import search_of, stood_for
from pooling.selectors.sizes import KEPT_SECONDS, added_sizes, drawn_sizes, pool_key

Pass = tuple[int, int]
"""A topic's key and the number of a pass."""
ByAssessor = dict[int, tuple[int | None, int | None]]
"""The current judgments of a document: grade (None: cannot judge) and active milliseconds."""
Judgments = dict[Pass, dict[str, ByAssessor]]
TOPICS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class OwnCounts:
    """Of one assessor: documents left, documents by grade, documents that could not be judged, and the pace."""

    left: int = 0
    grades: dict[int, int] = field(default_factory=dict)
    cannot_judge: int = 0
    median_seconds: float | None = None

    @property
    def judged(self) -> int:
        return sum(self.grades.values()) + self.cannot_judge


@dataclass(frozen=True, slots=True)
class RestsOn:
    """What counts are made of. `acts`: how many acts the topic has, and the greatest key of one; () without any."""

    entries: int
    acts: tuple[int, ...]
    assessors: tuple[tuple[int, bool], ...]
    duplicates: tuple[str, datetime] | None


@dataclass(frozen=True, slots=True)
class Share:
    """`left`: documents left to at least one of the assessors; `own`: the counts of each, by the assessor's key."""

    rests_on: RestsOn
    left: int
    own: dict[int, OwnCounts]


Shares = dict[tuple[int, int, int], Share]
"""By pool, topic and pass."""


def shares_of(pools: Iterable[Pool], topics: Collection[int] | None = None) -> Shares:
    """Of all assignments of these pools, or of these topics of them."""
    shares = {}
    for pool in pools:
        for (topic, number), share in _shares(pool, topics).items():
            shares[pool.pk, topic, number] = share
    return shares


def _shares(pool: Pool, topics: Collection[int] | None) -> dict[Pass, Share]:
    needed = _rests_on(pool, topics)
    key = f"judging:shares:{pool_key(pool)}"
    held: dict[Pass, Share] = caches["bulk"].get(key) or {}
    stale = [one for one, rests_on in needed.items() if one not in held or held[one].rests_on != rests_on]
    if stale:
        held |= _counted(pool, {one: needed[one] for one in stale})
        caches["bulk"].set(key, held, timeout=KEPT_SECONDS)
    return {one: held[one] for one in needed}


def _rests_on(pool: Pool, topics: Collection[int] | None) -> dict[Pass, RestsOn]:
    """Of each topic and pass with assignments: entries, judgments, assessors, and what is made of near-duplicates."""
    assignments = Assignment.objects.filter(pool=pool)
    acts = Judgment.objects.filter(topic__task=pool.task_id)
    if topics is not None:
        assignments, acts = assignments.filter(topic__in=topics), Judgment.objects.filter(topic__in=topics)
    assessors: dict[Pass, list[tuple[int, bool]]] = defaultdict(list)
    rows = assignments.order_by("assessor").values_list("topic_id", "pass_number", "assessor_id", "handed_over_at")
    for topic, number, assessor, handed_over_at in rows:
        assessors[topic, number].append((assessor, handed_over_at is None))
    # Acts are only added; the one with the greatest key need not be the last that became visible.
    counted = acts.order_by().values_list("topic_id").annotate(Count("pk"), Max("pk"))
    judged = {topic: (count, last) for topic, count, last in counted}
    added, drawn, search = added_sizes(pool, topics), drawn_sizes(pool).by_topic, search_of(pool)
    duplicates = (search.handling, search.found_at) if search else None
    return {
        (topic, number): RestsOn(drawn.get(topic, 0) + added[topic], judged.get(topic, ()), tuple(held), duplicates)
        for (topic, number), held in assessors.items()
    }


def _counted(pool: Pool, wanted: Mapping[Pass, RestsOn]) -> dict[Pass, Share]:
    topics = {topic for topic, _ in wanted}
    led: dict[int, set[str]] = defaultdict(set)
    for topic, docno in stood_for([pool]).filter(topic__in=topics).values_list("topic_id", "docno"):
        led[topic].add(docno)
    shares = {one: _untouched(on, len(led[one[0]])) for one, on in wanted.items() if not on.acts}
    judged = sorted({topic for (topic, _), on in wanted.items() if on.acts})
    for start in range(0, len(judged), TOPICS_AT_ONCE):
        some = judged[start : start + TOPICS_AT_ONCE]
        docnos, by_document = _entries(pool, some), _judgments(some)
        for (topic, number), on in wanted.items():
            if topic in docnos:
                shares[topic, number] = _share(on, docnos[topic], by_document[topic, number], led[topic])
    return shares


def _untouched(on: RestsOn, led: int) -> Share:
    """Nothing is judged: the documents need not be looked at."""
    left = on.entries - led
    return Share(on, left, {assessor: OwnCounts(left=left if goes_on else 0) for assessor, goes_on in on.assessors})


def _entries(pool: Pool, topics: Sequence[int]) -> dict[int, list[str]]:
    docnos: dict[int, list[str]] = {topic: [] for topic in topics}
    entries = PoolEntry.objects.filter(pool=pool, topic__in=topics).order_by()
    for topic, docno in entries.values_list("topic_id", "docno").iterator(chunk_size=10_000):
        docnos[topic].append(docno)
    return docnos


def _judgments(topics: Sequence[int]) -> Judgments:
    found: Judgments = defaultdict(lambda: defaultdict(dict))
    current = Judgment.objects.filter(topic__in=topics, is_current=True, verdict__in=Judgment.JUDGED).order_by()
    columns = ["topic_id", "pass_number", "docno", "assessor_id", "grade", "active_ms"]
    for topic, number, docno, assessor, grade, active_ms in current.values_list(*columns).iterator(chunk_size=10_000):
        found[topic, number][docno][assessor] = grade, active_ms
    return found


def _share(on: RestsOn, docnos: Sequence[str], judged: Mapping[str, ByAssessor], led: Collection[str]) -> Share:
    """`led`: documents for which a near-identical one is judged."""
    own, left = {assessor: _Own() for assessor, _ in on.assessors}, 0
    going_on = {assessor for assessor, goes_on in on.assessors if goes_on}
    for docno in docnos:
        held = judged.get(docno, {})
        is_left = docno not in led and all(grade is None for grade, _ in held.values())
        for assessor, counts in own.items():
            if assessor in held:
                counts.add(*held[assessor])
            elif is_left and assessor in going_on:
                counts.left += 1
        left += is_left and not going_on <= held.keys()
    return Share(on, left, {assessor: counts.counted() for assessor, counts in own.items()})


class _Own:
    def __init__(self) -> None:
        self.left, self.cannot_judge = 0, 0
        self.grades: Counter[int] = Counter()
        self.times: list[int] = []

    def add(self, grade: int | None, active_ms: int | None) -> None:
        if grade is None:
            self.cannot_judge += 1
        else:
            self.grades[grade] += 1
        if active_ms is not None:
            self.times.append(active_ms)

    def counted(self) -> OwnCounts:
        pace = median(self.times) / 1000 if self.times else None
        return OwnCounts(self.left, dict(self.grades), self.cannot_judge, pace)
