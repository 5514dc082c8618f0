"""NTCIR order: the documents of the depth-k pool that most runs hold."""

from __future__ import annotations

import polars as pl

from pooling.core.strategies.declaration import Candidates, documents
from pooling.core.strategies.fusion import weighted_strategy
from pooling.core.strategies.parameters import Parameters


def weigh(candidates: Candidates, parameters: Parameters) -> pl.DataFrame:
    """Documents by the number of runs that hold them within the depth, then by the sum of their positions there, smallest first.

    As one whole number: w(d) = |S_d| * m - sum over s in S_d of position_s(d), m larger than any such sum. Source: Sakai
    and Kando (2008), "Are popular documents more likely to be relevant? A dive into the ACLIA IR4QA pools" (EVIA), where
    assessors get a depth-k pool in this order.
    """
    larger_than_any_sum = candidates.runs.height * parameters["depth"] + 1
    weight = pl.col("run_count").cast(pl.Int64) * larger_than_any_sum - pl.col("position_sum").cast(pl.Int64)
    return documents(candidates.appearances).with_columns(weight.alias("weight"))


STRATEGY = weighted_strategy(
    name="ntcir",
    label="NTCIR order",
    purpose="To judge in the order that NTCIR tasks use.",
    weigh=weigh,
    by="number of runs that hold them",
)
