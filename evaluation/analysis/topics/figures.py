"""PURE: what the values of all runs say of each topic."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from evaluation.engine.analyses.rank_correlation import kendall_tau
from evaluation.engine.arrays import FloatArray, IntArray

DEPTHS = (10, 100)
"""To which ranks it is counted how many runs retrieve a document."""


@dataclass(frozen=True, eq=False)
class TopicFigures:
    """Arrays (n_topics,) over the runs that have a value; NaN where none has.

    `spread`: standard deviation with divisor n - 1, NaN for one run. `best`: the place of the best run, -1 where no
    run has a value, the first of several. `best_runs`: how many runs have the best value.
    `agreement`: by `topic_agreement`; None where nobody asked for it.
    """

    low: FloatArray
    quarter: FloatArray
    median: FloatArray
    three_quarters: FloatArray
    high: FloatArray
    mean: FloatArray
    spread: FloatArray
    best: IntArray
    best_runs: IntArray
    agreement: FloatArray | None = None


def topic_figures(values: FloatArray, *, lower_is_better: bool = False) -> TopicFigures:
    """Figures of each column of `values`, float64 (n_runs, n_topics), NaN for a topic that a run lacks.

    >>> found = topic_figures(np.array([[0.2, 0.4], [0.6, 0.5], [0.4, 0.0]]))
    >>> found.median.tolist(), found.best.tolist()
    ([0.4, 0.4], [1, 1])
    """
    n_topics = values.shape[1]
    known = ~np.isnan(values).all(axis=0)
    shown = values[:, known]
    quartiles = np.full((5, n_topics), np.nan)
    mean, spread = np.full(n_topics, np.nan), np.full(n_topics, np.nan)
    best, best_runs = np.full(n_topics, -1, dtype=np.int64), np.zeros(n_topics, dtype=np.int64)
    if known.any():
        quartiles[:, known] = np.nanquantile(shown, [0, 0.25, 0.5, 0.75, 1], axis=0)
        mean[known] = np.nanmean(shown, axis=0)
        counts = (~np.isnan(shown)).sum(axis=0)
        squares = np.nansum((shown - mean[known]) ** 2, axis=0)
        spread[known] = np.where(counts > 1, np.sqrt(squares / np.maximum(counts - 1, 1)), np.nan)
        best[known] = np.nanargmin(shown, axis=0) if lower_is_better else np.nanargmax(shown, axis=0)
        of_best = np.take_along_axis(shown, best[known][np.newaxis], axis=0)
        best_runs[known] = (np.round(shown, 12) == np.round(of_best, 12)).sum(axis=0)
    low, quarter, median, three_quarters, high = quartiles
    return TopicFigures(low, quarter, median, three_quarters, high, mean, spread, best, best_runs)


def topic_agreement(values: FloatArray) -> FloatArray:
    """Kendall's tau-b of the runs' values on each topic and their means over the other topics; NaN where all are equal.

    >>> topic_agreement(np.array([[0.2, 0.4], [0.6, 0.5], [0.4, 0.0]])).round(2).tolist()
    [0.33, 0.33]
    """
    found = np.full(values.shape[1], np.nan)
    zeros, counts = np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
    sums, answered = zeros.sum(axis=1), counts.sum(axis=1)
    for topic in range(values.shape[1]):
        others = answered - counts[:, topic]
        both = (counts[:, topic] > 0) & (others > 0)
        if both.sum() > 1:
            rest = (sums - zeros[:, topic])[both] / others[both]
            found[topic] = kendall_tau(np.round(values[both, topic], 12), np.round(rest, 12))
    return found


def retrieved_counts(lists: Mapping[int, pl.DataFrame], judged: pl.DataFrame) -> pl.DataFrame:
    """Count in how many runs each judged document of a topic stands among the first 10 and 100.

    `lists`: by run, docno and position; `judged`: docno and grade. The columns docno, grade, in_10, in_100 (Int64), the highest
    grade first, then the most often retrieved.

    >>> lists = {0: pl.DataFrame({"docno": ["a", "b"], "position": [1, 11]})}
    >>> retrieved_counts(lists, pl.DataFrame({"docno": ["a", "b", "c"], "grade": [0, 2, 1]})).rows()
    [('b', 2, 0, 1), ('c', 1, 0, 0), ('a', 0, 1, 1)]
    """
    schema = {"docno": pl.String, "position": pl.Int64}
    columns = [table.select("docno", pl.col("position").cast(pl.Int64)) for table in lists.values()]
    lines = pl.concat([pl.DataFrame(schema=schema), *columns])
    within = [(pl.col("position") <= depth).sum().cast(pl.Int64).alias(f"in_{depth}") for depth in DEPTHS]
    counts = lines.group_by("docno").agg(within)
    joined = judged.select("docno", "grade").join(counts, on="docno", how="left").fill_null(0)
    order = joined.sort("grade", "in_10", "in_100", "docno", descending=[True, True, True, False])
    return order.select("docno", "grade", "in_10", "in_100")
