"""Array types and the grouped operations on which all measures are built."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
SignArray: TypeAlias = NDArray[np.int8]
OfNumbers = TypeVar("OfNumbers", FloatArray, IntArray)

NO_CUTOFF = int(np.iinfo(np.int64).max)
"""The rank cut-off that cuts nothing off."""


def group_sums(group: IntArray, weights: FloatArray, n_groups: int) -> FloatArray:
    """Sum the weights of each group, in the order given and in double precision.

    `group` and `weights` have shape (n,); the result is float64 of shape (n_groups,), 0 for an empty group.
    """
    sums: FloatArray = np.bincount(group, weights=weights, minlength=n_groups).astype(np.float64, copy=False)
    return sums


def group_counts(group: IntArray, n_groups: int) -> IntArray:
    """Count the members of each group: int64 of shape (n_groups,)."""
    return np.bincount(group, minlength=n_groups).astype(np.int64, copy=False)


def group_maxima(group: IntArray, weights: FloatArray, n_groups: int) -> FloatArray:
    """Give the largest weight of each group, all weights being >= 0: float64 (n_groups,), 0 for an empty group."""
    maxima = np.zeros(n_groups)
    np.maximum.at(maxima, group, weights)
    return maxima


def group_starts(group: IntArray, n_groups: int) -> IntArray:
    """Give the index of the first member of each group in the ascending array `group`: int64 of shape (n_groups,)."""
    counts = group_counts(group, n_groups)
    return np.cumsum(counts) - counts


def positions_within_groups(group: IntArray, n_groups: int) -> IntArray:
    """Number the members of each group 1, 2, 3, ... in the ascending array `group`: int64 of the same shape."""
    return np.arange(1, len(group) + 1) - group_starts(group, n_groups)[group]


def ranges(start: IntArray, count: IntArray) -> tuple[IntArray, IntArray]:
    """List start, start + 1, ..., `count` numbers for each element of both arrays, one element after another.

    Returns the elements' indexes and the numbers, int64 (count.sum(),) each.
    """
    owner = np.repeat(np.arange(len(count)), count)
    return owner, np.arange(len(owner)) - (np.cumsum(count) - count - start)[owner]


def counts_so_far(group: IntArray, marked: BoolArray, n_groups: int) -> IntArray:
    """Count the marked members of the own group up to and including each member of the ascending array `group`.

    `group`, `marked` and the int64 result have shape (n,).
    """
    so_far = np.concatenate(([0], np.cumsum(marked)))
    return so_far[1:] - so_far[group_starts(group, n_groups)][group]


def accumulate_within_groups(operation: np.ufunc, group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Combine each value with all values before it in its group, one after another as the ufunc's own accumulate does.

    `group` is ascending; `group`, `values` and the float64 result have shape (n,). Unlike the difference of two sums over
    all groups, a result does not depend on the groups before. The loop goes over groups or over places, whichever is less.
    """
    counts, starts = group_counts(group, n_groups), group_starts(group, n_groups)
    accumulated = values.astype(np.float64)
    longest, filled = int(counts.max(initial=0)), np.flatnonzero(counts > 1)
    if len(filled) < longest:
        for start, end in zip(starts[filled], (starts + counts)[filled], strict=True):
            operation.accumulate(accumulated[start:end], out=accumulated[start:end])
        return accumulated
    by_length = filled[np.argsort(-counts[filled], kind="stable")]
    starts, long_enough = starts[by_length], np.searchsorted(-counts[by_length], -np.arange(longest))
    for place in range(1, longest):
        here = starts[: long_enough[place]] + place
        accumulated[here] = operation(accumulated[here - 1], accumulated[here])
    return accumulated


def by_number(function: Callable[[IntArray], OfNumbers], numbers: IntArray) -> OfNumbers:
    """Apply an elementwise function to whole numbers from 1: once for each number, where that is less work."""
    largest = int(numbers.max(initial=0))
    if largest >= len(numbers):
        return function(numbers)
    of_each = function(np.arange(1, largest + 1))
    found: OfNumbers = of_each[numbers - 1]
    return found


def sums_to_cutoffs(
    group: IntArray, rank: IntArray, weights: FloatArray | None, cutoffs: IntArray, n_groups: int
) -> FloatArray:
    """Sum the weights of each group's members of rank <= k for every k of the ascending `cutoffs`.

    `group`, `rank` >= 1 and `weights` have shape (n,); without weights every member counts 1.
    The result is float64 (n_cutoffs, n_groups).
    """
    bins = len(cutoffs) + 1
    place = group * bins + by_number(lambda ranks: np.searchsorted(cutoffs, ranks), rank)
    sums = np.bincount(place, weights=weights, minlength=n_groups * bins).astype(np.float64, copy=False)
    to_cutoffs: FloatArray = np.cumsum(sums.reshape(n_groups, bins)[:, :-1], axis=1).T
    return to_cutoffs


def sums_to_own_cutoffs(group: IntArray, rank: IntArray, weights: FloatArray | None, cutoffs: IntArray) -> FloatArray:
    """Sum the weights of each group's members of rank <= k, every group having cut-offs k of its own.

    `group`, `rank` and `weights` have shape (n,); without weights every member counts 1. `cutoffs` is (n_cutoffs,
    n_groups), ascending in each group, equal ones admitted; so is the float64 result.
    """
    n_cutoffs, n_groups = cutoffs.shape
    place = place_among_own_cutoffs(group, rank, cutoffs)
    sums = np.bincount(place, weights=weights, minlength=n_groups * (n_cutoffs + 1)).astype(np.float64, copy=False)
    to_cutoffs: FloatArray = np.cumsum(sums.reshape(n_groups, n_cutoffs + 1)[:, :-1], axis=1).T
    return to_cutoffs


def place_among_own_cutoffs(group: IntArray, rank: IntArray, cutoffs: IntArray) -> IntArray:
    """Place each member in a flattened table (n_groups, n_cutoffs + 1): its group, then its cut-offs below the rank.

    `group` and `rank` >= 1 have shape (n,), as has the int64 result; `cutoffs` is (n_cutoffs, n_groups), ascending.
    """
    n_groups = cutoffs.shape[1]
    span = int(rank.max(initial=0)) + 1
    keys = np.arange(n_groups) * span + np.clip(cutoffs, 0, span - 1)
    return np.searchsorted(keys.T.ravel(), group * span + rank) + group


def ratio(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray) -> FloatArray:
    """Divide element by element, broadcasting; where the denominator is 0 the quotient is defined as 0.

    >>> ratio(np.array([1.0, 3.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    quotient = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient
