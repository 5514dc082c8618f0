"""The step-down max-T test of as many families as runs: in each of them one run has other values, and all others keep theirs.

A family differs from the next one by the pairs of two runs only. So the extents of a pair are computed once for all families
that it is in, and of each family only the largest extents so far are kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray, SignArray
from evaluation.engine.significance.extents import SAME, parts
from evaluation.engine.significance.resampling import on_grid, share, signs_of

CELLS_AT_ONCE: Final = 32_768
"""Families times resamples whose largest extents are kept together: 256 kB stay in the processor's cache."""
MOST_SIGNS: Final = 1_024
"""Of one block, a multiple of 8: the flags of eight of them are added at a time, and a byte holds the sum of 255."""
ALL_OTHERS: Final = -1


def max_t_replaced(
    matrix: FloatArray, other: FloatArray, pairs: IntArray, runs: Sequence[int], resamples: int = 10_000, seed: int = 0
) -> FloatArray:
    """Give p of all pairs where one run at a time has its other values: float64 (len(runs), n_pairs), rows as `runs`.

    `matrix`, `other`: float64 (n_runs, n_topics). Each row has the bits of `max_t(values, pairs, resamples, seed).p`, where
    `values` is `matrix` with the other values of this run: formula, ties, missing topics and sources are those of `max_t`.

    >>> values = np.array([[0.2, 0.4, 0.6, 0.3, 0.2, 0.5], [0.3, 0.5, 0.8, 0.4, 0.4, 0.6], [0.3, 0.5, 0.5, 0.5, 0.1, 0.6]])
    >>> max_t_replaced(values, values + 0.1, np.array([[0, 1], [0, 2], [1, 2]]), [2]).tolist()
    [[0.03125, 0.125, 1.0]]
    """
    found = np.empty((len(runs), len(pairs)))
    for known, width, places in _alike(matrix, other, runs):
        both = np.rint(np.nan_to_num(np.concatenate([matrix, other])[:, known]) / width)
        signs, exact = signs_of(int(known.sum()), resamples, seed)
        events = _events(both, pairs, [runs[place] for place in places])
        counts = _counts(events, len(pairs), len(places), signs)
        for place, of_run, order in zip(places, counts, _orders(events, len(places)), strict=True):
            stepped = np.maximum.accumulate(share(of_run[order], len(signs), exact=exact)[::-1])[::-1]
            found[place, order] = stepped
    return found


def _alike(matrix: FloatArray, other: FloatArray, runs: Sequence[int]) -> Iterator[tuple[BoolArray, float, list[int]]]:
    """Families by the topics that all their runs have and by the width of the grid, as places in `runs`."""
    alike: dict[tuple[bytes, float], list[int]] = {}
    for place, run in enumerate(runs):
        values = matrix.copy()
        values[run] = other[run]
        known = ~np.isnan(values).any(axis=0)
        _, width = on_grid(values[:, known], max(int(known.sum()), 1))
        alike.setdefault((known.tobytes(), width), []).append(place)
    for (topics, width), places in alike.items():
        yield np.frombuffer(topics, dtype=np.bool_), width, places


@dataclass(frozen=True, eq=False)
class _Events:
    """What can be the largest extent of a family, ascending: each pair as in `matrix`, and with the other values of a run.

    `numbers` float64 (n_rows, n_topics); `rows` int64 (n_events, 2), the pair of each in `numbers`; `extent` float64 (n_events,);
    `pair` int64 (n_events,). `family` int64 (n_events,): the one that the event belongs to, or ALL_OTHERS: to all but `without`,
    int64 (n_events, 2), -1 for none.
    """

    numbers: FloatArray
    rows: IntArray
    extent: FloatArray
    pair: IntArray
    family: IntArray
    without: IntArray


