"""Whether a pool is visibly not exhausted: whether its last part still brings relevant documents."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import polars as pl

THRESHOLD: Final = 0.05
"""A last part with a larger share of the relevant documents found is taken to promise more beyond it."""
SLICES: Final = 5
WIDEST: Final = 10
LAST: Final = 0.1


@dataclass(frozen=True, slots=True)
class TopicTail:
    """`judged` and `relevant` of the last part of a topic; `share` of the topic's relevant documents, in [0, 1]."""

    topic: str
    judged: int
    relevant: int
    share: float


@dataclass(frozen=True, slots=True)
class Tail:
    """What the last part of the pool brought. `topics`: those above the threshold, most relevant documents first.

    pooled: the documents of the last part. Where none of them is judged, nothing is known of it, and `share` is 0.
    """

    part: str
    pooled: int
    judged: int
    relevant: int
    share: float
    topics: tuple[TopicTail, ...]

    @property
    def promises_more(self) -> bool:
        return self.share > THRESHOLD

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "threshold": THRESHOLD}


def slice_width(depth: int) -> int:
    """Positions in a slice: at least five slices to the depth of a pool, none wider than ten; ten where there is no depth.

    >>> [slice_width(depth) for depth in (0, 3, 10, 20, 100)]
    [10, 1, 2, 4, 10]
    """
    return max(1, min(WIDEST, depth // SLICES)) if depth else WIDEST


def held_depth(entries: pl.DataFrame, depth: int) -> int:
    """The deepest position up to `depth` at which the pool drew a document: where runs are shorter, the last slice ends there.

    entries: best_position, source. 0 where there is none.

    >>> entries = pl.DataFrame({"best_position": [1, 6, 9], "source": ["drawn", "drawn", "found"]})
    >>> held_depth(entries, 10), held_depth(entries, 5)
    (6, 1)
    """
    within = entries.filter(pl.col("source") == "drawn", pl.col("best_position").is_between(1, depth))
    return int(within["best_position"].to_numpy().max(initial=0))


def tail_by_depth(entries: pl.DataFrame, depth: int) -> Tail | None:
    """What the last slice of depth brought; None below two positions, or where no relevant document is found.

    depth: the deepest position that the pool holds (`held_depth`), since nothing is ever known of a slice without documents.
    entries: topic, best_position, relevant (Boolean; null: not judged); with inclusion_probability each counts 1 / probability in
    the shares.

    >>> schema = {"topic": pl.String, "best_position": pl.UInt32, "relevant": pl.Boolean}
    >>> entries = pl.DataFrame([("1", 1, True), ("1", 2, True), ("2", 1, True)], schema=schema, orient="row")
    >>> tail = tail_by_depth(entries, depth=2)
    >>> tail.share, [topic.topic for topic in tail.topics]
    (0.3333333333333333, ['1'])
    """
    first = depth - slice_width(depth) + 1
    if first < 2:
        return None
    held = entries.filter(pl.col("best_position").is_between(1, depth))
    part = f"positions {first} to {depth}" if first < depth else f"position {depth}"
    return _tail(held.with_columns(last=pl.col("best_position") >= first), part)


def tail_by_order(entries: pl.DataFrame, part: str) -> Tail | None:
    """What the last tenth of each topic's judged documents brought, in an order that puts the promising ones first.

    entries: topic, relevant, order (null where relevant is). part: how the result calls it.

    >>> entries = pl.DataFrame({"topic": ["1"] * 10, "relevant": [False] * 9 + [True], "order": range(10)})
    >>> tail_by_order(entries, "the last tenth").share
    1.0
    """
    judged = entries.filter(pl.col("relevant").is_not_null())
    place = pl.col("order").rank("ordinal").over("topic")
    return _tail(judged.with_columns(last=place > (1 - LAST) * pl.len().over("topic")), part)


def _tail(entries: pl.DataFrame, part: str) -> Tail | None:
    sampled = "inclusion_probability" in entries.columns
    weight = 1 / pl.col("inclusion_probability").fill_null(1.0) if sampled else pl.lit(1.0)
    relevant = pl.col("relevant").fill_null(value=False)
    counted = entries.with_columns(weight=pl.when(relevant).then(weight).otherwise(0.0))
    by_topic = counted.group_by("topic").agg(
        pooled=pl.col("last").sum(),
        judged=(pl.col("last") & pl.col("relevant").is_not_null()).sum(),
        relevant=(pl.col("last") & relevant).sum(),
        late=(pl.col("last") * pl.col("weight")).sum(),
        all=pl.col("weight").sum(),
    )
    late, every = (float(by_topic[name].to_numpy().sum()) for name in ("late", "all"))
    pooled = int(by_topic["pooled"].sum())
    if not every or not pooled:
        return None
    worst = by_topic.filter(pl.col("late") > THRESHOLD * pl.col("all")).with_columns(
        share=pl.col("late") / pl.col("all")
    )
    worst = worst.sort(["relevant", "share", "topic"], descending=[True, True, False])
    return Tail(
        part=part,
        pooled=pooled,
        judged=int(by_topic["judged"].sum()),
        relevant=int(by_topic["relevant"].sum()),
        share=late / every,
        topics=tuple(TopicTail(*row) for row in worst.select("topic", "judged", "relevant", "share").iter_rows()),
    )
