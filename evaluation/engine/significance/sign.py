"""The sign test: on how many topics each of two runs has the higher value."""

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray

DIGITS = 10
"""Differences are rounded to so many decimals: later ones are the noise of floating point."""


def sign_test(matrix: FloatArray, pairs: IntArray) -> FloatArray:
    """Test, two-sided, whether either run of a pair is as often above as below the other; p float64 (n_pairs,).

    p = min(1, 2 * P(B <= min(n+, n-))), B binomial with n = n+ + n- and 1/2, n+ and n- the topics on which the first run is
    above and below. Topics that a run lacks, and those of equal values, are left out; p = 1 where all are.
    Source: Dixon and Mood, 1946.

    >>> values = np.array([[0.5, 0.4, 0.9, 0.7], [0.3, 0.4, 0.6, 0.2]])
    >>> sign_test(values, np.array([[0, 1]])).tolist()
    [0.25]
    """
    from scipy.special import bdtr  # slow to load, and 27 MB

    differences = rounded_differences(matrix, pairs)
    above, below = np.count_nonzero(differences > 0, axis=1), np.count_nonzero(differences < 0, axis=1)
    p: FloatArray = np.minimum(2.0 * bdtr(np.minimum(above, below), np.maximum(above + below, 1), 0.5), 1.0)
    return p


def sign_direction(matrix: FloatArray, pairs: IntArray) -> IntArray:
    """Which run of each pair wins more topics: 1 the first, -1 the second, 0 neither; int64 (n_pairs,)."""
    directions: IntArray = np.sign(np.nansum(np.sign(rounded_differences(matrix, pairs)), axis=1)).astype(np.int64)
    return directions


def rounded_differences(matrix: FloatArray, pairs: IntArray) -> FloatArray:
    """The differences of each pair, first minus second, rounded to 10 decimals: float64 (n_pairs, n_topics), NaN stays."""
    return np.round(matrix[pairs[:, 0]] - matrix[pairs[:, 1]], DIGITS)
