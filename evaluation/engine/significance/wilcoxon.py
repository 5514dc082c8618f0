"""Wilcoxon's signed-rank test of pairs of runs."""

from typing import Final

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.significance.sign import rounded_differences

DROP: Final = "drop"
PRATT: Final = "pratt"
EXACT_UP_TO = 50
"""Of more differences the drawings of signs are not counted any more: their sum is as good as normal."""


def wilcoxon(matrix: FloatArray, pairs: IntArray, zeros: str = DROP) -> FloatArray:
    """Test, two-sided, whether the differences of two runs lie around 0, by their ranks; p float64 (n_pairs,).

    p = min(1, 2 * min(P(W <= w), P(W >= w))), w the sum of the ranks of |d| over the topics with d > 0, equal |d| sharing
    the mean of their ranks, and W that sum when every sign is drawn by a fair coin. Of up to 50 differences all drawings are
    counted, with ties as without; of more W is taken as normal, of mean sum(ranks) / 2 and variance sum(ranks^2) / 4. Topics
    with d = 0 are left out before ranking (`zeros` = "drop", Wilcoxon, 1945) or after it ("pratt", Pratt, 1959). Topics that
    a run lacks are left out; p = 1 where nothing is left. Differences are rounded to 10 decimals first, since the noise of
    floating point would break ties.

    >>> values = np.array([[0.5, 0.4, 0.9, 0.7], [0.3, 0.5, 0.6, 0.2]])
    >>> wilcoxon(values, np.array([[0, 1]])).tolist()
    [0.25]
    """
    differences = rounded_differences(matrix, pairs)
    ranks = _doubled_ranks(np.abs(differences), zeros)
    w = np.where(differences > 0, ranks, 0).sum(axis=1)
    p = np.ones(len(pairs))
    is_small = np.count_nonzero(ranks, axis=1) <= EXACT_UP_TO
    p[~is_small] = _normal(ranks[~is_small], w[~is_small])
    p[is_small] = _exact(ranks[is_small], w[is_small])
    return p


def rank_direction(matrix: FloatArray, pairs: IntArray) -> IntArray:
    """Which run of each pair has the larger sum of ranks: 1 the first, -1 the second, 0 neither; int64 (n_pairs,)."""
    differences = rounded_differences(matrix, pairs)
    ranks = _doubled_ranks(np.abs(differences), DROP)
    directions: IntArray = np.sign(np.where(differences > 0, ranks, -ranks).sum(axis=1))
    return directions


def _doubled_ranks(sizes: FloatArray, zeros: str) -> IntArray:
    """Twice the rank of each size within its row, equal ones sharing the mean: whole numbers; 0 for what is left out."""
    ranked: BoolArray = ~np.isnan(sizes) & ((sizes > 0) | (zeros == PRATT))
    doubled = 2 * shared_ranks(np.where(ranked, sizes, np.inf))
    return np.where(ranked & (sizes > 0), np.rint(doubled), 0).astype(np.int64)


def _normal(ranks: IntArray, w: IntArray) -> FloatArray:
    from scipy.special import ndtr  # slow to load, and 27 MB

    half = ranks.sum(axis=1) / 2.0
    deviation = np.sqrt(np.square(ranks.astype(np.float64)).sum(axis=1)) / 2.0
    p: FloatArray = 2.0 * ndtr(-np.abs(w - half) / deviation)
    return p


def _exact(ranks: IntArray, w: IntArray) -> FloatArray:
    """Pairs of the same ranks, which without ties are all of the same number of topics, share one distribution."""
    p = np.ones(len(ranks))
    if not ranks.size:
        return p
    rows, row_of = np.unique(np.sort(ranks, axis=1), axis=0, return_inverse=True)
    for number, row in enumerate(rows):
        at_most = np.cumsum(_drawings(row[row > 0]))
        of_row = np.flatnonzero(row_of.ravel() == number)
        # W and sum(ranks) - W are equally distributed.
        smaller = np.minimum(w[of_row], len(at_most) - 1 - w[of_row])
        p[of_row] = np.minimum(2.0 * at_most[smaller], 1.0)
    return p


def _drawings(ranks: IntArray) -> FloatArray:
    """The share of the 2^n drawings in which the ranks with a positive sign add up to 0, 1, 2, ...: (sum(ranks) + 1,)."""
    shares = np.zeros(int(ranks.sum()) + 1)
    shares[0], top = 1.0, 0
    for rank in ranks.tolist():
        shares[rank : top + rank + 1] += shares[: top + 1].copy()
        top += rank
        shares[: top + 1] /= 2.0
    return shares


def shared_ranks(values: FloatArray) -> FloatArray:
    """Rank each row from 1 upwards, equal values sharing the mean of their ranks: float64 of the same shape (n_rows, n).

    Written here, since scipy's `rankdata` comes with a module that takes longer to load than all tests take.

    >>> shared_ranks(np.array([[0.5, 0.1, 0.5]])).tolist()
    [[2.5, 1.0, 2.5]]
    """
    if not values.size:
        return np.zeros(values.shape)
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    starts = np.ones(values.shape, dtype=np.bool_)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    place = np.arange(1, values.shape[1] + 1)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    ends = np.ones(values.shape, dtype=np.bool_)
    ends[:, :-1] = starts[:, 1:]
    last = np.minimum.accumulate(np.where(ends, place, values.shape[1])[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2.0, axis=1)
    return ranks
