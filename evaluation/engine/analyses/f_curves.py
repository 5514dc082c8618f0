"""How precision and recall balance along a ranking: F at every rank, the break-even point, and lines of equal F."""

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.measures.binary import r_precision
from evaluation.engine.measures.sets import set_f
from evaluation.engine.ranked_run import RankedRun

# A line that begins below it is taken as that of beta = 0: products of such numbers lose their digits.
SMALLEST_RECALL = 1e-290


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


def f_at_ranks(ranked: RankedRun, ranks: IntArray, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """Give F of the first k documents of each group as a set, for ascending k: the values of the measure SetF@k.

    Returns float64 (n_ranks, n_groups) in [0, 1]: (1 + beta^2) * tp / (n + beta^2 * R), tp the relevant documents among the
    n = min(k, retrieved) first, R those in the qrels; E is 1 - F. Its maximum over all ranks is MaxF. 0 where tp = 0.
    Source: van Rijsbergen, 1979.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> f_at_ranks(rank_run(run, judgments), np.array([1, 2, 3]))[:, 0].round(3).tolist()
    [0.667, 0.5, 0.8]
    """
    return set_f(ranked, ranks, rel, beta)


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
    least = weight * value / (1.0 + weight - value)
    if least < SMALLEST_RECALL:
        return np.linspace(0.0, 1.0, points), np.full(points, value)
    recall = np.linspace(least, 1.0, points)
    # (1 + beta^2) * recall - beta^2 * F, written without the difference of two nearly equal numbers.
    return recall, value * recall / ((1.0 + weight) * (recall - least) + value * least)
