"""The bootstrap: topics are drawn with replacement."""

import numpy as np
from scipy.special import ndtr, ndtri

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.averaging import sum_over_topics
from evaluation.engine.significance.grid import equal_within, on_grid
from evaluation.engine.significance.resampling import Apart, Resampled, blocks, share

PERCENTILE, BCA = "percentile", "bca"


def bootstrap_intervals(
    matrix: FloatArray, level: float = 0.95, resamples: int = 10_000, seed: int = 0, method: str = BCA
) -> tuple[FloatArray, FloatArray]:
    """Give an interval of each run's expected mean by resampled topics: two float64 arrays (n_runs,).

    percentile: the quantiles (1 - level)/2 and (1 + level)/2 of the resampled means. bca: these quantiles corrected for
    bias (z0, from the share of resampled means below the mean, half of the equal ones counted) and acceleration (from the
    jackknife). Runs that lack a topic are resampled over their own topics. The resamples are shared by all runs of the
    same topics. With fewer than two topics or constant values the interval is the mean itself.
    Sources: Efron, 1987; for this use Sakai, 2006.
    """
    low, high = np.empty(len(matrix)), np.empty(len(matrix))
    known = ~np.isnan(matrix)
    patterns, pattern_of = np.unique(known, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(pattern_of.ravel() == number)
        values = matrix[np.ix_(rows, np.flatnonzero(pattern))]
        low[rows], high[rows] = _intervals(values, level, resamples, seed, method)
    return low, high


def bootstrap_shift(matrix: FloatArray, pairs: IntArray, resamples: int = 10_000, seed: int = 0) -> Resampled:
    """Test, two-sided, whether the mean difference is 0, by resampling differences moved to mean 0; `p` float64 (n_pairs,).

    p = (1 + #{|mean(d*) - mean(d)| >= |mean(d)|}) / (1 + resamples), d* the differences of topics drawn with replacement.
    Topics that some run lacks are left out of all pairs. `p_max` takes the largest |mean(d*) - mean(d)| of any pair of runs.
    With fewer than 20 topics it rejects too often. Source: Efron and Tibshirani, 1993.
    """
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    n_topics = known.shape[1]
    numbers, _ = on_grid(known, 2 * max(n_topics, 1))
    observed = numbers.sum(axis=1)
    extent = np.abs(observed[pairs[:, 0]] - observed[pairs[:, 1]]) - equal_within(n_topics)
    weights = _weights(n_topics, resamples, seed)
    apart, largest = Apart(pairs, extent), np.empty(resamples)
    for block in blocks(resamples):
        moved = numbers @ weights[block].T - observed[:, np.newaxis]
        largest[block] = np.ptp(moved, axis=0)
        apart.add(moved)
    of_largest = resamples - np.searchsorted(np.sort(largest), extent, side="left")
    return Resampled(share(apart.counts, resamples), share(of_largest, resamples), resamples, seed)


def _weights(n_topics: int, resamples: int, seed: int) -> FloatArray:
    """How often each topic was drawn, (resamples, n_topics)."""
    if not n_topics:
        return np.zeros((resamples, 0))
    random = np.random.default_rng(seed)
    drawn: FloatArray = random.multinomial(n_topics, np.full(n_topics, 1.0 / n_topics), resamples).astype(np.float64)
    return drawn


def _intervals(
    values: FloatArray, level: float, resamples: int, seed: int, method: str
) -> tuple[FloatArray, FloatArray]:
    n_topics = values.shape[1]
    if n_topics == 0:
        nothing = np.full(len(values), np.nan)
        return nothing, nothing
    numbers, width = on_grid(values, n_topics)
    sums = np.sort(numbers @ _weights(n_topics, resamples, seed).T, axis=1)
    tails = np.broadcast_to(np.array([(1 - level) / 2, (1 + level) / 2]), (len(values), 2))
    if method == BCA:
        tails = _corrected(tails, sums, numbers)
    scale = width / n_topics
    low, high = _quantiles(sums, tails[:, 0]), _quantiles(sums, tails[:, 1])
    return low * scale, high * scale


def _corrected(tails: FloatArray, sums: FloatArray, numbers: FloatArray) -> FloatArray:
    observed = numbers.sum(axis=1)[:, np.newaxis]
    same = equal_within(numbers.shape[1])
    below = ((sums < observed - same).mean(axis=1) + (sums <= observed + same).mean(axis=1)) / 2.0
    bias = ndtri(np.clip(below, 0.5 / sums.shape[1], 1 - 0.5 / sums.shape[1]))[:, np.newaxis]
    centred = numbers - numbers.mean(axis=1, keepdims=True)
    cubes, squares = sum_over_topics(centred**3), sum_over_topics(centred**2)
    spread = 6.0 * squares**1.5
    acceleration = np.divide(cubes, spread, out=np.zeros_like(cubes), where=spread > 0)[:, np.newaxis]
    z = bias + ndtri(tails)
    corrected: FloatArray = np.where(squares[:, np.newaxis] > 0, ndtr(bias + z / (1 - acceleration * z)), tails)
    return corrected


def _quantiles(ascending: FloatArray, of: FloatArray) -> FloatArray:
    """Of each row the quantile asked for, linear between two values: (n,)."""
    place = of * (ascending.shape[1] - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, ascending.shape[1] - 1)
    rows = np.arange(len(ascending))
    lower, upper = ascending[rows, below], ascending[rows, above]
    between: FloatArray = lower + (upper - lower) * (place - below)
    return between
