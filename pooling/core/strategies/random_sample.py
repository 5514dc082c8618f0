"""A simple random sample of each topic's depth-k pool."""

from __future__ import annotations

import polars as pl

from pooling.core.strategies.declaration import (
    ONLY_STRATUM,
    Candidates,
    Selection,
    Strategy,
    among,
    documents,
    pair_columns,
)
from pooling.core.strategies.fusion import DEPTH, SIZE
from pooling.core.strategies.parameters import Parameters
from pooling.core.strategies.randomness import SeededGenerator


def select(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
    """Draw n = min(size, N) of the N documents of each topic's pool of the given depth: those with the smallest random numbers.

    Each document is in the sample with probability n / N. Source: Cochran (1977), "Sampling techniques", chapter 2.
    """
    pooled = _shuffled(candidates, generator)
    is_drawn = pl.col("place") <= parameters["size"]
    probability = (pl.min_horizontal(parameters["size"], pl.len()) / pl.len()).over("topic")
    pooled = pooled.with_columns(
        probability.cast(pl.Float64).alias("inclusion_probability"),
        pl.lit(ONLY_STRATUM, dtype=pl.Int32).alias("stratum"),
    )
    details = pooled.filter(is_drawn).select(*pair_columns(pooled), "inclusion_probability", "stratum")
    return Selection(
        among(candidates.appearances, details),
        details,
        pooled.filter(~is_drawn).select(*pair_columns(pooled), "stratum"),
    )


def enters_at(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> pl.DataFrame:
    """A sample of n documents holds that of n - 1."""
    shuffled = _shuffled(candidates, generator)
    return shuffled.select(*pair_columns(shuffled), pl.col("place").alias("value"))


def _shuffled(candidates: Candidates, generator: SeededGenerator) -> pl.DataFrame:
    """The documents of all topics with `place`, 1..n in each topic."""
    pooled = documents(candidates.appearances)
    return (
        pooled.with_columns(generator.uniform(pooled))
        .sort("topic", "uniform", "docno")
        .with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic").alias("place"))
    )


STRATEGY = Strategy(
    name="random",
    label="random sample",
    purpose="To estimate by xinfAP from few judgments what the whole depth-k pool would give.",
    family="sampled",
    parameters=(SIZE, DEPTH),
    select=select,
    reads=lambda parameters: int(parameters["depth"]),
    covers=lambda parameters: (
        f"For each topic, {parameters['size']:,} documents drawn at random from its pool of depth {parameters['depth']:,}.",
        "A topic whose pool is not larger is in it completely.",
    ),
    contributes=lambda parameters: "sampled documents",
    sampling="stratum",
    enters_at=enters_at,
)
