"""What strategies share that take the documents of each topic that the runs together put first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from pooling.core.strategies.declaration import (
    PAIR,
    Candidates,
    Selection,
    Strategy,
    among,
    one_row_each,
    pair_columns,
)
from pooling.core.strategies.parameters import Parameter, Parameters, Whole
from pooling.core.strategies.randomness import SeededGenerator

UNIT = 2**48
"""Weights are whole numbers of 1/UNIT, since sums of whole numbers do not depend on the order of their terms. With terms up
to 1 the sums of 32,767 runs fit 64 bits. A term below half a unit counts as 0: best positions then decide."""

SIZE = Whole(
    name="size",
    label="Documents per topic",
    symbol="n",
    low=1,
    high=100_000,
    default=100,
    help="So many documents of each topic are judged.",
    compared=(50, 100, 200, 500),
)
DEPTH = Whole(
    name="depth",
    label="Depth",
    low=1,
    high=1000,
    default=100,
    help="How many first documents of each pooled run are looked at.",
)

Weigh = Callable[[Candidates, Parameters], pl.DataFrame]
"""Gives each document (topic, docno) its `weight` and its best position."""


def weighted_strategy(
    *,
    name: str,
    label: str,
    weigh: Weigh,
    by: str,
    purpose: str = "",
    parameters: Sequence[Parameter] = (),
    reads_scores: bool = False,
) -> Strategy:
    """The strategy that takes the `size` documents of each topic with the largest weights; `by` says what a weight is."""

    def select(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
        details = best_documents(weigh(candidates, parameters), parameters["size"], generator)
        return Selection(among(candidates.appearances, details), details)

    def enters_at(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> pl.DataFrame:
        most = max(parameters["size"], *SIZE.compared)
        return best_documents(weigh(candidates, parameters), most, generator).rename({"place": "value"})

    return Strategy(
        name=name,
        label=label,
        purpose=purpose,
        family="budget",
        parameters=(SIZE, DEPTH, *parameters),
        select=select,
        reads=lambda parameters: int(parameters["depth"]),
        covers=lambda parameters: (
            f"For each topic, the {parameters['size']:,} documents with the largest {by}.",
            f"Documents below position {parameters['depth']:,} of a run count as absent from it.",
        ),
        contributes=lambda parameters: f"pooled documents within depth {parameters['depth']}",
        reads_scores=reads_scores,
        own_order=f"largest {by} first",
        enters_at=enters_at,
    )


def weighed_by_position(appearances: pl.DataFrame, terms: Iterable[int]) -> pl.DataFrame:
    """The weight of each document: the sum over the runs that hold it of `terms[position - 1]`, whole numbers.

    Takes appearances and at least as many terms as their largest position. Columns: topic, docno, weight (Int64),
    best_position (UInt32); one row per (topic, docno), in no order.

    >>> rows = {"topic": ["1", "1", "1"], "docno": ["a", "b", "a"], "position": [1, 2, 2]}
    >>> weighed_by_position(pl.DataFrame(rows, schema_overrides={"position": pl.UInt32}), [5, 3]).sort("docno").rows()
    [('1', 'a', 8, 1), ('1', 'b', 3, 2)]
    """
    of_position = np.fromiter((0, *terms), dtype=np.int64)
    return summed(appearances, of_position[appearances["position"].to_numpy()]).drop("run_count")


def summed(appearances: pl.DataFrame, weights: npt.NDArray[np.int64]) -> pl.DataFrame:
    """The sum of the weights of each document's appearances; columns as `weighed_by_position` has, and run_count (UInt32).

    >>> rows = {"topic": ["1", "1"], "docno": ["a", "a"], "position": [3, 2]}
    >>> summed(pl.DataFrame(rows, schema_overrides={"position": pl.UInt32}), np.array([5, 3])).rows()
    [('1', 'a', 8, 2, 2)]
    """
    if "pair" not in appearances.columns:
        weighed = appearances.with_columns(weight=pl.Series(weights, dtype=pl.Int64))
        return weighed.group_by(PAIR).agg(
            pl.col("weight").sum(),
            pl.col("position").min().alias("best_position"),
            pl.len().cast(pl.UInt32).alias("run_count"),
        )
    found, pair, position = (
        one_row_each(appearances),
        appearances["pair"].to_numpy(),
        appearances["position"].to_numpy(),
    )
    number = found["pair"].to_numpy()
    count = np.bincount(pair)
    total, best = np.zeros(len(count), dtype=np.int64), np.full(len(count), position.max(initial=0))
    np.add.at(total, pair, weights)
    np.minimum.at(best, pair, position)
    return found.with_columns(
        weight=pl.Series(total[number], dtype=pl.Int64),
        best_position=pl.Series(best[number], dtype=pl.UInt32),
        run_count=pl.Series(count[number], dtype=pl.UInt32),
    )


def best_documents(weighed: pl.DataFrame, size: int, generator: SeededGenerator) -> pl.DataFrame:
    """The first `size` documents of each topic: topic, docno and `place` (UInt32), 1..n in each topic.

    By weight, the largest first; equal ones by best position, then by the generator's number of the document, then by docno.

    >>> columns = {"topic": ["1"] * 3, "docno": ["a", "b", "c"], "weight": [1, 2, 2], "best_position": [1, 2, 1]}
    >>> best_documents(pl.DataFrame(columns), 2, SeededGenerator(0)).rows()
    [('1', 'c', 1), ('1', 'b', 2)]
    """
    in_reach = weighed.filter(pl.col("weight") >= pl.col("weight").top_k(size).min().over("topic"))
    return (
        in_reach.with_columns(_numbers_of_tied(in_reach, generator))
        .sort(["topic", "weight", "best_position", "uniform", "docno"], descending=[False, True, False, False, False])
        .with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic").alias("place"))
        .filter(pl.col("place") <= size)
        .select(*pair_columns(weighed), "place")
    )


def _numbers_of_tied(weighed: pl.DataFrame, generator: SeededGenerator) -> pl.Series:
    """The generator's numbers of the documents that have the weight and best position of another one; 0 for all others."""
    tied = weighed.select(pl.struct("topic", "weight", "best_position").is_duplicated()).to_series()
    numbers = np.zeros(weighed.height)
    numbers[tied.to_numpy()] = generator.uniform(weighed.filter(tied)).to_numpy()
    return pl.Series("uniform", numbers)
