"""What one pool has and another has not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pooling.core.strategies.declaration import PAIR, PooledRun, candidates
from pooling.core.strategies.drawing import select_documents
from pooling.core.strategies.spec import PoolSpec

SHOWN = 10
"""How many documents of each side are named; the file holds all."""


@dataclass(frozen=True, slots=True)
class TopicDifference:
    topic: str
    only_a: int
    only_b: int
    both: int


@dataclass(frozen=True, slots=True)
class Differences:
    """Pairs of two pools, by topic in the order of the topics. `first_a`, `first_b`: (topic, docno) of some of each side."""

    only_a: int
    only_b: int
    both: int
    topics: tuple[TopicDifference, ...]
    first_a: tuple[tuple[str, str], ...]
    first_b: tuple[tuple[str, str], ...]


def pool_pairs(
    runs: Sequence[PooledRun], topics: Sequence[str], spec: PoolSpec, judged: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Topic (Enum in the order of `topics`) and docno of the pool that `draw_pool` would draw, in no order.

    >>> ranking = pl.DataFrame({"topic": ["1"] * 2, "docno": ["a", "b"], "position": [1, 2]})
    >>> spec = PoolSpec.with_defaults("depth-k", {"depth": 1})
    >>> pool_pairs([PooledRun("bm25", "north", 1, ranking)], ["1"], spec).rows()
    [('1', 'a')]
    """
    method = spec.method
    read = judged if method.reads_judgments else None
    available = candidates(spec.taken(runs), topics, method.reads(spec.parameters), read, method.reads_scores)
    return select_documents(available, spec).appearances.select(PAIR).unique()


def sides(a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
    """Topic, docno and side (“a”, “b” or “both”) of every pair, sorted by topic in its order, then by docno.

    >>> a, b = (pl.DataFrame({"topic": ["1", "1"], "docno": held}) for held in (["x", "y"], ["y", "z"]))
    >>> sides(a, b).rows()
    [('1', 'x', 'a'), ('1', 'y', 'both'), ('1', 'z', 'b')]
    """
    held = [(a, "a"), (b, "b")]
    marked = pl.concat([pairs.select(PAIR).with_columns(side=pl.lit(side)) for pairs, side in held])
    side = pl.when(pl.len() == 2).then(pl.lit("both")).otherwise(pl.col("side").first())
    return marked.group_by(PAIR).agg(side.alias("side")).sort(PAIR)


def differences(a: pl.DataFrame, b: pl.DataFrame, topics: Sequence[str]) -> Differences:
    """Count what two pools (topic, docno) have in common and what each has alone.

    >>> a, b = (pl.DataFrame({"topic": ["1", "1"], "docno": held}) for held in (["x", "y"], ["y", "z"]))
    >>> found = differences(a, b, ["1"])
    >>> found.only_a, found.only_b, found.both, found.first_b
    (1, 1, 1, (('1', 'z'),))
    """
    table = sides(a, b)
    counts = {(topic, side): count for topic, side, count in table.group_by("topic", "side").agg(pl.len()).iter_rows()}
    by_topic = tuple(
        TopicDifference(topic, *(counts.get((topic, side), 0) for side in ("a", "b", "both"))) for topic in topics
    )
    first = [table.filter(pl.col("side") == side).select(PAIR).head(SHOWN).rows() for side in ("a", "b")]
    only_a, only_b, both = (sum(getattr(row, name) for row in by_topic) for name in ("only_a", "only_b", "both"))
    return Differences(only_a, only_b, both, by_topic, tuple(first[0]), tuple(first[1]))


def differences_text(a: pl.DataFrame, b: pl.DataFrame) -> str:
    r"""A line `topic docno side` for every pair that one of two pools has and the other has not.

    >>> a, b = (pl.DataFrame({"topic": ["1", "1"], "docno": held}) for held in (["x", "y"], ["y", "z"]))
    >>> differences_text(a, b)
    '1 x a\n1 z b\n'
    """
    return "".join(f"{topic} {docno} {side}\n" for topic, docno, side in sides(a, b).iter_rows() if side != "both")
