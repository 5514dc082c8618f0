"""Depth-k pooling: a topic's pool is the union of the first k documents of every pooled run."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pooling.strategies.base import Parameter, Parameters, Strategy

DEEPEST = 1000


def select(appearances: pl.DataFrame, parameters: Parameters) -> pl.DataFrame:
    """P_t = union over runs s of {d : position_s(d) <= k}, k = `parameters["depth"]`.

    Takes and returns appearances (run, topic, docno, position).
    Source: Spärck Jones and van Rijsbergen (1975), as practised at TREC.
    """
    return appearances.filter(pl.col("position") <= parameters["depth"])


def sizes(appearances: pl.DataFrame, depths: Sequence[int]) -> dict[int, int]:
    """Pooled pairs for each depth in one pass: a pair is in the pool of depth k if and only if its best position is <= k."""
    best = appearances.group_by("topic", "docno").agg(pl.col("position").min())["position"]
    return {depth: int((best <= depth).sum()) for depth in depths}


def covers(parameters: Parameters) -> tuple[str, ...]:
    depth = parameters["depth"]
    return (
        f"The first {depth} documents of every pooled run.",
        f"P@{depth}, RR@{depth} and nDCG@{depth} exact for these runs, and at every smaller cutoff.",
        "AP, R@1000 and other measures that look deeper take what is not judged as not relevant.",
    )


STRATEGY = Strategy(
    name="depth-k",
    label="depth-k",
    parameters=(
        Parameter("depth", "Depth k", 1, DEEPEST, "The first k documents of each pooled run, in canonical order."),
    ),
    select=select,
    sizes=sizes,
    covers=covers,
)
