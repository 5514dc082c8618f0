"""What tests by resampling share: seeds, blocks, p-values that are never 0, and values as whole numbers.

Sums of whole numbers over topics are exact, so that no order of summing, block or thread changes a bit. Rounding to the grid
moves a value by up to half a step, so that sums which are equal, as those of precisions of ten documents often are, come to
lie a few steps apart: what is compared with what was observed takes `equal_within` for equal.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray, SignArray

BLOCK = 256
"""Resamples worked on at a time: the products stay in the processor's cache."""
EXACT_UP_TO = 14
"""Topics: all 2^n flips are gone through, half of them because the other half mirrors them."""
BITS = 40
"""The largest value has so many: steps of 1e-12 of it, the noise of floating point."""
MANTISSA = 52


@dataclass(frozen=True)
class Resampled:
    """p-values of pairs by resampling, float64 (n_pairs,); `p_max`: corrected for all pairs of the runs at once.

    `resamples`: how many were drawn, or how many there are if `exact`; `seed`: of numpy's default generator. `half_width`: of
    the simultaneous intervals of all mean differences, inf where the test gives none.
    """

    p: FloatArray
    p_max: FloatArray
    resamples: int
    seed: int
    exact: bool = False
    half_width: float = np.inf


def share(at_least: IntArray, resamples: int, *, exact: bool = False) -> FloatArray:
    """The p-value of counts of resamples that are as extreme as what was observed, which counts as one itself.

    >>> share(np.array([0, 4]), 99).tolist(), share(np.array([2, 4]), 16, exact=True).tolist()
    ([0.01, 0.05], [0.125, 0.25])
    """
    counts = at_least.astype(np.float64)
    return counts / resamples if exact else (1.0 + counts) / (1.0 + resamples)


def signs_of(n_topics: int, resamples: int, seed: int) -> tuple[SignArray, bool]:
    """Give +-1 for each topic of each resample, int8 (n_resamples, n_topics), and whether these are all that there are.

    All up to the mirror image, which gives the same absolute sums, are 2^(n_topics - 1).

    >>> signs_of(2, 100, 1)[0].tolist(), signs_of(20, 100, 1)[0].nbytes
    ([[1, 1], [-1, 1]], 2000)
    """
    if n_topics <= EXACT_UP_TO:
        bits = (np.arange(2 ** max(n_topics - 1, 0))[:, np.newaxis] >> np.arange(n_topics)) & 1
    else:
        bits = np.random.default_rng(seed).integers(0, 2, (resamples, n_topics), dtype=np.int8)
    return 1 - 2 * bits.astype(np.int8), n_topics <= EXACT_UP_TO


def on_grid(matrix: FloatArray, most_weight: int) -> tuple[FloatArray, float]:
    """Give values as whole numbers in float64, and the width of a step: value = number * width, rounded to the nearest.

    Sums of values with weights that add up to `most_weight` or less, in absolute terms, are exact. NaN stays NaN.

    >>> numbers, width = on_grid(np.array([0.25, 0.1 + 0.2, 0.3]), 3)
    >>> numbers[1] == numbers[2], (numbers * width).round(9).tolist()
    (np.True_, [0.25, 0.3, 0.3])
    """
    largest = float(np.abs(matrix).max(initial=0.0, where=~np.isnan(matrix)))
    if largest == 0.0:
        return matrix.copy(), 1.0
    bits = min(BITS, MANTISSA - int(np.ceil(np.log2(2 * most_weight))))
    width = float(2.0 ** (int(np.ceil(np.log2(largest))) - bits))
    return np.rint(matrix / width), width


def equal_within(n_topics: int) -> float:
    """By how many steps two differences of weighted sums of two runs may lie apart though they are equal.

    Each of the four sums has weights that add up to at most `n_topics` in absolute terms, and each value is off by up to half
    a step. Where the sums are moved by observed ones, as the bootstrap does, two more come in.

    >>> equal_within(50)
    150.0
    """
    return 3.0 * n_topics


def blocks(n: int) -> Iterator[slice]:
    for start in range(0, n, BLOCK):
        yield slice(start, min(start + BLOCK, n))


class Apart:
    """Counts, block by block, in how many resamples two runs are as far apart as `extent` says of their pair.

    `pairs` int64 (n_pairs, 2), `extent` float64 (n_pairs,); `counts` int64 (n_pairs,), so far.
    """

    def __init__(self, pairs: IntArray, extent: FloatArray) -> None:
        self.counts = np.zeros(len(pairs), dtype=np.int64)
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        firsts, starts = np.unique(pairs[order, 0], return_index=True)
        places = np.split(order, starts[1:]) if len(order) else []
        self._groups = [
            (first, _slice_if_possible(pairs[at, 1]), at, extent[at, np.newaxis])
            for first, at in zip(firsts, places, strict=True)
        ]
        most = max((len(at) for at in places), default=0)
        self._apart, self._is_far = np.empty((most, BLOCK)), np.zeros((most, BLOCK), dtype=np.bool_)

    def add(self, sums: FloatArray) -> None:
        """Count a block: `sums` float64 (n_runs, up to BLOCK resamples)."""
        n = sums.shape[1]
        for first, seconds, places, extent in self._groups:
            apart, is_far = self._apart[: len(places), :n], self._is_far[: len(places)]
            np.subtract(sums[seconds], sums[first], out=apart)
            np.abs(apart, out=apart)
            np.greater_equal(apart, extent, out=is_far[:, :n])
            is_far[:, n:] = False
            # Eight flags at a time: at most BLOCK / 8 = 32 of each lane, which a byte holds.
            lanes = is_far.view(np.uint64).sum(axis=1, dtype=np.uint64)
            self.counts[places] += lanes.view(np.uint8).reshape(len(places), 8).sum(axis=1, dtype=np.int64)


def _slice_if_possible(rows: IntArray) -> IntArray | slice:
    """Ascending rows without a gap as a slice, which is read without a copy."""
    return slice(rows[0], rows[-1] + 1) if (np.diff(rows) == 1).all() else rows


def incomplete(matrix: FloatArray, pairs: IntArray) -> BoolArray:
    """Mark pairs of which a run lacks a value on some topic: bool (n_pairs,).

    >>> incomplete(np.array([[0.5, np.nan], [0.5, 0.5], [0.1, 0.2]]), np.array([[0, 1], [1, 2]])).tolist()
    [True, False]
    """
    lacking: BoolArray = np.logical_or.reduce(np.isnan(matrix), axis=1)
    marked: BoolArray = lacking[pairs[:, 0]] | lacking[pairs[:, 1]]
    return marked
