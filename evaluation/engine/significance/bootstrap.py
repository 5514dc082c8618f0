"""The bootstrap: topics are drawn with replacement."""

from functools import lru_cache

import numpy as np
import scipy

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.averaging import sum_over_topics
from evaluation.engine.significance.resampling import Apart, Resampled, blocks, equal_within, on_grid, share

PERCENTILE, BCA = "percentile", "bca"
RUNS_AT_ONCE = 24
"""The resampled means of so many runs stay in the processor's cache."""
KEPT_DRAWS = 1 << 21
"""Draws up to this size (16 MB) are kept for the next measure, which has the same topics."""
MULTIPLIED_AT_ONCE = 1 << 18
"""Products of matrices with so many multiplications are made in one thread: two would wait for each other longer."""
BEYOND = 0.15
"""Values this many standard deviations nearer to the middle than the expected quantile are looked at as well."""


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
    known = ~np.isnan(matrix)
    if known.all():
        return _intervals(matrix, level, resamples, seed, method)
    low, high = np.empty(len(matrix)), np.empty(len(matrix))
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
    With fewer than about 50 topics it rejects too often. Source: Efron and Tibshirani, 1993.
    """
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    n_topics = known.shape[1]
    numbers, _ = on_grid(known, 2 * max(n_topics, 1))
    observed = numbers.sum(axis=1)
    extent = np.abs(observed[pairs[:, 0]] - observed[pairs[:, 1]]) - equal_within(n_topics)
    weights = _weights(n_topics, resamples, seed)
    apart, largest = Apart(pairs, extent), np.empty(resamples)
    for block in blocks(resamples):
        moved = numbers @ weights[:, block] - observed[:, np.newaxis]
        largest[block] = np.ptp(moved, axis=0)
        apart.add(moved)
    of_largest = resamples - np.searchsorted(np.sort(largest), extent, side="left")
    return Resampled(share(apart.counts, resamples), share(of_largest, resamples), resamples, seed)


def _weights(n_topics: int, resamples: int, seed: int) -> FloatArray:
    """How often each topic was drawn, (n_topics, resamples)."""
    return (_last_drawn if n_topics * resamples <= KEPT_DRAWS else _drawn)(n_topics, resamples, seed)


def _drawn(n_topics: int, resamples: int, seed: int) -> FloatArray:
    if not n_topics:
        return np.zeros((0, resamples))
    random = np.random.default_rng(seed)
    times = random.multinomial(n_topics, np.full(n_topics, 1.0 / n_topics), resamples)
    drawn: FloatArray = np.ascontiguousarray(times.T, dtype=np.float64)
    drawn.setflags(write=False)
    return drawn


_last_drawn = lru_cache(maxsize=1)(_drawn)


def _intervals(
    values: FloatArray, level: float, resamples: int, seed: int, method: str
) -> tuple[FloatArray, FloatArray]:
    n_runs, n_topics = values.shape
    if n_topics == 0:
        nothing = np.full(n_runs, np.nan)
        return nothing, nothing
    numbers, width = on_grid(values, n_topics)
    weights = _weights(n_topics, resamples, seed)
    ends = np.empty((n_runs, 2))
    buffer = np.empty((min(RUNS_AT_ONCE, n_runs), resamples))
    for start in range(0, n_runs, RUNS_AT_ONCE):
        some = numbers[start : start + RUNS_AT_ONCE]
        sums = _product(some, weights, buffer[: len(some)])
        tails = np.broadcast_to(np.array([(1 - level) / 2, (1 + level) / 2]), (len(some), 2))
        if method == BCA:
            tails = _corrected(tails, sums, some)
        ends[start : start + RUNS_AT_ONCE] = _quantiles(sums, tails, some)
    ends *= width / n_topics
    return ends[:, 0], ends[:, 1]


def _product(numbers: FloatArray, weights: FloatArray, out: FloatArray) -> FloatArray:
    """The product of the matrices, in parts; sums of whole numbers on a grid are exact, so that no order of adding shows."""
    step = max(MULTIPLIED_AT_ONCE // numbers.size // 8 * 8, 8)
    for start in range(0, weights.shape[1], step):
        np.matmul(numbers, weights[:, start : start + step], out=out[:, start : start + step])
    return out


def _corrected(tails: FloatArray, sums: FloatArray, numbers: FloatArray) -> FloatArray:
    observed = numbers.sum(axis=1)[:, np.newaxis]
    same = equal_within(numbers.shape[1])
    counts = np.array(
        [
            (np.count_nonzero(row < middle - same), np.count_nonzero(row <= middle + same))
            for row, middle in zip(sums, observed, strict=True)
        ]
    )
    below = (counts / sums.shape[1]).sum(axis=1) / 2.0
    bias = scipy.special.ndtri(np.clip(below, 0.5 / sums.shape[1], 1 - 0.5 / sums.shape[1]))[:, np.newaxis]
    centred = numbers - numbers.mean(axis=1, keepdims=True)
    cubes, squares = sum_over_topics(centred**3), sum_over_topics(centred**2)
    spread = 6.0 * squares**1.5
    acceleration = np.divide(cubes, spread, out=np.zeros_like(cubes), where=spread > 0)[:, np.newaxis]
    z = bias + scipy.special.ndtri(tails)
    corrected: FloatArray = np.where(
        squares[:, np.newaxis] > 0, scipy.special.ndtr(bias + z / (1 - acceleration * z)), tails
    )
    return corrected


def _quantiles(sums: FloatArray, of: FloatArray, numbers: FloatArray) -> FloatArray:
    """Of each row the two quantiles asked for, (n_runs, 2), linear between two values: (n_runs, 2).

    `numbers`: what was resampled, (n_runs, n_topics). It tells where the quantiles are to be expected, so that only the values
    beyond need to be sorted.
    """
    last = sums.shape[1] - 1
    place = of * last
    below = np.clip(np.floor(place).astype(np.int64), 0, last)
    above = np.minimum(below + 1, last)
    middle = numbers.sum(axis=1, keepdims=True)
    spread = numbers.std(axis=1, keepdims=True) * np.sqrt(numbers.shape[1])
    bounds = middle + spread * (scipy.special.ndtri((below + 1.0) / (last + 2.0)) + np.array([BEYOND, -BEYOND]))
    looked_for = np.concatenate([below, above], axis=1).tolist()
    found = np.array([_at_places(*of_row) for of_row in zip(sums, looked_for, bounds.tolist(), strict=True)])
    lower, upper = found[:, :2], found[:, 2:]
    between: FloatArray = lower + (upper - lower) * (place - below)
    return between


def _at_places(values: FloatArray, places: list[int], bounds: list[float]) -> list[float]:
    """The values at these places, from 0, of all in ascending order; they are looked for beyond the bounds first."""
    lowest, highest = bounds
    beyond = values <= lowest
    beyond |= values >= highest
    ascending = values.compress(beyond)
    ascending.sort()
    n_left_out = len(values) - len(ascending)
    n_low = int(ascending.searchsorted(lowest, side="right")) if n_left_out else len(ascending)
    if any(n_low <= place < n_low + n_left_out for place in places):
        ascending, n_left_out = np.sort(values), 0
    return [ascending[place if place < n_low else place - n_left_out] for place in places]
