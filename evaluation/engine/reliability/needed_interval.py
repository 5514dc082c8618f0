"""How well the spreads are known by which the topics needed are computed."""

from typing import Final

import numpy as np

from evaluation.engine.arrays import FloatArray

FEWEST_TOPICS: Final = 10
"""With fewer, where runs differ on few topics only, the intervals held 74 times in 100."""
NINE_OF_TEN: Final = 0.9

ROUNDING: Final = 1e-12
"""The share of a sum of squares that rounding alone may leave."""

Bounds = tuple[float, float]


def deviation_interval(differences: FloatArray) -> Bounds | None:
    """Give an interval of 95 % for the standard deviation of differences that nine of ten pairs of runs stay below.

    differences: float64 (n_pairs, n_topics), no NaN. The wider on each side of two intervals: of the jackknife over topics on the
    scale of the logarithm with Student's quantile, which is right for one pair with any distribution of differences, and of
    chi-square of one variance, which is right where many pairs are alike, so that the largest deviations are chance.
    None for fewer than 10 topics, and where the deviation is 0 with all topics or without one.
    How often it holds is in docs/reference/significance.md. Source of the jackknife: Miller, 1974.

    >>> [round(bound, 2) for bound in deviation_interval(np.array([[0.1, 0.2, 0.3, 0.4, 0.5] * 2]))]
    [0.1, 0.27]
    """
    topics = differences.shape[1]
    if topics < FEWEST_TOPICS:
        return None
    variances, without = _variances(differences)
    whole = float(_usual(variances))
    by_jackknife = jackknifed(whole, _usual(without))
    if by_jackknife is None:
        return None
    low, high = np.sqrt((topics - 1) / _chi_square(topics - 1)) * whole
    return float(min(low, by_jackknife[0])), float(max(high, by_jackknife[1]))


def left_interval(values: FloatArray) -> Bounds | None:
    """Give an interval of 95 % for the variance that is left between runs and topics, `Components.left`.

    values: float64 (n_runs, n_topics), two runs or more, no NaN. The jackknife over topics on the scale of the logarithm with
    Student's quantile; that of chi-square holds only where all pairs of runs differ equally and normally. None for fewer than 10
    topics, and where nothing is left with all topics or without one.
    How often it holds is in docs/reference/significance.md. Source: Miller, 1974.

    >>> values = np.array([[0.1, 0.2, 0.3, 0.4, 0.5] * 2, [0.2, 0.4, 0.3, 0.2, 0.1] * 2])
    >>> [round(bound, 3) for bound in left_interval(values)]
    [0.012, 0.056]
    """
    runs, topics = values.shape
    if topics < FEWEST_TOPICS:
        return None
    variances, without = _variances(values - values.mean(axis=0))
    return jackknifed(float(variances.sum()) / (runs - 1), without.sum(axis=0) / (runs - 1))


def _usual(variances: FloatArray) -> FloatArray:
    """The deviation that nine of ten pairs stay below, of each column of variances."""
    usual: FloatArray = np.quantile(np.sqrt(variances), NINE_OF_TEN, axis=0)
    return usual


def _variances(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The variance of each row, float64 (n,), and its variances without each topic, float64 (n, n_topics)."""
    topics = values.shape[1]
    squares = np.square(values - values.mean(axis=1, keepdims=True))
    total = squares.sum(axis=1, keepdims=True)
    without = np.maximum(total - squares * topics / (topics - 1), 0.0) / (topics - 2)
    return total[:, 0] / (topics - 1), np.where(without > ROUNDING * np.maximum(total, ROUNDING), without, 0.0)


def jackknifed(whole: float, without: FloatArray) -> Bounds | None:
    """Give the interval of 95 % of a number above 0 by its values without each topic, on the scale of the logarithm.

    without: float64 (n_topics,). None where one of them is not above 0. Source: Miller, 1974.

    >>> [round(bound, 2) for bound in jackknifed(1.0, np.array([0.9, 1.0, 1.1]))]
    [0.61, 1.65]
    """
    from scipy.special import stdtrit  # slow to load

    if without.min() <= 0:
        return None
    topics, logs = len(without), np.log(without)
    error = np.sqrt((topics - 1) / topics * np.square(logs - logs.mean()).sum())
    factor = np.exp(float(stdtrit(topics - 1, 0.975)) * error)
    return float(whole / factor), float(whole * factor)


def _chi_square(freedom: int) -> FloatArray:
    """The points that are passed with probability .025 and .975: float64 (2,)."""
    from scipy.special import chdtri  # slow to load

    points: FloatArray = chdtri(freedom, np.array([0.025, 0.975]))
    return points
