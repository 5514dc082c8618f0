"""The paired randomisation test (Fisher): of each topic, which of the two values belongs to which run is drawn by a coin."""

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray, SignArray
from evaluation.engine.significance.resampling import (
    Apart,
    Resampled,
    blocks,
    equal_within,
    incomplete,
    on_grid,
    share,
    signs_of,
)


def randomisation(matrix: FloatArray, pairs: IntArray, resamples: int = 10_000, seed: int = 0) -> Resampled:
    """Test, two-sided, whether the values of two runs could be exchanged topic by topic; `p` float64 (n_pairs,).

    p = (1 + #{|sum(s * d)| >= |sum(d)|}) / (1 + resamples), d the differences, s = +-1 drawn for each topic by `seed` and
    shared by all pairs; up to 14 topics all 2^n drawings are counted and p is exact. A topic that one of the runs lacks is
    left out of the pair. `p_max` takes the largest |sum(s * d)| over all pairs of runs instead, which holds the family-wise
    error rate if all runs are exchangeable (1 for pairs of which a run lacks a topic). Sums are of whole numbers on a
    grid of 1e-12 of the largest value: the result is the same to the last bit on any machine, and sums that are equal but
    for the grid are equal.
    Sources: Fisher, 1935; Smucker, Allan and Carterette, 2007; Westfall and Young, 1993.

    >>> values = np.array([[0.2, 0.4, 0.6, 0.3], [0.3, 0.5, 0.8, 0.4]])
    >>> randomisation(values, np.array([[0, 1]])).p.tolist()
    [0.125]
    """
    n_topics = matrix.shape[1]
    signs, exact = signs_of(n_topics, resamples, seed)
    numbers, _ = on_grid(matrix, max(n_topics, 1))
    lacking = incomplete(matrix, pairs)
    counts, of_largest = np.zeros(len(pairs), dtype=np.int64), np.zeros(len(pairs), dtype=np.int64)
    counts[~lacking], of_largest[~lacking] = _counts(numbers, pairs[~lacking], signs)
    differences = np.nan_to_num(numbers[pairs[lacking, 0]] - numbers[pairs[lacking, 1]])
    counts[lacking] = _counts_of_differences(differences, signs)
    of_largest[lacking] = len(signs)
    p = share(counts, len(signs), exact=exact)
    return Resampled(p, share(of_largest, len(signs), exact=exact), len(signs), seed, exact)


def _counts(numbers: FloatArray, pairs: IntArray, signs: SignArray) -> tuple[IntArray, IntArray]:
    """How many drawings are as extreme as each pair's difference: by the pair's own sum, and by the largest of any pair."""
    complete: BoolArray = ~np.logical_or.reduce(np.isnan(numbers), axis=1)
    whole = np.where(complete[:, np.newaxis], numbers, 0.0)
    observed = whole.sum(axis=1)
    extent = np.abs(observed[pairs[:, 0]] - observed[pairs[:, 1]]) - equal_within(numbers.shape[1])
    apart, largest = Apart(pairs, extent), np.zeros(len(signs))
    for block in blocks(len(signs)):
        sums = whole @ signs[block].T.astype(np.float64)
        of_complete = sums[complete]
        largest[block] = np.ptp(of_complete, axis=0) if len(of_complete) else 0.0
        apart.add(sums)
    ascending = np.sort(largest)
    return apart.counts, len(signs) - np.searchsorted(ascending, extent, side="left")


def _counts_of_differences(differences: FloatArray, signs: SignArray) -> IntArray:
    extent = np.abs(differences.sum(axis=1)) - equal_within(differences.shape[1])
    counts = np.zeros(len(differences), dtype=np.int64)
    for block in blocks(len(signs)):
        counts += np.count_nonzero(
            np.abs(differences @ signs[block].T.astype(np.float64)) >= extent[:, np.newaxis], axis=1
        )
    return counts
