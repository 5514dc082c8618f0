"""The step-down max-T test: many pairs of runs at once, by flipping the signs of whole topics."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, SignArray
from evaluation.engine.significance.extents import SAME, parts
from evaluation.engine.significance.resampling import on_grid, share, signs_of

SIGNS_AT_ONCE: Final = 512
"""A block of so many and the pairs of a part is 512 kB in single precision: it stays in the processor's cache."""


@dataclass(frozen=True)
class MaxT:
    """`p`: float64 (n_pairs,), family-wise. `critical_t`: above it, |adjusted t| of a pair has a p below 1 - level in the first
    step; inf where no value can have one. `resamples`: how many were drawn, or how many there are if `exact`.
    """

    p: FloatArray
    critical_t: float
    resamples: int
    exact: bool


def max_t(matrix: FloatArray, pairs: IntArray, resamples: int = 10_000, seed: int = 0, level: float = 0.95) -> MaxT:
    """Test, two-sided, whether the differences of these pairs have mean 0, so that all p hold together.

    `matrix` float64 (n_runs, n_topics); topics that some run lacks are left out. t of a pair is that of Student's paired test,
    adjusted for the skewness of the differences (`adjusted_t`), in each resample for its own.
    A resample flips the sign of each topic by a coin, for all runs alike, so that runs keep their spread and their correlation.
    Pairs in the order of |t|, the largest first: p of the k-th is the share of resamples in which any of the k-th to the last
    pair has such a |t|, at least the p before it. Up to 14 topics all flips are counted, and p is exact; more than 14 are drawn
    by `seed`, and p = (1 + count) / (1 + resamples). No p is below 2^(1 - n_topics). A pair without any difference has p = 1.
    It keeps its level where the differences of equal runs are symmetric about 0, whatever their spread; where they are skewed,
    about, the better the more topics there are.
    Sources: Westfall and Young, 1993; Romano and Wolf, 2005; Hall, 1992.

    >>> values = np.array([[0.2, 0.4, 0.6, 0.3, 0.2, 0.5], [0.3, 0.5, 0.8, 0.4, 0.4, 0.6], [0.3, 0.5, 0.5, 0.5, 0.1, 0.6]])
    >>> max_t(values, np.array([[0, 1], [0, 2], [1, 2]])).p.tolist()
    [0.0625, 0.5625, 0.5625]
    """
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    n_topics = known.shape[1]
    numbers, _ = on_grid(known, max(n_topics, 1))
    signs, exact = signs_of(n_topics, resamples, seed)
    unflipped = np.ones((n_topics, 1))
    extent = np.concatenate([part.extents(unflipped)[:, 0] for part in parts(numbers, pairs)])
    order = np.argsort(extent, kind="stable")
    place = _critical_place(len(signs), n_topics, 1.0 - level, exact=exact)
    counts, largest = _counts(numbers, pairs[order], extent[order] - SAME, signs, place)
    stepped = np.maximum.accumulate(share(counts, len(signs), exact=exact)[::-1])[::-1]
    p = np.empty(len(pairs))
    p[order] = stepped
    return MaxT(p, _critical_t(largest, n_topics, place), len(signs), exact)


def critical_t(
    matrix: FloatArray, pairs: IntArray, resamples: int = 1_000, seed: int = 0, level: float = 0.95
) -> float:
    """Give the |adjusted t| above which `max_t` shows a pair to differ in its first step, without the p of the pairs.

    inf where no value can be shown. Arguments as for `max_t`; with its number of resamples it is its `critical_t`.
    """
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    numbers, _ = on_grid(known, max(known.shape[1], 1))
    signs, exact = signs_of(known.shape[1], resamples, seed)
    place = _critical_place(len(signs), known.shape[1], 1.0 - level, exact=exact)
    if place is None:
        return np.inf
    largest, blocks = np.zeros(len(signs)), _blocks(signs)
    for part in parts(numbers, pairs):
        above = np.maximum(largest, _at_place(largest, place))
        for of_block, flips in blocks:
            extents = part.extents(flips, above[of_block])
            largest[of_block] = np.maximum(largest[of_block], extents.max(axis=0, initial=0.0))
    return _critical_t(largest, known.shape[1], place)


