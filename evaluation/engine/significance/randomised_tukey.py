"""Randomised Tukey HSD: all pairs of runs at once, by permuting the values of each topic among the runs."""

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.resampling import Resampled, equal_within, on_grid, share

SHIFTED = 1_000
"""Permutations that are shifts of one drawn order of the runs; the next so many shift another."""
SHIFTED_OF_FEW = 50
"""The same for so few topics that shifts of one order repeat: 100,000 of 3 topics were worth 25,000 drawn independently."""
FEW_TOPICS = 5
CELLS_AT_ONCE = 65_536
"""Sums that are added up together: they stay in the processor's cache while topic after topic is added."""


def randomised_tukey(
    matrix: FloatArray, pairs: IntArray, resamples: int = 100_000, seed: int = 0, level: float = 0.95
) -> Resampled:
    """Test, two-sided, all pairs of runs under the hypothesis that no run differs; `p` float64 (n_pairs,), family-wise.

    p_ij = (1 + #{q >= |mean_i - mean_j|}) / (1 + resamples), q the range of the runs' means after the values of each topic
    are permuted among the runs. Each permutation is a drawn order of the runs, shifted round by a drawn number of places;
    an order serves for 1,000 resamples (50 of up to 5 topics), the shifts are drawn for each topic and resample: every
    permutation of a topic is equally likely, and the shifts of given orders are a group, which keeps the test at its level.
    Topics that some run lacks are left out. p equals p_max.
    `half_width` is the smallest range q above which |mean_i - mean_j| has p < 1 - level.
    Sources: Carterette, 2012; Sakai, 2018.

    >>> values = np.array([[0.2, 0.4, 0.6, 0.3, 0.2, 0.5, 0.4, 0.1], [0.9, 0.8, 0.9, 0.7, 0.6, 0.9, 0.8, 0.7]])
    >>> bool(randomised_tukey(values, np.array([[0, 1]]), 1000).p[0] < 0.02)
    True
    """
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    n_topics = known.shape[1]
    numbers, width = on_grid(known, max(n_topics, 1))
    means = numbers.sum(axis=1)
    same = equal_within(n_topics)
    extent = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]]) - same
    # Sorted, each topic by itself: what is drawn then tells nothing of the order of the runs, which is that of their names.
    ranges = np.sort(_ranges(np.sort(numbers, axis=0), resamples, np.random.default_rng(seed)))
    p = share(resamples - np.searchsorted(ranges, extent, side="left"), resamples)
    place = min(int(np.floor((resamples + 1) * level * (1 + 1e-12))), resamples - 1)
    half_width = (ranges[place] + same) * width / n_topics if n_topics else np.inf
    return Resampled(p, p, resamples, seed, half_width=float(half_width))


def _ranges(numbers: FloatArray, resamples: int, random: np.random.Generator) -> FloatArray:
    """The range of the sums of each resample, float64 (resamples,)."""
    n_runs, n_topics = numbers.shape
    found, at_once = np.empty(resamples), max(1, CELLS_AT_ONCE // max(n_runs, 1))
    shifted_together = SHIFTED if n_topics > FEW_TOPICS else SHIFTED_OF_FEW
    for start in range(0, resamples, shifted_together):
        n = min(shifted_together, resamples - start)
        shifted = _all_shifts(random.permuted(numbers, axis=0).T)
        shifts = random.integers(0, n_runs, (n_topics, n))
        for first in range(0, n, at_once):
            few = shifts[:, first : first + at_once]
            sums = np.zeros((few.shape[1], n_runs))
            for of_topic, by in zip(shifted, few, strict=True):
                # Few rotations are copied and taken in one go, which is much faster; of many runs a copy would be larger.
                sums += of_topic.take(by, axis=0) if n_runs <= len(by) else of_topic[by]
            found[start + first : start + first + len(sums)] = np.ptp(sums, axis=1)
    return found


def _all_shifts(orders: FloatArray) -> FloatArray:
    """Every rotation of each row, (rows, n, n): a view of twice the rows, so that values cost only when they are taken."""
    twice, length = np.concatenate([orders, orders], axis=1), orders.shape[1]
    return np.lib.stride_tricks.sliding_window_view(twice, length, axis=1)[:, :length]
