"""A fixed number of judgments in all: the deepest pool of one depth that it pays for, then the documents that weigh most."""

from __future__ import annotations

import numpy as np
import polars as pl

from pooling.core.strategies import rbp
from pooling.core.strategies.declaration import Candidates, Selection, Strategy, among, pair_columns
from pooling.core.strategies.fusion import DEPTH
from pooling.core.strategies.parameters import Parameters, PoolSpecError, Whole
from pooling.core.strategies.randomness import SeededGenerator

TIES = ("best_position", "uniform", "docno")


def select(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
    """As many documents as `total`, or all that there are; no topic has more than `size`.

    1. k is the largest depth, the same for all topics and at most `depth`, whose depth-k pools fit into the budget, each cut
       at `size`. All of them are taken; where even k = 1 does not fit, only the best document of each topic.
    2. What is left of the budget goes to the documents with the largest RBP weights (as `rbp` has them), of any topic.
    Within a topic documents come by best position down to k, then by weight. Ties: best position, the generator's number,
    docno, topic.
    """
    weighed = rbp.weigh(candidates, parameters)
    topics, total = weighed["topic"].n_unique(), parameters["total"]
    if total < topics:
        raise PoolSpecError(
            f"A budget of {total:,} is too small for {topics:,} topics: "
            f"set total to at least {topics:,}, one judgment for each topic."
        )
    depth = uniform_depth(weighed, total, parameters["size"], parameters["depth"])
    placed = _placed(weighed.with_columns(generator.uniform(weighed)), depth, parameters["size"])
    taken = pl.col("is_first") | (pl.col("left_place") <= total - pl.col("is_first").sum())
    details = placed.filter(taken).select(*pair_columns(placed), "place")
    return Selection(among(candidates.appearances, details), details)


def uniform_depth(pooled: pl.DataFrame, total: int, size: int, deepest: int) -> int:
    """The largest k <= `deepest` such that depth-k pools, each cut at `size`, hold at most `total` documents; 0 if none does.

    Takes topic, docno and best_position, a row per document.

    >>> columns = {"topic": ["1", "1", "2"], "docno": ["a", "b", "a"], "best_position": [1, 2, 1]}
    >>> [uniform_depth(pl.DataFrame(columns), total, size=10, deepest=5) for total in (1, 2, 3)]
    [0, 1, 5]
    """
    topic = pooled["topic"].rank("dense").to_numpy().astype(np.int64) - 1
    topics = int(topic.max(initial=-1)) + 1
    position = np.minimum(pooled["best_position"].to_numpy().astype(np.int64), deepest + 1)
    counts = np.bincount(topic * (deepest + 2) + position, minlength=topics * (deepest + 2)).reshape(
        topics, deepest + 2
    )
    costs = np.minimum(counts.cumsum(axis=1), size).sum(axis=0)
    return int(np.searchsorted(costs[1 : deepest + 1], total, side="right"))


def _placed(weighed: pl.DataFrame, depth: int, size: int) -> pl.DataFrame:
    """Documents with `place` in their topic, at most `size`, `is_first` for step 1, `left_place` among all of step 2."""
    within = pl.col("best_position") <= depth
    by = [pl.when(within).then("best_position").otherwise(depth + 1).alias("level"), "weight", *TIES]
    placed = (
        weighed.sort(["topic", *by], descending=[False, False, True, False, False, False])
        .with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic").alias("place"))
        .filter(pl.col("place") <= size)
        .with_columns((within if depth else pl.col("place") == 1).alias("is_first"))
    )
    return placed.sort(
        ["is_first", "weight", *TIES, "topic"], descending=[False, True, False, False, False, False]
    ).with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias("left_place"))


STRATEGY = Strategy(
    name="budget",
    label="judgment budget",
    purpose="When the number of judgments over all topics is fixed, and topics may differ in size.",
    family="budget",
    parameters=(
        Whole(
            name="total",
            label="Judgments in all",
            low=1,
            high=10_000_000,
            default=5000,
            help="So many documents are judged, over all topics.",
        ),
        Whole(
            name="size",
            label="At most per topic",
            low=1,
            high=100_000,
            default=100_000,
            optional=True,
            when_empty="no limit",
            help="No topic has more documents than this.",
        ),
        DEPTH,
        rbp.PERSISTENCE,
    ),
    select=select,
    reads=lambda parameters: int(parameters["depth"]),
    covers=lambda parameters: (
        f"{parameters['total']:,} documents in all, or as many as the runs have within depth {parameters['depth']:,}.",
        "First the pools of the largest depth that fits, the same for all topics: the preview tells it.",
        "Then the documents with the largest RBP weights, of any topic.",
    ),
    contributes=lambda parameters: f"pooled documents within depth {parameters['depth']}",
    across_topics=True,
    own_order="by depth, then largest RBP weight first",
)
