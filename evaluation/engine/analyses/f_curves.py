"""How precision and recall balance along a ranking: the break-even point, and lines of equal F."""

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.binary import r_precision
from evaluation.engine.ranked_run import RankedRun


def break_even(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Give precision and recall at the rank where they are equal: rank R, the number of relevant documents in the qrels.

    Returns float64 (n_groups,) in [0, 1]: tp / R, tp the relevant documents with rank <= R, which is R-precision. Ranks
    beyond the end of a short ranking count as not relevant. 0 where R = 0. Source: Lewis, 1992.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> break_even(rank_run(run, judgments)).tolist()
    [0.5]
    """
    at_r: FloatArray = r_precision(ranked, np.array([1.0]), rel)[0]
    return at_r


def line_of_equal_f(value: float, beta: float = 1.0, points: int = 50) -> tuple[FloatArray, FloatArray]:
    """Give the points of recall and precision that have the same F, and so the same E = 1 - F, for 0 < value < 1.

    Returns recall and precision, float64 (points,) in [0, 1]: recall ascends evenly from where precision is 1,
    beta^2 F / (1 + beta^2 - F), to 1; precision = F * recall / ((1 + beta^2) * recall - beta^2 * F), which is
    F = (1 + beta^2) * P * R / (beta^2 * P + R) solved for P. Source: van Rijsbergen, 1979.

    >>> recall, precision = line_of_equal_f(0.5, points=3)
    >>> recall.round(3).tolist(), precision.round(3).tolist()
    ([0.333, 0.667, 1.0], [1.0, 0.4, 0.333])
    """
    weight = beta**2
    recall = np.linspace(weight * value / (1.0 + weight - value), 1.0, points)
    if weight == 0:
        return recall, np.full(points, value)
    return recall, value * recall / ((1.0 + weight) * recall - weight * value)
