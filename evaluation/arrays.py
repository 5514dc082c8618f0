"""Array types and the two grouped operations on which all measures are built."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]


def group_sums(group: IntArray, weights: FloatArray, n_groups: int) -> FloatArray:
    """Sum the weights of each group, in the order given and in double precision.

    `group` and `weights` have shape (n,); the result is float64 of shape (n_groups,), 0 for an empty group.
    """
    sums: FloatArray = np.bincount(group, weights=weights, minlength=n_groups).astype(np.float64, copy=False)
    return sums


def group_counts(group: IntArray, n_groups: int) -> IntArray:
    """Count the members of each group: int64 of shape (n_groups,)."""
    return np.bincount(group, minlength=n_groups).astype(np.int64, copy=False)


def group_starts(group: IntArray, n_groups: int) -> IntArray:
    """Give the index of the first member of each group in the ascending array `group`: int64 of shape (n_groups,)."""
    counts = group_counts(group, n_groups)
    return np.cumsum(counts) - counts


def positions_within_groups(group: IntArray, n_groups: int) -> IntArray:
    """Number the members of each group 1, 2, 3, ... in the ascending array `group`: int64 of the same shape."""
    return np.arange(1, len(group) + 1) - group_starts(group, n_groups)[group]


def ratio(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray) -> FloatArray:
    """Divide element by element; where the denominator is 0 the quotient is defined as 0."""
    quotient = np.zeros(np.shape(denominator), dtype=np.float64)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient
