"""Borda count: each run votes for its first documents, with more points the higher they stand."""

from __future__ import annotations

import polars as pl

from pooling.core.strategies.declaration import Candidates
from pooling.core.strategies.fusion import weighed_by_position, weighted_strategy
from pooling.core.strategies.parameters import Parameters


def weigh(candidates: Candidates, parameters: Parameters) -> pl.DataFrame:
    """w(d) = sum over the runs s that hold d within depth K of K - position_s(d) + 1; a run without d gives it 0 points.

    Some share the points that a run leaves over among the documents that it lacks; these do not. Source: Aslam and Montague
    (2001), "Models for metasearch".
    """
    return weighed_by_position(candidates.appearances, range(parameters["depth"], 0, -1))


STRATEGY = weighted_strategy(
    name="borda",
    label="Borda count",
    purpose="To find many relevant documents at a fixed cost per topic, by points for ranks.",
    weigh=weigh,
    by="sum of Borda points",
)
