"""What is known of documents before a pool is drawn: pooled, judged, without a text. Kept, since previews ask again and again."""

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeVar

import polars as pl
from django.core.cache import caches
from django.db.models import Count, Max

from campaign.models import Collection, Document, Task
from pooling.core.strategies.declaration import PooledRun
from pooling.models import PoolEntry
from pooling.selectors.judged_documents import all_judged_documents, judgments_version
from pooling.selectors.pools import latest_pairs, pooled_pairs
from pooling.selectors.runs import KEPT_SECONDS

ASKED_AT_ONCE = 10_000
T = TypeVar("T")


def known_version(task: Task) -> str:
    """Return a text that changes with the pools, the judgments and the documents of the task."""
    entries = PoolEntry.objects.filter(pool__task=task).aggregate(count=Count("pk"), last=Max("pk"))
    texts = Collection.objects.filter(tasks=task).values_list("documents_version", flat=True).first()
    return f"{entries['count']}-{entries['last']} {judgments_version(task)} {task.collection_id}-{texts}"


def pooled_before(task: Task, version: str) -> pl.DataFrame:
    """Return topic and docno of the pairs that some version of the task's pool holds."""
    return _kept(f"pooled:{task.pk}:{version}", lambda: pooled_pairs(task))


def pooled_last(task: Task, version: str) -> pl.DataFrame:
    """Return topic and docno of the pairs of the latest version, found and chosen ones too; without a row where there is none."""
    return _kept(f"replaced:{task.pk}:{version}", lambda: latest_pairs(task))


def judged_before(task: Task, version: str) -> pl.DataFrame | None:
    """Return topic, docno and grade of what is judged."""
    return _kept(f"judged:{task.pk}:{version}", lambda: all_judged_documents(task))


def docnos_without_text(task: Task, heads: Sequence[PooledRun], of: str) -> pl.Series | None:
    """Return the documents of the heads that the collection has no text for; None where the task has no collection.

    `of`: a text that names what the heads are of and the version of the documents.
    """
    collection = task.collection_id
    return None if collection is None else _kept(f"texts:{of}", lambda: _without_text(collection, heads))


def _without_text(collection_id: int, heads: Sequence[PooledRun]) -> pl.Series:
    asked = pl.concat([pl.Series("docno", [], dtype=pl.String), *(head.ranking["docno"] for head in heads)]).unique()
    with_text = Document.objects.filter(collection=collection_id, has_text=True).order_by()
    found: list[str] = []
    for some in asked.to_frame().iter_slices(ASKED_AT_ONCE):
        found += with_text.filter(docno__in=some["docno"].to_list()).values_list("docno", flat=True)
    return asked.filter(~asked.is_in(pl.Series(found, dtype=pl.String).implode()))


def _kept(name: str, make: Callable[[], T]) -> T:
    key = f"pooling:{hashlib.sha256(name.encode()).hexdigest()}"
    held = caches["bulk"].get(key)
    if held is None:
        held = make()
        caches["bulk"].set(key, held, timeout=KEPT_SECONDS)
    return held  # type: ignore[no-any-return]
