"""Ranks of values that share a rank where they are equal."""

import numpy as np

from evaluation.engine.arrays import FloatArray


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
