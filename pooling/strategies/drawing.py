"""From runs and a spec to the pool, and the pool's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pooling.strategies.base import PooledRun, appearances, documents
from pooling.strategies.ordering import in_judging_order
from pooling.strategies.spec import PoolSpec


@dataclass(frozen=True, slots=True)
class Draw:
    """`entries`: the pool in judging order; `selected`: the appearances (run, topic, docno, position) that made it."""

    entries: pl.DataFrame
    selected: pl.DataFrame


def draw_pool(runs: Sequence[PooledRun], topics: Sequence[str], spec: PoolSpec) -> Draw:
    """The pool of `runs` (those that the spec takes) over `topics`, in their order.

    `entries` has the columns topic (Enum), docno (String), position, best_position, run_count (UInt32): one row per pooled pair,
    topics as given, position 1..n within each topic. The same runs, in any order, and the same spec give the same table.
    """
    taken = [run for run in runs if spec.takes(run.tag, run.priority)]
    selected = spec.method.select(appearances(taken, topics, spec.depth), spec.parameters)
    return Draw(in_judging_order(documents(selected), spec.order, spec.seed), selected)


def pool_file(entries: pl.DataFrame) -> bytes:
    """The pool as text: a line `topic docno` per pair (one space, UTF-8, LF); topics as ordered, documents in judging order."""
    lines = entries.select(pl.format("{} {}\n", pl.col("topic").cast(pl.String), pl.col("docno")))
    return "".join(lines.to_series().to_list()).encode()
