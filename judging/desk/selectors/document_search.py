"""What a search for further documents of a topic shows: the collection's texts, and which of them the topic has already."""

from collections.abc import Mapping
from dataclasses import dataclass

from campaign.collection.selectors.search import Hit
from campaign.models import Topic
from judging.judgments.selectors.own_documents import Item, items
from judging.models import Assignment
from pooling.models import Pool, PoolEntry


@dataclass(frozen=True, slots=True)
class Result:
    """A document and how it stands: to add, in the topic's pool, or the assessor's own, judged or not yet."""

    hit: Hit
    is_pooled: bool
    is_own: bool = False
    judged: str = ""


def results(hits: list[Hit], pool: Pool, topic: Topic, own: Assignment | None) -> list[Result]:
    """`own`: the assignment of the assessor who searches; nothing is told of other assessors."""
    docnos = [hit.docno for hit in hits]
    entries = PoolEntry.objects.filter(pool=pool, topic=topic, docno__in=docnos)
    pooled = set(entries.values_list("docno", flat=True))
    judged = _own_judgments_in_words(own)
    return [Result(hit, hit.docno in pooled, hit.docno in judged, judged.get(hit.docno, "")) for hit in hits]


def _own_judgments_in_words(assignment: Assignment | None) -> Mapping[str, str]:
    """The assessor's own judgments in words, by docno, of all documents of the assignment; "" for one that is not judged."""
    if assignment is None:
        return {}
    labels = {grade.value: grade.label for grade in assignment.pool.task.grades.all()}
    return {item.docno: _in_words(item, labels) for item in items(assignment)}


def _in_words(item: Item, labels: Mapping[int, str]) -> str:
    if not item.is_judged:
        return ""
    return "cannot judge" if item.grade is None else labels.get(item.grade, str(item.grade))
