"""CombMNZ: the documents that many runs hold with high scores."""

from __future__ import annotations

import polars as pl

from pooling.core.strategies.declaration import Candidates
from pooling.core.strategies.fusion import UNIT, summed, weighted_strategy
from pooling.core.strategies.parameters import Parameters


def weigh(candidates: Candidates, parameters: Parameters) -> pl.DataFrame:
    """w(d) = |S_d| * sum over s in S_d of share_s(d), S_d the runs that hold d within the depth.

    The share is the score between the lowest, 0, and the highest, 1, of its run and topic; each is rounded to a whole number
    of units, so that their sum does not depend on the order of the runs. Sources: Fox and Shaw (1994), "Combination of
    multiple searches"; Lee (1997), "Analyses of multiple evidence combination", for the scaling of scores.
    """
    units = (candidates.appearances["share"] * UNIT).round().cast(pl.Int64).to_numpy()
    weighed = summed(candidates.appearances, units)
    return weighed.with_columns(weight=pl.col("weight").cast(pl.Float64) * pl.col("run_count")).drop("run_count")


STRATEGY = weighted_strategy(
    name="combmnz",
    label="CombMNZ",
    purpose="To find many relevant documents at a fixed cost per topic, where the scores of the runs tell more than their ranks.",
    weigh=weigh,
    by="CombMNZ score",
    reads_scores=True,
)
