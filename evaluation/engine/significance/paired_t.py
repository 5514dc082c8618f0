"""Student's t: intervals of means, and the paired test of two runs topic by topic."""

from dataclasses import dataclass, fields

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, ratio
from evaluation.engine.averaging import sum_over_topics
from evaluation.engine.significance.families import by_parts, parts_of

ROUNDING = 1e-12
"""A spread below this share of the largest value is the noise of floating point, and counts as none."""
FAR = 1e-9
"""Means that lie further apart than this share of the largest value do so topic by topic as well, whatever the rounding."""


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


def mean_interval(matrix: FloatArray, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Give the t interval of each run's expected mean: two float64 arrays of shape (n_runs,).

    mean -+ t(1 - (1 - level)/2; n - 1) * s / sqrt(n), s with divisor n - 1, for `matrix` float64 (n_runs, n_topics); NaN
    is a topic without a value, which is left out. It covers the mean over all topics of the kind that these are drawn
    from in about `level` of all cases, with many topics or values that are about normal; the mean over n other topics has
    twice the variance around it and falls inside less often: in 2 * Phi(z / sqrt(2)) - 1, 83 % for a level of 95 % and many
    topics. With few topics and values that are nearly all the same it is far too narrow.
    It is not cut to the measure's range: `ranges.interval_of_summary` is. With fewer than two topics it is (-inf, inf).
    Source: Student, 1908.

    >>> low, high = mean_interval(np.array([[0.2, 0.4, 0.6]]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([-0.097], [0.897])
    """
    mean, error, n_topics = moments(matrix)
    half = _half_width(error, n_topics, level)
    return mean - half, mean + half


def paired_t(x: FloatArray, y: FloatArray, level: float = 0.95) -> PairedT:
    """Test, two-sided, whether x - y has mean 0 over the topics (last axis; other axes are broadcast as pairs).

    t = mean(d) / (sd(d) / sqrt(n)), d = x - y, n - 1 degrees of freedom, sd with divisor n - 1, over the n topics for
    which neither is NaN. Decided cases:
    d = 0 everywhere: t = 0, p = 1, effect size 0, interval [0, 0]. d constant but not 0: the limits, t and effect size
    +-inf, p = 2^(1 - n), which the signs alone give (differences without any spread say nothing of how other topics vary),
    interval [d, d]. Fewer than two topics: nothing is known, t = 0, p = 1, effect size NaN, interval
    (-inf, inf). Source: Student, 1908; for this use Smucker, Allan and Carterette, 2007.
    """
    from scipy.special import stdtr  # slow to load, and 27 MB

    difference, error, n_topics = moments_of_pairs(x, y)
    t = np.where(n_topics > 1, _quotient_with_limits(difference, error), 0.0)
    by_t = 2.0 * stdtr(np.maximum(n_topics - 1, 1), -np.abs(t))
    p = np.where(n_topics > 1, np.where(np.isinf(t), 2.0 ** (1 - n_topics), by_t), 1.0)
    half = _half_width(error, n_topics, level)
    effect_size = np.where(n_topics > 1, t / np.sqrt(np.maximum(n_topics, 1)), np.nan)
    return PairedT(difference, difference - half, difference + half, t, p, effect_size)


def paired_t_of(matrix: FloatArray, pairs: IntArray, level: float = 0.95) -> PairedT:
    """Test pairs of rows of `matrix`, float64 (n_runs, n_topics): the arrays of `paired_t` by pair, of shape (n_pairs,).

    The memory needed beside the result does not grow with the number of pairs.
    """
    parts = [paired_t(matrix[part[:, 0]], matrix[part[:, 1]], level) for part in parts_of(pairs)]
    return PairedT(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(PairedT)))


def moments_of_pairs(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Give the `moments` of x - y, with 0 for what is only the noise of floating point."""
    noise = ROUNDING * np.fmax(np.abs(x), np.abs(y)).max(axis=-1, initial=0.0, where=~(np.isnan(x) | np.isnan(y)))
    difference, error, n_topics = moments(x - y)
    difference = np.where(np.abs(difference) <= noise, 0.0, difference)
    return difference, np.where(error * np.sqrt(n_topics) <= noise, 0.0, error), n_topics


def signs_of_differences(matrix: FloatArray, pairs: IntArray) -> IntArray:
    """Give the sign of `difference` of `paired_t_of` of each pair, int64 (n_pairs,): 1, -1, or 0 for what is only noise.

    `matrix` is float64 (n_runs, n_topics), NaN for a topic that a run lacks. The means of two runs that have all topics differ
    by the mean of their differences, but for rounding: only pairs whose means lie so close that rounding may decide, and those
    of runs that lack topics, are subtracted topic by topic.

    >>> values = np.array([[0.5, 0.4], [0.1 + 0.2, 0.6], [0.3, 0.6], [0.9, np.nan]])
    >>> signs_of_differences(values, np.array([[0, 1], [1, 2], [2, 0], [0, 3]])).tolist()
    [0, 0, 0, -1]
    """
    n_topics = matrix.shape[1]
    largest = np.abs(matrix).max(axis=1, initial=0.0)  # NaN for a run that lacks a topic
    means = ratio(sum_over_topics(matrix), np.full(len(matrix), n_topics))
    first, second = pairs[:, 0], pairs[:, 1]
    apart = means[first] - means[second]
    signs = np.sign(apart)
    limit = (FAR + 4 * n_topics * np.finfo(np.float64).eps) * np.maximum(largest[first], largest[second])
    unsure = np.flatnonzero(~(np.abs(apart) > limit))
    signs[unsure] = by_parts(lambda part: _mean_signs(matrix[part[:, 0]], matrix[part[:, 1]]), pairs[unsure])
    return signs.astype(np.int64)


def _mean_signs(x: FloatArray, y: FloatArray) -> FloatArray:
    signs: FloatArray = np.sign(moments_of_pairs(x, y)[0])
    return signs


def moments(values: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Give the mean over the topics (last axis) that are not NaN, its standard error, and how many they are."""
    known = ~np.isnan(values)
    n_topics = known.sum(axis=-1)
    mean = ratio(sum_over_topics(np.where(known, values, 0.0)), n_topics)
    squares = np.square(values - mean[..., np.newaxis]).sum(axis=-1, where=known)
    return mean, np.sqrt(squares / np.maximum(n_topics - 1, 1) / np.maximum(n_topics, 1)), n_topics


def _half_width(error: FloatArray, n_topics: IntArray, level: float) -> FloatArray:
    from scipy.special import stdtrit  # slow to load, and 27 MB

    half_width = error * stdtrit(np.maximum(n_topics - 1, 1), 0.5 + level / 2.0)
    return np.where(n_topics > 1, half_width, np.inf)


def _quotient_with_limits(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    limits = np.where(numerator == 0.0, 0.0, np.copysign(np.inf, numerator))
    return np.where(denominator == 0.0, limits, ratio(numerator, denominator))
