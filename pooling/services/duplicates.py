"""Looking for near-identical texts in a pool. What the organiser makes of them is decided in judging."""

from collections.abc import Callable, Sequence

import polars as pl
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from campaign.models import Document, Job, Topic
from campaign.queue.jobs import enqueue
from pooling.core.duplicates.classes import THRESHOLD, Texts, alike_pairs, classes_by_topic
from pooling.core.strategies.declaration import PAIR
from pooling.models import DuplicateSearch, Pool, Twin
from pooling.selectors.duplicates import FIND_DUPLICATES, handling_of, pooled_positions

READ_AT_ONCE = 500
KEPT_WHILE_ONE = (
    "Near-identical documents are left to the one that stands for them: with other classes, documents without a grade could be "
    "missing at the desk. Choose another handling, look again, then choose it once more."
)


def search_request(pool: Pool) -> Job:
    """Have a worker look for near-duplicates; called in the transaction that freezes the pool, and by the organiser."""
    if handling_of(pool) == DuplicateSearch.ONE:
        raise ValidationError(KEPT_WHILE_ONE)
    return enqueue(FIND_DUPLICATES, task_id=pool.task_id, pool_id=pool.pk)


def duplicates_find(*, pool: Pool, report: Callable[[int, int], None] = lambda done, total: None) -> DuplicateSearch:
    """Look for near-identical texts, and replace what an earlier search found. Run twice, it finds the same.

    Raises ValidationError, and changes nothing, while one document is judged for its class.
    """
    pooled = pooled_positions(pool)
    docnos = _with_text(pool, sorted(set(pooled["docno"].to_list())))
    pairs = alike_pairs(docnos, _texts(pool), THRESHOLD, lambda done: report(done, len(docnos)))
    classes = classes_by_topic(pooled, pairs)
    with transaction.atomic():
        values = {"threshold": THRESHOLD, "documents": len(docnos), "found_at": timezone.now()}
        DuplicateSearch.objects.get_or_create(pool=pool, defaults=values)
        search = DuplicateSearch.objects.select_for_update().get(pool=pool)
        if search.handling == DuplicateSearch.ONE:
            raise ValidationError(KEPT_WHILE_ONE)
        DuplicateSearch.objects.filter(pk=search.pk).update(**values)
        _replace(pool, classes.join(pooled, left_on=["topic", "representative"], right_on=PAIR, maintain_order="left"))
        search.refresh_from_db()
    return search


def _replace(pool: Pool, classes: pl.DataFrame) -> None:
    topics = dict(Topic.objects.filter(task=pool.task_id).values_list("number", "pk"))
    Twin.objects.filter(pool=pool).delete()
    rows = classes.select(*PAIR, "representative", "similarity", "position").iter_rows()
    Twin.objects.bulk_create(
        (
            Twin(
                pool=pool,
                topic_id=topics[topic],
                docno=docno,
                representative=representative,
                similarity=similarity,
                place=place,
            )
            for topic, docno, representative, similarity, place in rows
        ),
        batch_size=2000,
    )


def _with_text(pool: Pool, docnos: Sequence[str]) -> list[str]:
    held = Document.objects.filter(collection=pool.task.collection_id, has_text=True)
    found: list[str] = []
    for start in range(0, len(docnos), READ_AT_ONCE):
        found += held.filter(docno__in=docnos[start : start + READ_AT_ONCE]).order_by().values_list("docno", flat=True)
    return sorted(found)


def _texts(pool: Pool) -> Texts:
    def texts(docnos: Sequence[str]) -> list[str]:
        held = Document.objects.filter(collection=pool.task.collection_id, docno__in=docnos)
        found = {docno: f"{title}\n{text}" for docno, title, text in held.values_list("docno", "title", "text")}
        return [found.get(docno, "") for docno in docnos]

    return texts