def _events(both: FloatArray, pairs: IntArray, runs: Sequence[int]) -> _Events:
    """`both`: the numbers of all runs, and then their other ones."""
    n_runs = len(both) // 2
    family_of = np.full(n_runs, -1)
    family_of[list(runs)] = np.arange(len(runs))
    families = family_of[pairs]
    rows, family, pair = [pairs], [np.full(len(pairs), ALL_OTHERS)], [np.arange(len(pairs))]
    for side in (0, 1):
        own = np.flatnonzero(families[:, side] >= 0)
        rows.append(pairs[own] + n_runs * (np.arange(2) == side))
        family.append(families[own, side])
        pair.append(own)
    all_rows, all_families, all_pairs = np.concatenate(rows), np.concatenate(family), np.concatenate(pair)
    unflipped = np.ones((both.shape[1], 1))
    extent = np.concatenate([part.extents(unflipped)[:, 0] for part in parts(both, all_rows)])
    order = np.lexsort((all_pairs, extent))
    return _Events(
        both, all_rows[order], extent[order], all_pairs[order], all_families[order], families[all_pairs[order]]
    )


def _orders(events: _Events, n_families: int) -> Iterator[IntArray]:
    """Of each family its pairs by ascending extent."""
    for family in range(n_families):
        is_own = events.family == family
        is_shared = (events.family == ALL_OTHERS) & ~(events.without == family).any(axis=1)
        yield events.pair[is_own | is_shared]


def _counts(events: _Events, n_pairs: int, n_families: int, signs: SignArray) -> IntArray:
    """In how many resamples each pair, or one before it in the order of its family, reaches its extent: (n_families, n_pairs)."""
    counts = np.zeros((len(events.pair), n_families), dtype=np.int64)
    at_once = min(MOST_SIGNS, max(64, CELLS_AT_ONCE // max(n_families, 1) // 8 * 8))
    for start in range(0, len(signs), at_once):
        flips = np.ascontiguousarray(signs[start : start + at_once].T, dtype=np.float64)
        largest = np.zeros((n_families, flips.shape[1]))
        first = 0
        for part in parts(events.numbers, events.rows):
            extents = part.extents(flips, largest.min(axis=0))
            counts[first : first + len(extents)] += _reached(events, first, extents, largest)
            first += len(extents)
    found = np.empty((n_families, n_pairs), dtype=np.int64)
    is_shared = events.family == ALL_OTHERS
    found[:, events.pair[is_shared]] = counts[is_shared].T
    own = ~is_shared
    found[events.family[own], events.pair[own]] = counts[own, events.family[own]]
    return found


def _reached(events: _Events, first: int, extents: FloatArray, largest: FloatArray) -> IntArray:
    """In how many resamples the events from `first` on reach their extent, (len(extents), n_families). Changes `largest`."""
    n_families, n_signs = largest.shape
    flags = np.zeros((n_families, -(-n_signs // 8) * 8), dtype=np.bool_)
    lanes, of_one = (np.zeros((len(extents), n_families), dtype=kind) for kind in (np.uint64, np.int64))
    extent = events.extent[first : first + len(extents)] - SAME
    family, without = events.family[first : first + len(extents)].tolist(), events.without[first : first + len(extents)]
    for event, of_event in enumerate(extents):
        if family[event] == ALL_OTHERS:
            kept_rows = without[event][without[event] >= 0]
            kept = largest[kept_rows]
            np.maximum(largest, of_event, out=largest)
            largest[kept_rows] = kept
            np.greater_equal(largest, extent[event], out=flags[:, :n_signs])
            flags.view(np.uint64).sum(axis=1, dtype=np.uint64, out=lanes[event])
        else:
            of_family = largest[family[event]]
            np.maximum(of_family, of_event, out=of_family)
            of_one[event, family[event]] = np.count_nonzero(of_family >= extent[event])
    reached: IntArray = of_one + lanes.view(np.uint8).reshape(len(extents), n_families, 8).sum(axis=2, dtype=np.int64)
    return reached
