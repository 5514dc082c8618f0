"""Tests of two runs, topic by topic, that ask only for signs or ranks of the differences."""

import numpy as np
from scipy.special import bdtr, ndtr

from evaluation.engine.arrays import FloatArray, IntArray

ROUNDING = 1e-12
"""A difference below this share of its two values is the noise of floating point, and counts as none; so are
differences that are closer to each other than this share of the largest."""

EXACT_UP_TO = 200
"""Of more differences the drawings of signs are not counted any more: their sum is as good as normal."""


def sign_test(x: FloatArray, y: FloatArray) -> float:
    """Give the two-sided p of the sign test over paired topics; x and y float64 (n_topics,), p in [0, 1].

    p = min(1, 2 * P(B <= min(n+, n-))), B binomial with n = n+ + n- and 1/2, n+ and n- the topics on which x is above
    and below y. Topics of equal values are left out; p = 1 where all are. Source: Dixon and Mood, 1946.

    >>> sign_test(np.array([0.5, 0.4, 0.9, 0.7]), np.array([0.3, 0.4, 0.6, 0.2]))
    0.25
    """
    difference = _difference(x, y)
    above, below = int((difference > 0).sum()), int((difference < 0).sum())
    return min(1.0, 2.0 * float(bdtr(min(above, below), above + below, 0.5))) if above + below else 1.0


def wilcoxon_signed_rank(x: FloatArray, y: FloatArray) -> float:
    """Give the two-sided p of Wilcoxon's signed-rank test; x and y float64 (n_topics,), p in [0, 1].

    p = min(1, 2 * min(P(W <= w), P(W >= w))), w the sum of the ranks of |x - y| over the topics on which x is above y,
    equal |x - y| sharing the mean of their ranks, and W that sum when every sign is drawn by a fair coin: all 2^n
    drawings are counted. Of more than 200 differences W is taken as normal, of mean sum(ranks) / 2 and variance
    sum(ranks^2) / 4. Topics of equal values are left out; p = 1 where all are. Source: Wilcoxon, 1945.

    >>> wilcoxon_signed_rank(np.array([0.5, 0.4, 0.9, 0.7]), np.array([0.3, 0.5, 0.6, 0.2]))
    0.25
    """
    difference = _difference(x, y)
    difference = difference[difference != 0.0]
    ranks = _doubled_ranks(np.abs(difference))
    w = int(ranks[difference > 0].sum())
    if len(ranks) > EXACT_UP_TO:
        distance = abs(w - ranks.sum() / 2.0) / (np.sqrt(np.square(ranks.astype(np.float64)).sum()) / 2.0)
        return float(2.0 * ndtr(-distance))
    drawings = np.ones(1)
    for rank in ranks:
        longer = np.zeros(len(drawings) + rank)
        longer[: len(drawings)] += drawings
        longer[rank:] += drawings
        drawings = longer / 2.0
    return min(1.0, 2.0 * float(min(drawings[: w + 1].sum(), drawings[w:].sum())))


def _difference(x: FloatArray, y: FloatArray) -> FloatArray:
    difference = x - y
    return np.where(np.abs(difference) <= ROUNDING * np.maximum(np.abs(x), np.abs(y)), 0.0, difference)


def _doubled_ranks(values: FloatArray) -> IntArray:
    """Rank from 1, equal values sharing the mean of their ranks, times two: whole numbers."""
    # On a grid of the noise's width, equal values are equal whatever their last digits.
    grid = ROUNDING * values.max(initial=0.0) or 1.0
    _, place, times = np.unique(np.round(values / grid), return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    return (2 * last - times + 1)[place]
