"""PURE: the values of runs by topics as levels of colour."""

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray

LEVELS = 9
MISSING = -1


def topics_by_median(values: FloatArray) -> IntArray:
    """The topics from the highest median over runs to the lowest, those without a value last: int64 (n_topics,).

    `values`: float64 (n_runs, n_topics), NaN for a topic that a run lacks.

    >>> topics_by_median(np.array([[0.2, 0.9, np.nan], [0.4, 0.5, np.nan]])).tolist()
    [1, 0, 2]
    """
    known = ~np.isnan(values).all(axis=0)
    median = np.full(values.shape[1], -np.inf)
    median[known] = np.nanmedian(values[:, known], axis=0) if known.any() else 0.0
    found: IntArray = np.argsort(-median, kind="stable")
    return found


def ranks_of(values: FloatArray, *, lower_is_better: bool = False) -> FloatArray:
    """The rank of each run in each topic, 1 the best, runs of the same value the same: float64 of the same shape.

    `values`: float64 (n_runs, n_topics), told apart to 12 decimals as boards do; NaN where a run has none, and so is its rank.

    >>> ranks_of(np.array([[0.2, np.nan], [0.5, 0.1], [0.5, 0.3]])).tolist()
    [[3.0, nan], [1.0, 2.0], [1.0, 1.0]]
    """
    rounded = np.round(values if lower_is_better else -values, 12)
    ranks = np.empty(values.shape)
    for topic, column in enumerate(rounded.T):
        ranks[:, topic] = np.searchsorted(np.sort(column), column) + 1  # NaN is sorted last
    return np.where(np.isnan(values), np.nan, ranks)


def levels_of(values: FloatArray, *, lower_is_better: bool = False) -> IntArray:
    """Sort values into 9 levels of equal width, 0 the worst: int64 of the same shape; -1 where there is no value.

    The levels go from the lowest value to the highest; all are in the middle one where all values are equal.

    >>> levels_of(np.array([[0.0, 0.5, 1.0, np.nan]])).tolist(), levels_of(np.array([[0.3, 0.3]])).tolist()
    ([[0, 4, 8, -1]], [[4, 4]])
    """
    known = np.isfinite(values)
    levels = np.full(values.shape, MISSING, dtype=np.int64)
    if known.any():
        low, high = values[known].min(), values[known].max()
        share = (values[known] - low) / (high - low) if high > low else np.full(known.sum(), 0.5)
        share = 1.0 - share if lower_is_better else share
        levels[known] = np.minimum((share * LEVELS).astype(np.int64), LEVELS - 1)
    return levels
