"""The step-down max-T test: many pairs of runs at once, by flipping the signs of whole topics."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.grid import on_grid
from evaluation.engine.significance.resampling import share, signs_of

PAIRS_AT_ONCE: Final = 512
SIGNS_AT_ONCE: Final = 256
"""A block of both is 1 MB: it stays in the processor's cache while it is read again."""
SAME: Final = 1e-9
"""Statistics so close are equal: the noise of floating point is far below, and machines differ in it."""


@dataclass(frozen=True)
class MaxT:
    """`p`: float64 (n_pairs,), family-wise. `critical_t`: above it, |t| of a pair has a p below 1 - level in the first step;
    inf where no value can have one. `resamples`: how many were drawn, or how many there are if `exact`.
    """

    p: FloatArray
    critical_t: float
    resamples: int
    exact: bool


def max_t(matrix: FloatArray, pairs: IntArray, resamples: int = 10_000, seed: int = 0, level: float = 0.95) -> MaxT:
    """Test, two-sided, whether the differences of these pairs have mean 0, so that all p hold together.

    `matrix` float64 (n_runs, n_topics); topics that some run lacks are left out. t of a pair is that of Student's paired test.
    A resample flips the sign of each topic by a coin, for all runs alike, so that runs keep their spread and their correlation.
    Pairs in the order of |t|, the largest first: p of the k-th is the share of resamples in which any of the k-th to the last
    pair has such a |t|, at least the p before it. Up to 14 topics all flips are counted, and p is exact; more than 14 are drawn
    by `seed`, and p = (1 + count) / (1 + resamples). No p is below 2^(1 - n_topics). A pair without any difference has p = 1.
    It keeps its level where the differences of equal runs are symmetric about 0, whatever their spread.
    Sources: Westfall and Young, 1993; Romano and Wolf, 2005.

    >>> values = np.array([[0.2, 0.4, 0.6, 0.3, 0.2, 0.5], [0.3, 0.5, 0.8, 0.4, 0.4, 0.6], [0.3, 0.5, 0.5, 0.5, 0.1, 0.6]])
    >>> max_t(values, np.array([[0, 1], [0, 2], [1, 2]])).p.tolist()
    [0.0625, 0.5625, 0.5625]
    """
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    n_topics = known.shape[1]
    numbers, _ = on_grid(known, max(n_topics, 1))
    signs, exact = signs_of(n_topics, resamples, seed)
    extent = np.concatenate([np.abs(unit.sum(axis=1)) for unit in units(numbers, pairs)])
    order = np.argsort(extent, kind="stable")
    counts, largest = _counts(numbers, pairs[order], extent[order] - SAME, signs)
    stepped = np.maximum.accumulate(share(counts, len(signs), exact=exact)[::-1])[::-1]
    p = np.empty(len(pairs))
    p[order] = stepped
    return MaxT(p, _critical_t(largest, n_topics, 1.0 - level, exact=exact), len(signs), exact)


def critical_t(
    matrix: FloatArray, pairs: IntArray, resamples: int = 1_000, seed: int = 0, level: float = 0.95
) -> float:
    """Give the |t| above which `max_t` shows a pair to differ in its first step, without the p of the pairs.

    inf where no value can be shown. Arguments as for `max_t`; with its number of resamples it is its `critical_t`.
    """
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    numbers, _ = on_grid(known, max(known.shape[1], 1))
    signs, exact = signs_of(known.shape[1], resamples, seed)
    flips, largest = np.ascontiguousarray(signs.T), np.zeros(len(signs))
    for unit in units(numbers, pairs):
        np.maximum(largest, np.abs(unit @ flips).max(axis=0, initial=0.0), out=largest)
    return _critical_t(largest, known.shape[1], 1.0 - level, exact=exact)


def units(numbers: FloatArray, pairs: IntArray) -> Iterator[FloatArray]:
    """Part by part, the differences of each pair by topic over the root of their sum of squares, which no flip changes.

    The sum of a row is u with t = u * sqrt((n - 1) / (n - u^2)), so that the largest |u| belongs to the largest |t|.
    """
    for start in range(0, max(len(pairs), 1), PAIRS_AT_ONCE):
        part = pairs[start : start + PAIRS_AT_ONCE]
        differences = numbers[part[:, 0]] - numbers[part[:, 1]]
        length = np.sqrt(np.square(differences).sum(axis=1, keepdims=True))
        yield np.divide(differences, length, out=np.zeros_like(differences), where=length > 0)


def _counts(numbers: FloatArray, pairs: IntArray, extent: FloatArray, signs: FloatArray) -> tuple[IntArray, FloatArray]:
    """Of pairs by ascending extent: in how many resamples it or one before it reaches its extent; and the largest of each
    resample, (n_resamples,).
    """
    counts, largest = np.zeros(len(pairs), dtype=np.int64), np.zeros(len(signs))
    places = [slice(start, start + SIGNS_AT_ONCE) for start in range(0, len(signs), SIGNS_AT_ONCE)]
    flips = [np.ascontiguousarray(signs[of_block].T) for of_block in places]
    for start, unit in zip(range(0, len(pairs), PAIRS_AT_ONCE), units(numbers, pairs), strict=False):
        rows = slice(start, start + PAIRS_AT_ONCE)
        for of_block, flip in zip(places, flips, strict=True):
            sums = unit @ flip
            np.abs(sums, out=sums)
            before, after = largest[of_block], np.maximum(largest[of_block], sums.max(axis=0))
            counts[rows] += _reached(sums, before, after, extent[rows])
            largest[of_block] = after
    return counts, largest


def _reached(sums: FloatArray, before: FloatArray, after: FloatArray, extent: FloatArray) -> IntArray:
    """In how many columns of `sums`, (n_pairs, n_resamples), the row or one before it reaches its extent, ascending.

    `before`, `after`: the largest of each column before the first row and after the last one.
    """
    in_all, in_none = before >= extent[-1], after < extent[0]
    some = np.flatnonzero(~(in_all | in_none))
    running = np.concatenate([before[np.newaxis, some], sums[:, some]])
    np.maximum.accumulate(running, axis=0, out=running)
    count: IntArray = np.count_nonzero(running[1:] >= extent[:, np.newaxis], axis=1) + np.count_nonzero(in_all)
    return count


def _critical_t(largest: FloatArray, n_topics: int, alpha: float, *, exact: bool) -> float:
    """The largest |t| whose p in the first step is not below alpha."""
    n = len(largest)
    below = int(np.ceil(alpha * n - 1e-9)) if exact else int(np.ceil(alpha * (n + 1) - 1e-9)) - 1
    # So many resamples at most may reach a value that is significant; with less than one of them there is none.
    most = below - 1
    if n_topics < 2 or most < (1 if exact else 0):
        return np.inf
    critical = np.sort(largest)[n - 1 - most] ** 2
    return float(np.sqrt(critical * (n_topics - 1) / (n_topics - critical))) if critical < n_topics - SAME else np.inf
