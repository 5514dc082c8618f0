"""statAP sampling: each document is drawn on its own, the likelier the higher the runs rank it."""

from __future__ import annotations

import numpy as np
import polars as pl

from pooling.core.strategies.declaration import (
    ONLY_STRATUM,
    PAIR,
    Candidates,
    Selection,
    Strategy,
    among,
    pair_columns,
)
from pooling.core.strategies.depth_k import DEEPEST
from pooling.core.strategies.fusion import summed
from pooling.core.strategies.parameters import Parameters, Whole
from pooling.core.strategies.randomness import SeededGenerator
from pooling.core.strategies.strata import ESTIMATORS

UNIT = 2**40
"""Weights are summed as whole multiples of 1 / UNIT: such sums are the same in every order of the runs."""


def select(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
    """Draw each document d with probability p_d = min(1, s w_d), independently; s makes the sum of all p_d of a topic `size`.

    w_d is the sum over the runs of the AP prior of d's position; all p_d are 1 where a topic has no more than `size` documents.
    Source: Aslam and Pavlu (2007); the prior is that of Aslam, Pavlu and Yilmaz (2006).
    """
    framed = probabilities(prior_weights(candidates.appearances), parameters["size"])
    is_drawn = generator.uniform(framed) < framed["inclusion_probability"]
    details = framed.filter(is_drawn).select(*pair_columns(framed), "inclusion_probability")
    frame = framed.filter(~is_drawn).select(*pair_columns(framed), stratum=pl.lit(ONLY_STRATUM, dtype=pl.Int32))
    return Selection(among(candidates.appearances, details), details, frame)


def prior_weights(appearances: pl.DataFrame) -> pl.DataFrame:
    """What the documents of each topic weigh in average precision: topic, docno, weight (Int64, in units of 1 / UNIT).

    At position r of a list of Z documents w(r) = (1 + 1/r + 1/(r+1) + ... + 1/Z) / 2Z, about log(Z/r) / 2Z, which sums to 1 over
    the list; a document has the sum over all lists that hold it. Takes topic, docno, position and run.

    >>> held = {"run": [0, 0, 1], "topic": ["1"] * 3, "docno": ["a", "b", "a"], "position": [1, 2, 1]}
    >>> weights = prior_weights(pl.DataFrame(held).cast({"position": pl.UInt32})).sort("docno")
    >>> (weights["weight"] / UNIT).to_list()
    [1.625, 0.375]
    """
    lists = appearances.with_columns(pl.col("position").max().over("run", "topic").alias("length"))
    length, position = (lists[name].to_numpy().astype(np.int64) for name in ("length", "position"))
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, length.max(initial=0) + 1))))
    weight = (1.0 + harmonic[length] - harmonic[position - 1]) / (2.0 * length)
    return summed(appearances, np.rint(weight * UNIT).astype(np.int64)).drop("best_position", "run_count")


def probabilities(weights: pl.DataFrame, size: int) -> pl.DataFrame:
    """The documents (topic, docno) with inclusion_probability p_d = min(1, s w_d), sorted by topic and docno.

    Float64 in (0, 1]. The heaviest documents have 1 as long as s would lift them above it; the rest share what is left of `size`
    by weight, so that the sum of p_d is min(size, number of documents) in each topic.

    >>> weights = pl.DataFrame({"topic": ["1"] * 4, "docno": list("abcd"), "weight": [8, 2, 1, 1]})
    >>> probabilities(weights, size=2)["inclusion_probability"].to_list()
    [1.0, 0.5, 0.25, 0.25]
    """
    weight, place = pl.col("weight"), pl.int_range(pl.len()).over("topic")
    # No more than there are: products of larger sizes and weights do not fit 64 bits.
    most = pl.min_horizontal(pl.lit(size, pl.Int64), pl.len().cast(pl.Int64)).over("topic")
    ordered = weights.sort("topic", "weight", "docno", descending=[False, True, False]).with_columns(
        rest=(weight.sum() - weight.cum_sum() + weight).over("topic"), most=most, left=most - place
    )
    # In whole numbers, so exact: once a document stays below 1, all lighter ones do.
    ordered = ordered.with_columns(certain=pl.col("left") * weight > pl.col("rest"))
    certain = pl.col("certain")
    left, rest = pl.col("most").first() - certain.sum(), weight.filter(~certain).sum()
    shared = (left * weight).over("topic") / rest.over("topic")
    probability = pl.when("certain").then(1.0).otherwise(shared).clip(upper_bound=1.0)
    return ordered.select(*pair_columns(ordered), inclusion_probability=probability).sort(PAIR)


def covers(parameters: Parameters) -> tuple[str, ...]:
    size, depth = parameters["size"], parameters["depth"]
    return (
        f"About {size:,} of the first {depth:,} documents of the pooled runs in each topic, each drawn on its own.",
        "The higher the runs rank a document, the likelier it is drawn.",
        f"Released qrels hold the probability of each document. Estimators that read them: {ESTIMATORS['probability']}.",
    )


STRATEGY = Strategy(
    name="statap",
    label="statAP sample",
    purpose="To estimate statAP of a deep pool at a part of its cost, each document drawn by its own probability.",
    family="sampled",
    parameters=(
        Whole(
            name="size",
            label="Size",
            low=1,
            high=100_000,
            default=50,
            help="How many documents of a topic are drawn on average; each is drawn on its own, so the number varies.",
        ),
        Whole(
            name="depth",
            label="Depth",
            low=1,
            high=DEEPEST,
            default=100,
            help="How many first documents of each pooled run can be drawn.",
        ),
    ),
    select=select,
    reads=lambda parameters: int(parameters["depth"]),
    sampling="probability",
    covers=covers,
    contributes=lambda parameters: f"sampled documents within depth {parameters['depth']}",
)
