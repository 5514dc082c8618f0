"""PURE: two runs compared: the differences of their topics, tests of this one pair, and their ranked lists side by side."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.gains import Gain, gains_of
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.declarations import TESTS

OF_ONE_PAIR: Final = [test for test in TESTS.values() if not test.by_common_topics]
"""The tests of one pair of runs that a page shows beside the board's own, without correction."""


@dataclass(frozen=True, eq=False)
class TwoRuns:
    """`order`: int64, the topics that both runs have, from the largest difference in favour of a to the largest for b.

    `a`, `b`, `median` (of all runs of the board), `difference` (a minus b): float64 (n_topics,), NaN where a run has no value.
    `decides`: bool (n_topics,), the topics in favour of the better run, from the largest difference on, without which it would
    not be better. `wins`, `losses`, `ties`: topics on which a is better, worse, equal.
    """

    order: IntArray
    a: FloatArray
    b: FloatArray
    median: FloatArray
    difference: FloatArray
    decides: BoolArray
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True)
class PairTests:
    """`p`: by the name of the test. `low`, `high`: the t interval of the mean difference, None with fewer than two topics."""

    difference: float
    low: float | None
    high: float | None
    effect_size: float | None
    p: dict[str, float]


def two_runs(values: FloatArray, a: int, b: int, *, lower_is_better: bool = False) -> TwoRuns:
    """Compare two rows of `values`, float64 (n_runs, n_topics).

    >>> found = two_runs(np.array([[0.5, 0.9, 0.2], [0.4, 0.1, 0.3]]), 0, 1)
    >>> found.order.tolist(), found.decides.tolist(), (found.wins, found.losses, found.ties)
    ([1, 0, 2], [False, True, False], (2, 1, 0))
    """
    sign = -1.0 if lower_is_better else 1.0
    difference = values[a] - values[b]
    favour = np.round(sign * difference, 12)
    known = np.flatnonzero(~np.isnan(favour))
    order = known[np.argsort(-favour[known], kind="stable")]
    with np.errstate(all="ignore"):
        median = np.full(values.shape[1], np.nan)
        has_values = ~np.isnan(values).all(axis=0)
        median[has_values] = np.nanmedian(values[:, has_values], axis=0)
    return TwoRuns(
        order=order,
        a=values[a],
        b=values[b],
        median=median,
        difference=difference,
        decides=_deciding(favour, order),
        wins=int((favour > 0).sum()),
        losses=int((favour < 0).sum()),
        ties=int((favour == 0).sum()),
    )


def _deciding(favour: FloatArray, order: IntArray) -> BoolArray:
    decides = np.zeros(len(favour), dtype=np.bool_)
    total = round(float(favour[order].sum()), 12)
    if total == 0:
        return decides
    towards = order if total > 0 else order[::-1]
    left = np.abs(total) - np.cumsum(np.abs(favour[towards]) * (np.sign(favour[towards]) == np.sign(total)))
    decides[towards[: int(np.argmax(left <= 1e-12)) + 1]] = True
    return decides


def pair_tests(a: FloatArray, b: FloatArray, seed: int = 1, most_apart: float = np.inf) -> PairTests:
    """Test one pair of runs on the topics that both have, each p as if no other pair were looked at.

    `most_apart`: by how much two values can differ; the interval ends there.

    >>> found = pair_tests(np.array([0.2, 0.4, 0.6]), np.array([0.3, 0.5, 0.8]))
    >>> round(found.difference, 3), round(found.p["t"], 3), found.p["sign"]
    (-0.133, 0.057, 0.25)
    """
    matrix, pair = np.array([a, b]), np.array([[0, 1]])
    found = {test.name: compare(matrix, pair, test.name, seed=seed, most_apart=most_apart) for test in OF_ONE_PAIR}
    by_t = found["t"]
    return PairTests(
        difference=float(by_t.difference[0]),
        low=_finite(by_t.low[0]),
        high=_finite(by_t.high[0]),
        effect_size=_finite(by_t.effect_size[0]),
        p={name: float(of_test.p[0]) for name, of_test in found.items()},
    )


def side_by_side(a: pl.DataFrame, b: pl.DataFrame, grades: pl.DataFrame) -> pl.DataFrame:
    """Join two ranked lists of one topic: `a`, `b` with docno and position, `grades` with docno and grade.

    One row a document that either retrieves or that is judged: docno, grade (null: not judged), a and b (positions, null: not
    retrieved), by the better position.

    >>> lists = [pl.DataFrame({"docno": docnos, "position": [1, 2]}) for docnos in (["x", "y"], ["y", "z"])]
    >>> side_by_side(*lists, pl.DataFrame({"docno": ["y"], "grade": [2]})).rows()
    [('x', None, 1, None), ('y', 2, 2, 1), ('z', None, None, 2)]
    """
    judged = grades.filter(pl.col("grade") >= 0).select("docno", "grade")
    one = a.select("docno", pl.col("position").cast(pl.Int64).alias("a"))
    other = b.select("docno", pl.col("position").cast(pl.Int64).alias("b"))
    joined = one.join(other, on="docno", how="full", coalesce=True).join(judged, on="docno", how="full", coalesce=True)
    first = pl.min_horizontal("a", "b")
    ordered = joined.with_columns(first=first).sort("first", "a", "docno", nulls_last=True)
    return ordered.select("docno", "grade", "a", "b")


def costs(pairs: pl.DataFrame, lowest_relevant: int, gain: Gain = "linear") -> pl.DataFrame:
    """What each relevant document brings to a more than to b: its gain * (1/log2(1 + a) - 1/log2(1 + b)), as in DCG.

    The rows of `side_by_side` of relevant documents whose positions differ, with the column `gain`, the largest first by size.

    >>> pairs = pl.DataFrame({"docno": ["x", "y"], "grade": [1, 0], "a": [1, 2], "b": [3, 1]})
    >>> costs(pairs, 1).rows()
    [('x', 1, 1, 3, 0.5)]
    """
    discounts = [(1.0 / (1.0 + pl.col(run)).log(2.0)).fill_null(0.0) for run in ("a", "b")]
    relevant = pairs.filter(pl.col("grade") >= lowest_relevant)
    gains = relevant.with_columns(gain=_gains(relevant, gain) * (discounts[0] - discounts[1]))
    return gains.filter(pl.col("gain") != 0).sort(pl.col("gain").abs(), "docno", descending=[True, False])


def losses(pairs: pl.DataFrame, run: str, lowest_relevant: int, gain: Gain = "linear") -> pl.DataFrame:
    """What each relevant document would bring more at the first rank: its gain * (1 - 1/log2(1 + position)), as in DCG.

    The rows of `side_by_side` of relevant documents that the run, "a" or "b", has below rank 1, with the column `gain`, negative.

    >>> pairs = pl.DataFrame({"docno": ["x", "y"], "grade": [1, 2], "a": [3, 1], "b": [None, None]})
    >>> losses(pairs, "a", 1).rows()
    [('x', 1, 3, None, -0.5)]
    """
    discount = (1.0 / (1.0 + pl.col(run)).log(2.0)).fill_null(0.0)
    relevant = pairs.filter(pl.col("grade") >= lowest_relevant)
    lost = relevant.with_columns(gain=_gains(relevant, gain) * (discount - 1.0))
    return lost.filter(pl.col("gain") != 0).sort(pl.col("gain"), "docno")


def _gains(relevant: pl.DataFrame, gain: Gain) -> pl.Series:
    return pl.Series(gains_of(relevant["grade"].to_numpy(), gain))


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None
