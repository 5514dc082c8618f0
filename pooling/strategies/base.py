"""What strategies work on: runs laid end to end as one table of appearances, and what a strategy declares of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

APPEARANCE_COLUMNS = ["run", "topic", "docno", "position"]
Parameters = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PooledRun:
    """A run as pooling sees it; `ranking` has the columns topic, docno, position (canonical order, from 1 in each topic)."""

    tag: str
    team: str
    priority: int
    ranking: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number that a strategy asks for: a field of `PoolSpec` with its bounds."""

    name: str
    label: str
    low: int
    high: int
    help: str


@dataclass(frozen=True, slots=True)
class Strategy:
    """`select` keeps the appearances through which documents enter the pool; a document without one stays out.

    `sizes` gives the number of pooled pairs for several depths at once; `covers` says in words what the pool is good for.
    """

    name: str
    label: str
    parameters: tuple[Parameter, ...]
    select: Callable[[pl.DataFrame, Parameters], pl.DataFrame]
    sizes: Callable[[pl.DataFrame, Sequence[int]], dict[int, int]]
    covers: Callable[[Parameters], tuple[str, ...]]


def appearances(runs: Sequence[PooledRun], topics: Sequence[str], depth: int) -> pl.DataFrame:
    """Where each run holds each document: one row per (run, topic, docno) with position <= `depth`.

    Columns: run (UInt32, index into `runs`), topic (Enum in the order of `topics`), docno (String), position (UInt32).
    Topics that are not in `topics` are left out.
    """
    topic_type = pl.Enum(topics)
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "run": pl.UInt32,
        "topic": topic_type,
        "docno": pl.String,
        "position": pl.UInt32,
    }
    parts = [
        run.ranking.lazy()
        .filter(pl.col("position") <= depth)
        .select(
            pl.lit(index, dtype=pl.UInt32).alias("run"),
            pl.col("topic").cast(topic_type, strict=False),
            pl.col("docno"),
            pl.col("position").cast(pl.UInt32),
        )
        for index, run in enumerate(runs)
    ]
    if not parts:
        return pl.DataFrame(schema=schema)
    return pl.concat(parts).filter(pl.col("topic").is_not_null()).collect()


def documents(selected: pl.DataFrame) -> pl.DataFrame:
    """The pooled documents, one row per (topic, docno), in no order.

    Columns: topic, docno, best_position (UInt32), run_count (UInt32), position_sum (UInt64).
    """
    return selected.group_by("topic", "docno").agg(
        pl.col("position").min().alias("best_position"),
        pl.len().cast(pl.UInt32).alias("run_count"),
        pl.col("position").cast(pl.UInt64).sum().alias("position_sum"),
    )
