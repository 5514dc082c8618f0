"""All estimates of what is still outside, of one pool."""

from __future__ import annotations

from typing import Literal

import polars as pl

from pooling.core.completeness import control
from pooling.core.completeness.control import by_random_sample, sample_size
from pooling.core.completeness.limits import relevant_drawn, told_of_recapture, told_of_sample, told_of_slices
from pooling.core.completeness.outside import NoEstimate, Outside
from pooling.core.completeness.recapture import by_recapture
from pooling.core.completeness.slices import by_slices

Sampling = Literal["", "stratum", "probability"]


def estimates(
    entries: pl.DataFrame,
    holders: pl.DataFrame,
    *,
    frame: pl.DataFrame | None = None,
    sampling: Sampling = "",
    depth: int = 0,
    horizon: int = 1000,
    limited: bool = True,
) -> list[Outside | NoEstimate]:
    """By a random sample, by capture-recapture between teams and by extrapolation of depth slices, in this order.

    entries, frame, holders: as the three methods take them. sampling: as the strategy declares it. depth: to which every run
    is in the pool whole, or by a random sample; 0 where there is none. horizon: how deep the runs go: positions below it are
    in no run and tell nothing of how fast relevant documents become rarer. limited: refuse what
    `limits` refuses, as everywhere but in the simulation from which these limits come.

    >>> schema = {"topic": pl.String, "docno": pl.String, "best_position": pl.UInt32, "relevant": pl.Boolean}
    >>> entries = pl.DataFrame([("1", "a", 1, True), ("1", "b", 1, True)], schema=schema, orient="row")
    >>> holders = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "team": [0, 1]})
    >>> [type(estimate).__name__ for estimate in estimates(entries, holders, depth=1)]
    ['NoEstimate', 'Outside', 'NoEstimate']
    """
    depth = min(depth, horizon)
    sample = _by_sample(entries, frame, sampling, limited=limited)
    recapture, slices = by_recapture(entries, holders), by_slices(entries, depth, horizon)
    if not limited:
        return [sample, recapture, slices]
    drawn = relevant_drawn(entries, depth)
    return [
        sample,
        told_of_recapture(recapture, depth, is_sample=bool(sampling)),
        told_of_slices(slices, depth, drawn),
    ]


def _by_sample(
    entries: pl.DataFrame, frame: pl.DataFrame | None, sampling: Sampling, *, limited: bool
) -> Outside | NoEstimate:
    if not sampling:
        return NoEstimate(control.METHOD, "the pool was not drawn at random, and holds no control sample")
    estimate = by_random_sample(entries, frame, sampling)
    if frame is None or not limited:
        return estimate
    return told_of_sample(estimate, sample_size(entries, frame), int(entries["relevant"].sum()))