def _blocks(signs: SignArray) -> list[tuple[slice, FloatArray]]:
    """Some resamples at a time, with their signs, float64 (n_topics, n_of_block)."""
    numbers = signs.astype(np.float64)
    starts = range(0, len(signs), SIGNS_AT_ONCE)
    places = [slice(start, start + SIGNS_AT_ONCE) for start in starts]
    return [(of_block, numbers[of_block].T) for of_block in places]


def _counts(
    numbers: FloatArray, pairs: IntArray, extent: FloatArray, signs: SignArray, place: int | None
) -> tuple[IntArray, FloatArray]:
    """Of pairs by ascending extent: in how many resamples it or one before it reaches its extent; and the largest of each
    resample, (n_resamples,), which may be less where it is below the one at `place`.
    """
    counts, largest, blocks = np.zeros(len(pairs), dtype=np.int64), np.zeros(len(signs)), _blocks(signs)
    rows = slice(0, 0)
    for part in parts(numbers, pairs):
        rows = slice(rows.stop, rows.stop + len(part.unit))
        # What is below the extents of this part and of all later ones counts for none of them.
        least = min(extent[rows.start] - SAME, _at_place(largest, place)) if len(part.unit) else 0.0
        above = np.maximum(largest, least)
        for of_block, flips in blocks:
            before = largest[of_block]
            extents = part.extents(flips, above[of_block])
            after = np.maximum(before, extents.max(axis=0, initial=0.0))
            counts[rows] += _reached(extents, before, after, extent[rows])
            largest[of_block] = after
    return counts, largest


def _reached(extents: FloatArray, before: FloatArray, after: FloatArray, extent: FloatArray) -> IntArray:
    """In how many columns of `extents`, (n_pairs, n_resamples), the row or one before it reaches its extent, ascending.

    `before`, `after`: the largest of each column before the first row and after the last one.
    """
    if not len(extent):
        return np.zeros(0, dtype=np.int64)
    # Of all other columns, what was before decides.
    some = (after > before) & (before < extent[-1]) & (after >= extent[0])
    constant, growing = np.sort(before[~some]), np.flatnonzero(some)
    running = np.concatenate([before[np.newaxis, growing], extents.take(growing, axis=1)])
    np.maximum.accumulate(running, axis=0, out=running)
    reached = np.count_nonzero(running[1:] >= extent[:, np.newaxis], axis=1)
    count: IntArray = reached + len(constant) - np.searchsorted(constant, extent)
    return count


def _critical_place(n: int, n_topics: int, alpha: float, *, exact: bool) -> int | None:
    """Where the critical extent stands among the largest ones of n resamples, ascending; None if no extent is critical."""
    below = int(np.ceil(alpha * n - 1e-9)) if exact else int(np.ceil(alpha * (n + 1) - 1e-9)) - 1
    # So many resamples at most may reach a value that is significant; with less than one of them there is none.
    most = below - 1
    return None if n_topics < 2 or most < (1 if exact else 0) else n - 1 - most


def _at_place(largest: FloatArray, place: int | None) -> float:
    """The least extent that can become the critical one, since the largest ones only grow: inf if none can."""
    return np.inf if place is None else float(np.partition(largest, place)[place])


def _critical_t(largest: FloatArray, n_topics: int, place: int | None) -> float:
    """The largest |adjusted t| whose p in the first step is not below alpha."""
    if place is None:
        return np.inf
    critical = (_at_place(largest, place) + SAME) ** 2  # what is equal to it reaches it, and is not shown
    return float(np.sqrt(critical * (n_topics - 1) / (n_topics - critical))) if critical < n_topics - SAME else np.inf
