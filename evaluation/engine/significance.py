"""Which differences between runs are more than the choice of topics would bring by itself.

Topics are paired always: every test works on the differences between two runs topic by topic.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from evaluation.engine.arrays import BoolArray, FloatArray, ratio
from evaluation.engine.averaging import mean_over_topics

ROUNDING = 1e-12
"""A spread below this share of the largest value is the noise of floating point, and counts as none."""


@dataclass(frozen=True)
class PairedT:
    """Paired t-tests of one or many pairs of runs; every array float64 of the shape of the pairs.

    `difference`: mean of the differences; `low`, `high`: its confidence interval; `t`: the statistic;
    `p`: two-sided; `effect_size`: mean of the differences / their standard deviation.
    """

    difference: FloatArray
    low: FloatArray
    high: FloatArray
    t: FloatArray
    p: FloatArray
    effect_size: FloatArray


@dataclass(frozen=True)
class ComparisonWithBest(PairedT):
    """Every run against the best one; arrays of shape (n_runs,), differences are run minus best.

    `best`: index of the run of the highest mean, the first of those equal but for rounding; its own row holds
    difference 0 and p 1.
    `p_holm`: p corrected for the n_runs - 1 comparisons. `alike_best`: bool, p_holm is above 1 - level.
    """

    best: int
    p_holm: FloatArray
    alike_best: BoolArray


def mean_interval(matrix: FloatArray, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Give the t interval of each run's mean over topics: two float64 arrays of shape (n_runs,).

    mean -+ t(1 - (1 - level)/2; n - 1) * s / sqrt(n), s with divisor n - 1, for `matrix` float64 (n_runs, n_topics).
    The interval is not cut to the measure's range. With fewer than two topics it is (-inf, inf). Source: Student, 1908.

    >>> low, high = mean_interval(np.array([[0.2, 0.4, 0.6]]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([-0.097], [0.897])
    """
    mean, error = mean_over_topics(matrix), _standard_error(matrix)
    half = _half_width(error, matrix.shape[-1], level)
    return mean - half, mean + half


def paired_t(x: FloatArray, y: FloatArray, level: float = 0.95) -> PairedT:
    """Test, two-sided, whether x - y has mean 0 over the topics (last axis; other axes are broadcast as pairs).

    t = mean(d) / (sd(d) / sqrt(n)), d = x - y, n - 1 degrees of freedom, sd with divisor n - 1. Decided cases:
    d = 0 everywhere: t = 0, p = 1, effect size 0, interval [0, 0]. d constant but not 0: the limits, t and effect size
    +-inf, p = 0, interval [d, d]. Fewer than two topics: nothing is known, t = 0, p = 1, effect size 0, interval
    (-inf, inf). Source: Student, 1908; for this use Smucker, Allan and Carterette, 2007.
    """
    n_topics = np.broadcast_shapes(x.shape, y.shape)[-1]
    noise = ROUNDING * np.maximum(np.abs(x), np.abs(y)).max(axis=-1, initial=0.0)
    d = x - y
    difference = mean_over_topics(d)
    difference = np.where(np.abs(difference) <= noise, 0.0, difference)
    error = _standard_error(d)
    error = np.where(error * np.sqrt(n_topics) <= noise, 0.0, error)
    t = _quotient_with_limits(difference, error) if n_topics > 1 else np.zeros_like(difference)
    p = 2.0 * stdtr(n_topics - 1, -np.abs(t)) if n_topics > 1 else np.ones_like(difference)
    half = _half_width(error, n_topics, level)
    return PairedT(difference, difference - half, difference + half, t, p, t / np.sqrt(max(n_topics, 1)))


def holm(p: FloatArray) -> FloatArray:
    """Correct p-values, float64 (m,), for their number so that the family-wise error rate holds (Holm, 1979).

    Step-down: the i-th smallest of m becomes the largest (m - j + 1) * p_(j) for j <= i, at most 1. Order is kept.

    >>> holm(np.array([0.04, 0.01, 0.03])).round(3).tolist()
    [0.06, 0.03, 0.06]
    """
    m = len(p)
    ascending = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[ascending] * (m - np.arange(m)))
    corrected = np.empty(m)
    corrected[ascending] = np.minimum(stepped, 1.0)
    return corrected


def compare_with_best(matrix: FloatArray, level: float = 0.95) -> ComparisonWithBest:
    """Test every run against the run of the highest mean, p-values corrected by Holm's method over those comparisons.

    `matrix` is float64 (n_runs, n_topics), n_runs >= 1.

    >>> found = compare_with_best(np.array([[0.2, 0.4, 0.6], [0.3, 0.5, 0.8]]))
    >>> found.best, found.difference.round(3).tolist(), found.p_holm.round(3).tolist()
    (1, [-0.133, 0.0], [0.057, 1.0])
    """
    means = mean_over_topics(matrix)
    best = int(np.argmax(means >= means.max() - ROUNDING * np.abs(matrix).max(initial=0.0)))
    test = paired_t(matrix, matrix[best], level)
    others = np.arange(len(matrix)) != best
    p_holm = np.ones(len(matrix))
    p_holm[others] = holm(test.p[others])
    return ComparisonWithBest(**vars(test), best=best, p_holm=p_holm, alike_best=p_holm > 1.0 - level)


def _standard_error(values: FloatArray) -> FloatArray:
    n_topics = values.shape[-1]
    squares = np.square(values - mean_over_topics(values)[..., np.newaxis]).sum(axis=-1)
    error: FloatArray = np.sqrt(squares / max(n_topics - 1, 1) / max(n_topics, 1))
    return error


def _half_width(error: FloatArray, n_topics: int, level: float) -> FloatArray:
    if n_topics < 2:
        return np.full_like(error, np.inf)
    half_width: FloatArray = error * stdtrit(n_topics - 1, 0.5 + level / 2.0)
    return half_width


def _quotient_with_limits(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    limits = np.where(numerator == 0.0, 0.0, np.copysign(np.inf, numerator))
    return np.where(denominator == 0.0, limits, ratio(numerator, denominator))
