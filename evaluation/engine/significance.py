"""Which differences between runs are more than the choice of topics would bring by itself.

Topics are paired always: every test works on the differences between two runs topic by topic. NaN says that a run has
no value for a topic, which is then left out.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray, ratio
from evaluation.engine.averaging import sum_over_topics

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
    `p_holm`: p corrected for all n_runs * (n_runs - 1) / 2 pairs of runs. `not_shown_to_differ`: bool, p_holm is above
    1 - level.
    """

    best: int
    p_holm: FloatArray
    not_shown_to_differ: BoolArray


def mean_interval(matrix: FloatArray, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Give the t interval of each run's expected mean: two float64 arrays of shape (n_runs,).

    mean -+ t(1 - (1 - level)/2; n - 1) * s / sqrt(n), s with divisor n - 1, for `matrix` float64 (n_runs, n_topics); NaN
    is a topic without a value, which is left out. It covers the mean over all topics of the kind that these are drawn
    from in `level` of all cases; the mean over n other topics has twice the variance around it and falls inside less
    often: in 2 * Phi(z / sqrt(2)) - 1, 83 % for a level of 95 % and many topics.
    The interval is not cut to the measure's range. With fewer than two topics it is (-inf, inf). Source: Student, 1908.

    >>> low, high = mean_interval(np.array([[0.2, 0.4, 0.6]]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([-0.097], [0.897])
    """
    mean, error, n_topics = _moments(matrix)
    half = _half_width(error, n_topics, level)
    return mean - half, mean + half


def paired_t(x: FloatArray, y: FloatArray, level: float = 0.95) -> PairedT:
    """Test, two-sided, whether x - y has mean 0 over the topics (last axis; other axes are broadcast as pairs).

    t = mean(d) / (sd(d) / sqrt(n)), d = x - y, n - 1 degrees of freedom, sd with divisor n - 1, over the n topics for
    which neither is NaN. Decided cases:
    d = 0 everywhere: t = 0, p = 1, effect size 0, interval [0, 0]. d constant but not 0: the limits, t and effect size
    +-inf, p = 0, interval [d, d]. Fewer than two topics: nothing is known, t = 0, p = 1, effect size 0, interval
    (-inf, inf). Source: Student, 1908; for this use Smucker, Allan and Carterette, 2007.
    """
    noise = ROUNDING * np.fmax(np.abs(x), np.abs(y)).max(axis=-1, initial=0.0, where=~(np.isnan(x) | np.isnan(y)))
    difference, error, n_topics = _moments(x - y)
    difference = np.where(np.abs(difference) <= noise, 0.0, difference)
    error = np.where(error * np.sqrt(n_topics) <= noise, 0.0, error)
    t = np.where(n_topics > 1, _quotient_with_limits(difference, error), 0.0)
    p = np.where(n_topics > 1, 2.0 * stdtr(np.maximum(n_topics - 1, 1), -np.abs(t)), 1.0)
    half = _half_width(error, n_topics, level)
    return PairedT(difference, difference - half, difference + half, t, p, t / np.sqrt(np.maximum(n_topics, 1)))


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
    """Test every run against the run of the highest mean, p-values corrected by Holm's method over all pairs of runs.

    The run of the highest mean is known only after the scores are seen, so each comparison with it is one of all pairs:
    corrected for all of them, the probability that any two runs of equal expectation are said to differ is at most
    1 - level. `matrix` is float64 (n_runs, n_topics), n_runs >= 1; NaN is a topic for which a run has no value: a pair is
    tested over the topics that both have. Source: Holm, 1979.

    >>> found = compare_with_best(np.array([[0.2, 0.4, 0.6], [0.3, 0.5, 0.8], [0.1, 0.1, 0.9]]))
    >>> found.best, found.difference.round(3).tolist(), found.p_holm.round(3).tolist()
    (1, [-0.133, 0.0, -0.167], [0.172, 1.0, 0.74])
    """
    means, _, n_topics = _moments(matrix)
    means = np.where(n_topics > 0, means, -np.inf) if matrix.shape[-1] else means
    noise = ROUNDING * np.abs(matrix).max(initial=0.0, where=~np.isnan(matrix))
    best = int(np.argmax(means >= means.max() - noise))
    p_holm = _p_holm_of_pairs(matrix)[best]
    test = paired_t(matrix, matrix[best], level)
    return ComparisonWithBest(**vars(test), best=best, p_holm=p_holm, not_shown_to_differ=p_holm > 1.0 - level)


def _p_holm_of_pairs(matrix: FloatArray) -> FloatArray:
    """Give the paired t-tests' p of all pairs of runs, corrected for their number: float64 (n_runs, n_runs), symmetric.

    The diagonal is 1. One run against all later ones at a time, so that memory holds n_runs * n_topics differences only.
    """
    n_runs = len(matrix)
    later = [paired_t(matrix[run + 1 :], matrix[run]).p for run in range(n_runs - 1)]
    corrected = np.ones((n_runs, n_runs))
    first, second = np.triu_indices(n_runs, 1)
    corrected[first, second] = corrected[second, first] = holm(np.concatenate([np.empty(0), *later]))
    return corrected


def _moments(values: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Give the mean over the topics (last axis) that are not NaN, its standard error, and how many they are."""
    known = ~np.isnan(values)
    n_topics = known.sum(axis=-1)
    mean = ratio(sum_over_topics(np.where(known, values, 0.0)), n_topics)
    squares = np.square(values - mean[..., np.newaxis]).sum(axis=-1, where=known)
    return mean, np.sqrt(squares / np.maximum(n_topics - 1, 1) / np.maximum(n_topics, 1)), n_topics


def _half_width(error: FloatArray, n_topics: IntArray, level: float) -> FloatArray:
    half_width = error * stdtrit(np.maximum(n_topics - 1, 1), 0.5 + level / 2.0)
    return np.where(n_topics > 1, half_width, np.inf)


def _quotient_with_limits(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    limits = np.where(numerator == 0.0, 0.0, np.copysign(np.inf, numerator))
    return np.where(denominator == 0.0, limits, ratio(numerator, denominator))
