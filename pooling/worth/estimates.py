"""All estimates of what is still outside, of one pool."""

from __future__ import annotations

from typing import Literal

import polars as pl

from pooling.worth import control
from pooling.worth.control import by_random_sample
from pooling.worth.outside import NoEstimate, Outside
from pooling.worth.recapture import by_recapture
from pooling.worth.slices import by_slices


def estimates(
    entries: pl.DataFrame,
    holders: pl.DataFrame,
    *,
    frame: pl.DataFrame | None = None,
    sampling: Literal["", "stratum", "probability"] = "",
    depth: int = 0,
    horizon: int = 1000,
) -> list[Outside | NoEstimate]:
    """By a random sample, by capture-recapture between teams and by extrapolation of depth slices, in this order.

    entries, frame, holders: as the three methods take them. sampling: as the strategy declares it. depth: to which every run
    is in the pool whole, or by a random sample; 0 where there is none. horizon: how deep the runs go.

    >>> schema = {"topic": pl.String, "docno": pl.String, "best_position": pl.UInt32, "relevant": pl.Boolean}
    >>> entries = pl.DataFrame([("1", "a", 1, True), ("1", "b", 1, True)], schema=schema, orient="row")
    >>> holders = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "team": [0, 1]})
    >>> [type(estimate).__name__ for estimate in estimates(entries, holders, depth=1)]
    ['NoEstimate', 'Outside', 'NoEstimate']
    """
    if sampling:
        sample = by_random_sample(entries, frame, sampling)
    else:
        sample = NoEstimate(control.METHOD, "the pool was not drawn at random, and holds no control sample")
    return [sample, by_recapture(entries, holders), by_slices(entries, depth, horizon)]
