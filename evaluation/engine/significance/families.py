"""Families of comparisons: which pairs of runs are tested together, so that their p-values are corrected together."""

import numpy as np

from evaluation.engine.arrays import IntArray


def all_pairs(n_runs: int) -> IntArray:
    """Pair every run with every later one: int64 (n_runs * (n_runs - 1) / 2, 2), ascending.

    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.column_stack(np.triu_indices(n_runs, 1)).astype(np.int64)


def against_baseline(baseline: int, n_runs: int) -> IntArray:
    """Pair every other run with the baseline, which is the second of each pair: int64 (n_runs - 1, 2).

    >>> against_baseline(1, 3).tolist()
    [[0, 1], [2, 1]]
    """
    others = np.delete(np.arange(n_runs), baseline)
    return np.column_stack([others, np.full(n_runs - 1, baseline)]).astype(np.int64)
