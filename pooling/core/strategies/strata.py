"""The documents of a sampled pool as estimators count them: those drawn, those that could have been, those beside the sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import polars as pl

from pooling.core.strategies.declaration import PAIR

SampledBy = Literal["stratum", "probability"]
ESTIMATORS: Final[Mapping[str, str]] = {
    "stratum": "xinfAP, infNDCG and infP",
    "probability": "statAP, statP, statR, statRprec and statDCG",
}
"""The measures that read a sample, by what it is sampled by."""

CHOSEN: Final = 1001
"""Chosen by a policy while the pool was judged."""
FOUND: Final = 1002
"""Found by hand, where the pool could not have drawn it."""
ELSEWHERE: Final = 1003
"""Judged through another version of the pool, where this one could not have drawn it."""

SAMPLE_SCHEMA: Final = pl.Schema(
    {"topic": pl.String, "docno": pl.String, "stratum": pl.Int32, "inclusion_probability": pl.Float64}
)


def with_strata(
    drawn: pl.DataFrame, frame: pl.DataFrame, chosen: pl.DataFrame, beside: Mapping[int, pl.DataFrame]
) -> pl.DataFrame:
    """One row for each document that estimators count: SAMPLE_SCHEMA, inclusion_probability null where it was not drawn.

    drawn: topic, docno, stratum, inclusion_probability. frame: topic, docno, stratum of those not drawn. chosen: topic, docno of
    all that a policy chose. beside: topic, docno of the documents of further strata. Sorted by topic and docno.

    What the policy chose leaves its stratum and forms one of its own with probability 1, *whether it was drawn or not*: the
    policy does not look at the sample, so what is left of the sample is a random sample of what is left of the stratum. What came
    in for other reasons does so only where the pool could not have drawn it: of a document found by hand nobody knows whether it
    would have been found if it had been drawn before, and taking only the others out of the stratum leaves their like in its
    sample, which makes the estimate too high. So it stays what it was for the draw: not drawn.

    >>> def pairs(*docnos: str) -> pl.DataFrame:
    ...     return pl.DataFrame({"topic": ["1"] * len(docnos), "docno": docnos}, schema={"topic": pl.String, "docno": pl.String})
    >>> drawn = pairs("a", "b").with_columns(stratum=pl.Series([1, 2]), inclusion_probability=pl.Series([1.0, 0.5]))
    >>> frame = pairs("c", "d").with_columns(stratum=pl.Series([2, 2]))
    >>> with_strata(drawn, frame, chosen=pairs("d"), beside={FOUND: pairs("c", "z")}).drop("topic").rows()
    [('a', 1, 1.0), ('b', 2, 0.5), ('c', 2, None), ('d', 1001, 1.0), ('z', 1002, 1.0)]
    """
    parts = [_in_stratum(chosen, CHOSEN), drawn, frame.with_columns(inclusion_probability=pl.lit(None, pl.Float64))]
    parts += [_in_stratum(pairs, stratum) for stratum, pairs in sorted(beside.items())]
    rows = pl.concat([part.select(pl.col(name).cast(dtype) for name, dtype in SAMPLE_SCHEMA.items()) for part in parts])
    return rows.unique(PAIR, keep="first", maintain_order=True).sort(PAIR)


def sampled_by(drawn: pl.DataFrame, frame: pl.DataFrame) -> SampledBy:
    """By what to read a sample of which nobody says it: by strata if each was drawn n_c of N_c, else by probabilities.

    >>> drawn = pl.DataFrame({"topic": ["1"], "docno": ["a"], "stratum": [2], "inclusion_probability": [0.5]})
    >>> frame = pl.DataFrame({"topic": ["1"], "docno": ["b"], "stratum": [2]})
    >>> sampled_by(drawn, frame), sampled_by(drawn, frame.clear())
    ('stratum', 'probability')
    """
    of_stratum = ["topic", "stratum"]
    left = frame.group_by(of_stratum).agg(left=pl.len())
    held = drawn.group_by(of_stratum).agg(
        drawn=pl.len(), low=pl.col("inclusion_probability").min(), high=pl.col("inclusion_probability").max()
    )
    counted = left.join(held, on=of_stratum, how="full", coalesce=True).with_columns(
        pl.col("left", "drawn").fill_null(0).cast(pl.Int64)
    )
    share = pl.col("drawn") / (pl.col("drawn") + pl.col("left"))
    fits = (pl.col("low") - share).abs().le(1e-9) & (pl.col("high") - share).abs().le(1e-9)
    return "stratum" if counted.select(fits.fill_null(False).all()).item() else "probability"


def _in_stratum(pairs: pl.DataFrame, stratum: int) -> pl.DataFrame:
    return pairs.select(*PAIR, stratum=pl.lit(stratum, pl.Int32), inclusion_probability=pl.lit(1.0))
