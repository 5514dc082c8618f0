"""Stratified sampling: a random sample of each stratum of a topic's documents, the strata by best position."""

from __future__ import annotations

import polars as pl

from pooling.core.strategies.declaration import (
    Candidates,
    Selection,
    Strategy,
    among,
    documents,
    pair_columns,
)
from pooling.core.strategies.depth_k import DEEPEST
from pooling.core.strategies.parameters import Number, Pairs, Parameters, PoolSpecError, Whole
from pooling.core.strategies.randomness import SeededGenerator
from pooling.core.strategies.strata import ESTIMATORS

LOWEST_RATE = 0.001
MOST_STRATA = 999
OF_STRATUM = ["topic", "stratum"]
DECIMALS = 9
"""Rates are decimal fractions, of which a double is not quite one: 0.145 of 100 documents are 14.5, rounded up to 15."""


def select(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
    """Draw n_c = max(1, floor(rate_c N_c + 1/2)) of the N_c documents of each topic and stratum c, all sets equally likely.

    Stratum c holds the documents whose best position b in the pooled runs is bound_{c-1} < b <= bound_c; drawn are those with
    the n_c smallest seeded numbers, with probability n_c / N_c each. A stratum without documents in a topic is not there.
    Source: Yilmaz, Kanoulas and Aslam (2008).
    """
    bounds = [bound for bound, _ in parameters["rates"]]
    if len(bounds) > MOST_STRATA:
        raise PoolSpecError(f"The setting rates has {len(bounds):,} strata. Give at most {MOST_STRATA}.")
    found = documents(candidates.appearances)
    framed = found.select(
        *pair_columns(found),
        stratum=pl.Series(bounds).search_sorted(found["best_position"], side="left").cast(pl.Int32) + 1,
        lot=generator.uniform(found),
    )
    rates = pl.DataFrame({"stratum": range(1, len(bounds) + 1), "rate": [rate for _, rate in parameters["rates"]]})
    framed = framed.join(rates.cast({"stratum": pl.Int32}), on="stratum")
    # Equal numbers are next to impossible; docno settles them all the same.
    framed = framed.sort(*OF_STRATUM, "lot", "docno").with_columns(
        held=pl.len().over(OF_STRATUM).cast(pl.Int64), place=pl.int_range(1, pl.len() + 1).over(OF_STRATUM)
    )
    size = ((pl.col("rate") * pl.col("held")).round(DECIMALS) + 0.5).floor().cast(pl.Int64).clip(lower_bound=1)
    framed = framed.with_columns(size=size)
    drawn = framed.filter(pl.col("place") <= pl.col("size"))
    details = drawn.select(*pair_columns(drawn), "stratum", inclusion_probability=pl.col("size") / pl.col("held"))
    frame = framed.filter(pl.col("place") > pl.col("size")).select(*pair_columns(framed), "stratum")
    return Selection(among(candidates.appearances, details), details, frame)


def judged_whole(parameters: Parameters) -> int:
    """The bound of the leading strata of which all documents are drawn; 0 where the first one is sampled."""
    depth = 0
    for bound, rate in parameters["rates"]:
        if rate < 1:
            break
        depth = int(bound)
    return depth


def deepest(parameters: Parameters) -> int:
    return int(parameters["rates"][-1][0])


def covers(parameters: Parameters) -> tuple[str, ...]:
    firsts = [1, *(bound + 1 for bound, _ in parameters["rates"])]
    strata = [
        f"{'all' if rate == 1 else f'{100 * rate:g} %'} of those from {first} to {bound}"
        for first, (bound, rate) in zip(firsts, parameters["rates"], strict=False)
    ]
    return (
        f"A random sample of each topic's documents, by their best position in the pooled runs: {', '.join(strata)}.",
        f"Released qrels hold the strata, also of what was not drawn. Estimators that read them: {ESTIMATORS['stratum']}.",
    )


STRATEGY = Strategy(
    name="stratified",
    label="stratified sample",
    purpose="To estimate xinfAP and infNDCG of a deep pool at a part of its cost.",
    family="sampled",
    parameters=(
        Pairs(
            name="rates",
            label="Strata and rates",
            help="For each stratum its last position and the share that is judged: 10:1 20:0.5 judges all documents that a run "
            "holds among its first 10, and half of those from 11 to 20.",
            first=Whole(name="bound", label="Last position", low=1, high=DEEPEST, default=10),
            second=Number(name="rate", label="Rate", low=LOWEST_RATE, high=1, default=1.0),
            default=((10, 1.0), (20, 0.5), (100, 0.1)),
        ),
    ),
    select=select,
    reads=deepest,
    judged_whole=judged_whole,
    sampling="stratum",
    covers=covers,
    contributes=lambda parameters: f"sampled documents within depth {deepest(parameters)}",
)
