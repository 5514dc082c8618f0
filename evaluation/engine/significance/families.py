"""Families of comparisons: which pairs of runs are tested together, so that their p-values are corrected together."""

from collections.abc import Callable
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.arrays import IntArray

Kind = TypeVar("Kind", bound=np.generic)
PAIRS_OF_A_PART: Final = 10_000
"""So that the values of all their topics take some megabytes, where those of all pairs of 1,000 runs take some hundred."""


def all_pairs(n_runs: int) -> IntArray:
    """Pair every run with every later one: int64 (n_runs * (n_runs - 1) / 2, 2), ascending.

    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.column_stack(np.triu_indices(n_runs, 1)).astype(np.int64)


def places_of(pairs: IntArray, n_runs: int) -> IntArray:
    """The places of pairs, (n_pairs, 2), in arrays of all pairs, whichever run of a pair is the first: int64 (n_pairs,).

    >>> all_pairs(4).tolist().index([1, 3]), places_of(np.array([[3, 1], [1, 3]]), 4).tolist()
    (4, [4, 4])
    """
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    found: IntArray = low * (2 * n_runs - low - 1) // 2 + high - low - 1
    return found


def against_baseline(baseline: int, n_runs: int) -> IntArray:
    """Pair every other run with the baseline, which is the second of each pair: int64 (n_runs - 1, 2).

    >>> against_baseline(1, 3).tolist()
    [[0, 1], [2, 1]]
    """
    others = np.delete(np.arange(n_runs), baseline)
    return np.column_stack([others, np.full(n_runs - 1, baseline)]).astype(np.int64)


def parts_of(pairs: IntArray) -> list[IntArray]:
    """Cut pairs, (n_pairs, 2), into parts in their order; of no pairs there is one, empty."""
    return np.array_split(pairs, max(1, -(-len(pairs) // PAIRS_OF_A_PART)))


def by_parts(find: Callable[[IntArray], NDArray[Kind]], pairs: IntArray) -> NDArray[Kind]:
    """Give what `find` gives of each pair, an array (n_pairs,), part by part: so much memory as one part needs.

    >>> by_parts(lambda part: part.sum(axis=1), all_pairs(3)).tolist()
    [1, 2, 3]
    """
    return np.concatenate([find(part) for part in parts_of(pairs)])
