"""Reciprocal rank fusion: the documents that many runs put near their top."""

from __future__ import annotations

import polars as pl

from pooling.core.strategies.declaration import Candidates
from pooling.core.strategies.fusion import UNIT, weighed_by_position, weighted_strategy
from pooling.core.strategies.parameters import Parameters, Whole


def weigh(candidates: Candidates, parameters: Parameters) -> pl.DataFrame:
    """w(d) = sum over the runs s that hold d of 1 / (kappa + position_s(d)), each term rounded to a whole number of units.

    Source: Cormack, Clarke and Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet and individual rank learning
    methods".
    """
    kappa = parameters["kappa"]
    divisors = range(kappa + 1, kappa + parameters["depth"] + 1)
    return weighed_by_position(candidates.appearances, ((UNIT + divisor // 2) // divisor for divisor in divisors))


STRATEGY = weighted_strategy(
    name="rrf",
    label="reciprocal rank fusion",
    purpose="To find many relevant documents at a fixed cost per topic, by reciprocal ranks.",
    weigh=weigh,
    by="sum of reciprocal ranks",
    parameters=(
        Whole(
            name="kappa",
            label="Kappa",
            symbol="κ",
            low=0,
            high=10_000,
            default=60,
            help="Added to each rank: the larger, the less the first ranks stand out.",
        ),
    ),
)
