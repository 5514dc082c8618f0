"""Array types and the grouped operations on which all measures are built."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]

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


def counts_so_far(group: IntArray, marked: BoolArray, n_groups: int) -> IntArray:
    """Count the marked members of the own group up to and including each member of the ascending array `group`.

    `group`, `marked` and the int64 result have shape (n,).
    """
    so_far = np.concatenate(([0], np.cumsum(marked)))
    return so_far[1:] - so_far[group_starts(group, n_groups)][group]


def sums_to_cutoffs(
    group: IntArray, rank: IntArray, weights: FloatArray | None, cutoffs: IntArray, n_groups: int
) -> FloatArray:
    """Sum the weights of each group's members of rank <= k for every k of the ascending `cutoffs`.

    `group`, `rank` and `weights` have shape (n,); without weights every member counts 1.
    The result is float64 (n_cutoffs, n_groups).
    """
    bins = len(cutoffs) + 1
    place = group * bins + np.searchsorted(cutoffs, rank)
    sums = np.bincount(place, weights=weights, minlength=n_groups * bins).astype(np.float64, copy=False)
    to_cutoffs: FloatArray = np.cumsum(sums.reshape(n_groups, bins)[:, :-1], axis=1).T
    return to_cutoffs


def ratio(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray) -> FloatArray:
    """Divide element by element, broadcasting; where the denominator is 0 the quotient is defined as 0."""
    quotient = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient
