"""Sums over versions of a pool: a document that several of them hold is judged once and left once."""

from collections.abc import Collection, Iterable

from django.db.models import Count, Exists, OuterRef, Q

from judging.judgments.selectors.acts import Pass
from judging.judgments.selectors.own_documents import unjudged
from judging.models import Assignment, Judgment
from pooling.models import PoolEntry


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
