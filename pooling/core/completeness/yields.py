"""What parts of a pool brought: slices of depth, components, runs, teams, priority classes."""

from __future__ import annotations

from typing import Final

import polars as pl

from pooling.core.completeness.outside import PAIR

SLICE: Final = 10
YIELD: Final = ["pooled", "judged", "relevant"]


def yields(entries: pl.DataFrame, by: str) -> pl.DataFrame:
    """Entries of each value of a column, in its order: the column, pooled, judged, relevant.

    >>> entries = pl.DataFrame({"source": ["drawn", "drawn", "found"], "relevant": [True, None, False]})
    >>> yields(entries, "source").rows()
    [('drawn', 2, 1, 1), ('found', 1, 1, 0)]
    """
    return entries.group_by(by).agg(_counted()).sort(by, nulls_last=True).select(by, *YIELD)


def by_slice(entries: pl.DataFrame, width: int = SLICE) -> pl.DataFrame:
    """Entries by slices of best position: first, last, pooled, judged, relevant; first = last = 0 if no run holds them.

    >>> entries = pl.DataFrame({"best_position": [1, 10, 12, 0], "relevant": [True, False, True, None]})
    >>> by_slice(entries).rows()
    [(0, 0, 1, 0, 0), (1, 10, 2, 2, 1), (11, 20, 1, 1, 1)]
    """
    last = (pl.col("best_position").cast(pl.Int64) + width - 1) // width * width
    counted = yields(entries.with_columns(last=last), "last")
    first = pl.when(pl.col("last") > 0).then(pl.col("last") - width + 1).otherwise(0)
    return counted.select(first.alias("first"), "last", *YIELD)


def by_holder(entries: pl.DataFrame, holders: pl.DataFrame, by: str) -> pl.DataFrame:
    """Entries that each holder has: the column `by`, pooled, judged, relevant, unique, unique_relevant; sorted by it.

    holders: topic, docno and the column `by` (run, team, or priority), with as many rows of one pair as there are.
    unique: pooled documents that no other holder has, unique_relevant: those of them that are judged relevant.

    >>> entries = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "relevant": [True, True]})
    >>> rows = [("1", "a", "north"), ("1", "a", "south"), ("1", "b", "south")]
    >>> by_holder(entries, pl.DataFrame(rows, schema=["topic", "docno", "team"], orient="row"), "team").rows()
    [('north', 1, 1, 1, 0, 0), ('south', 2, 2, 2, 1, 1)]
    """
    pairs = holders.select(pl.col("topic").cast(pl.String), "docno", by).unique()
    held = pairs.join(entries.with_columns(pl.col("topic").cast(pl.String)), on=PAIR)
    alone = pl.len().over(PAIR) == 1
    found = pl.col("relevant").fill_null(value=False)
    return (
        held.with_columns(alone=alone)
        .group_by(by)
        .agg(*_counted(), unique=pl.col("alone").sum(), unique_relevant=(pl.col("alone") & found).sum())
        .sort(by)
        .select(by, *YIELD, "unique", "unique_relevant")
    )


def _counted() -> list[pl.Expr]:
    return [
        pl.len().alias("pooled"),
        pl.col("relevant").is_not_null().sum().alias("judged"),
        pl.col("relevant").sum().alias("relevant"),
    ]
