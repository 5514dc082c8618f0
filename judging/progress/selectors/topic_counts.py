"""Counts of topics from nothing, by the database: for topics of which every assignment is about the whole.

What is left to an assessor is what nobody has graded in the pass, without what they could not judge: only documents that could
not be judged are read one by one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import UTC
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate

from judging.judgments.selectors.acts import Pass
from judging.judgments.selectors.counts import OwnCounts, Tally
from judging.models import Judgment
from pooling.models import Pool, PoolEntry

Unable = dict[str, set[int]]
"""By docno, the assessors who could not judge it, of documents that nobody has graded in the pass."""


class Grouped(NamedTuple):
    """Of one topic and pass: by assessor what they said, how many documents have a grade, and those that could not be judged."""

    said: dict[int, OwnCounts]
    graded: int
    unable: Unable


def grouped_counts(pool: Pool, topics: Collection[int]) -> dict[Pass, Grouped]:
    """`left` is 0 in these counts; a pass without acts about documents of the pool is not there."""
    here = PoolEntry.objects.filter(pool=pool, topic=OuterRef("topic"), docno=OuterRef("docno"))
    acts = Judgment.objects.filter(Exists(here), topic__in=topics, is_current=True).order_by()
    said: dict[Pass, dict[int, Tally]] = defaultdict(lambda: defaultdict(Tally))
    for topic, number, assessor, verdict, *counts in _groups(acts):
        said[topic, number][assessor].add_all(verdict in Judgment.JUDGED, *counts)
    shared = {one for one, by_assessor in said.items() if len(by_assessor) > 1}
    graded, unable = _graded_by_any(acts, {topic for topic, _ in shared}), _unable(acts)
    found = {}
    for one, by_assessor in said.items():
        own = {assessor: tally.counted() for assessor, tally in by_assessor.items()}
        by_any = graded.get(one, 0) if one in shared else sum(sum(counts.grades.values()) for counts in own.values())
        found[one] = Grouped(own, by_any, unable.get(one, {}))
    return found


def _groups(acts: "QuerySet[Judgment]") -> Iterator[tuple[Any, ...]]:
    columns = ("topic", "pass_number", "assessor", "verdict", "grade", "day")
    grouped = acts.annotate(day=TruncDate("judged_at", tzinfo=UTC)).values_list(*columns)
    counted = grouped.annotate(
        Count("pk"),
        flags=Count("pk", filter=Q(flagged=True)),
        notes=Count("pk", filter=~Q(note="")),
        timed=Count("active_ms"),
        time=Coalesce(Sum("active_ms"), 0),
    )
    return iter(counted)


def _graded_by_any(acts: "QuerySet[Judgment]", topics: Collection[int]) -> dict[Pass, int]:
    graded = acts.filter(topic__in=topics, verdict=Judgment.GRADED).values_list("topic", "pass_number")
    return {(topic, number): count for topic, number, count in graded.annotate(Count("docno", distinct=True))}


def _unable(acts: "QuerySet[Judgment]") -> dict[Pass, Unable]:
    same = {name: OuterRef(name) for name in ("topic", "pass_number", "docno")}
    graded = Judgment.objects.filter(**same, verdict=Judgment.GRADED, is_current=True)
    found: dict[Pass, Unable] = defaultdict(lambda: defaultdict(set))
    rows = acts.filter(~Exists(graded), verdict=Judgment.CANNOT_JUDGE)
    for topic, number, docno, assessor in rows.values_list("topic", "pass_number", "docno", "assessor"):
        found[topic, number][docno].add(assessor)
    return found
