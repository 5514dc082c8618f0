"""How many documents a pool has, of each topic and in all.

A pool may hold millions of entries and its pages are asked for again and again. What was drawn never changes: it is counted
once and kept. What was added since is counted each time, through an index of its own.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db.models import Count, Max, Min, Q, QuerySet

from campaign.web.asking_once import once
from campaign.web.cache import kept
from pooling.core.strategies.adaptive.start import BASE
from pooling.models import Pool, PoolEntry

KEPT_FORM = 1
"""Raise it when something that is kept has another form, or is counted otherwise: a cache outlives an update of the site."""


@dataclass(frozen=True, slots=True)
class DrawnSizes:
    """by_topic: documents drawn when the pool was frozen, by the topic's key. base: of all, in the stratum judged first.

    low, high: the smallest and the largest inclusion probability; None where nothing was sampled.
    """

    by_topic: dict[int, int]
    base: int
    low: float | None
    high: float | None


def pool_key(pool: Pool) -> str:
    """Names a frozen pool in caches, which may outlive a database whose keys begin again."""
    return f"{KEPT_FORM}:{pool.pk}:{pool.sha256[:16]}:{pool.frozen_at.timestamp()}"


def drawn_sizes(pool: Pool) -> DrawnSizes:
    return kept(f"pooling:drawn:{pool_key(pool)}", lambda: _drawn_sizes(pool))


def _drawn_sizes(pool: Pool) -> DrawnSizes:
    rows = PoolEntry.objects.filter(pool=pool, source=PoolEntry.DRAWN).order_by().values_list("topic_id")
    probability = "inclusion_probability"
    counted = list(
        rows.annotate(
            size=Count("pk"), base=Count("pk", filter=Q(stratum=BASE)), low=Min(probability), high=Max(probability)
        )
    )
    return DrawnSizes(
        by_topic={topic: count for topic, count, *_ in counted},
        base=sum(base for _, _, base, *_ in counted),
        low=min((low for *_, low, _ in counted if low is not None), default=None),
        high=max((high for *_, high in counted if high is not None), default=None),
    )


def added_sizes(pool: Pool, topics: Collection[int] | None = None, *, only: str = "") -> Counter[int]:
    """By topic, the documents that were added while the pool was judged; of these topics, and `only` of this source."""
    sizes: Counter[int] = Counter()
    for source in [only] if only else _sources_added(pool):
        rows = PoolEntry.objects.filter(pool=pool, source=source).order_by().values_list("topic_id")
        if topics is None:
            counts = once((added_sizes, pool.pk, source), partial(_counts, rows))
        else:
            counts = _counts(rows.filter(topic__in=topics))
        sizes.update(counts)
    return sizes


def _counts(rows: "QuerySet[PoolEntry, tuple[int]]") -> dict[int, int]:
    return dict(rows.annotate(Count("pk")))


def _sources_added(pool: Pool) -> list[str]:
    """One by one, so that the index of added entries serves; choices there can be where a strategy may make them."""
    may_grow = pool.grows or (pool.drawn_with is None and not pool.is_imported)
    return [PoolEntry.FOUND, *([PoolEntry.CHOSEN] if may_grow else [])]


def entry_count(pool: Pool) -> int:
    """The documents to judge so far: what was drawn, and what was added since."""
    return pool.size + sum(
        PoolEntry.objects.filter(pool=pool, source=source).count() for source in _sources_added(pool)
    )


def found_count(pool: Pool) -> int:
    """How many documents of the pool somebody found by hand."""
    return PoolEntry.objects.filter(pool=pool, source=PoolEntry.FOUND).count()


def topic_sizes(pool: Pool) -> dict[int, int]:
    """Documents to judge so far, by the topic's key; topics without any are not there."""
    return dict(Counter(drawn_sizes(pool).by_topic) + added_sizes(pool))


def pooled_topics(pool: Pool) -> set[int]:
    """The keys of the topics with documents. A strategy chooses only for topics that it has drawn documents of."""
    return drawn_sizes(pool).by_topic.keys() | added_sizes(pool, only=PoolEntry.FOUND).keys()


def inclusion_probabilities(pool: Pool) -> tuple[float, float] | None:
    """Return the smallest and the largest inclusion probability of a sampled pool; None if the pool is no sample."""
    drawn = drawn_sizes(pool)
    return None if drawn.low is None or drawn.high is None else (drawn.low, drawn.high)


def added_since(pool: Pool, moment: datetime) -> int:
    """The documents that were added while the pool was judged, after this moment."""
    return sum(
        PoolEntry.objects.filter(pool=pool, source=source, added_at__gt=moment).count()
        for source in _sources_added(pool)
    )
