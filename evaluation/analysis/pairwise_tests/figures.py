"""PURE: the corrected p of all pairs of runs as a square, and what follows from it."""

from collections.abc import Sequence

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray

NOT_SHOWN, SHOWN, CLEARLY, NOT_TESTED, ITSELF = range(5)
"""Kinds of pairs: p at or above alpha, below alpha, below alpha / 5, no test of this pair, a run and itself."""


def square_of_p(p: FloatArray, order: IntArray) -> FloatArray:
    """Arrange p of all pairs, float64 (n_pairs,), by runs in this order: float64 (n_runs, n_runs), NaN for a run and itself.

    >>> square_of_p(np.array([0.1, 0.2, 0.3]), np.array([2, 0, 1]))[0].tolist()
    [nan, 0.2, 0.3]
    """
    n_runs = len(order)
    square = np.full((n_runs, n_runs), np.nan)
    above = np.triu_indices(n_runs, 1)
    square[above] = p
    square.T[above] = p
    found: FloatArray = square[np.ix_(order, order)]
    return found


def kinds_of_pairs(square: FloatArray, alpha: float) -> IntArray:
    """Sort the pairs of `square` into kinds: int64 (n_runs, n_runs).

    >>> kinds_of_pairs(np.array([[np.nan, 0.02], [0.02, np.nan]]), 0.05).tolist()
    [[4, 1], [1, 4]]
    """
    with np.errstate(invalid="ignore"):
        kinds = np.select(
            [np.isnan(square), square < alpha / 5, square < alpha], [NOT_TESTED, CLEARLY, SHOWN], NOT_SHOWN
        ).astype(np.int64)
    np.fill_diagonal(kinds, ITSELF)
    return kinds


def shown_better(
    square: FloatArray,
    means: FloatArray,
    alpha: float,
    *,
    directions: IntArray | None = None,
    lower_is_better: bool = False,
) -> BoolArray:
    """Tell for each pair whether the run of the row is shown to be better: bool (n_runs, n_runs).

    `means`: float64 (n_runs,) in the order of `square`. Better is who has p below alpha and the better mean, if that is
    what the test found: `directions`, int64 (n_runs, n_runs), 1 where what it goes by is higher for the run of the row and -1
    where it is lower.

    >>> shown_better(np.array([[np.nan, 0.02], [0.02, np.nan]]), np.array([0.2, 0.4]), 0.05).tolist()
    [[False, False], [True, False]]
    """
    goodness = -means if lower_is_better else means
    with np.errstate(invalid="ignore"):
        found: BoolArray = (square < alpha) & (goodness[:, np.newaxis] > goodness)
    if directions is not None:
        found &= directions == (-1 if lower_is_better else 1)
    return found


def groups_of_letters(letters: Sequence[str]) -> dict[str, list[int]]:
    """The places of the runs that share each letter, for letters that at least two runs have.

    >>> groups_of_letters(["a", "ab", "b", "c"])
    {'a': [0, 1], 'b': [1, 2]}
    >>> groups_of_letters(["a b", "b aa", "aa"])
    {'b': [0, 1], 'aa': [1, 2]}
    """
    many = any(" " in own or len(set(own)) < len(own) for own in letters)
    groups: dict[str, list[int]] = {}
    for run, own in enumerate(letters):
        for letter in own.split() if many else own:
            groups.setdefault(letter, []).append(run)
    return {letter: runs for letter, runs in groups.items() if len(runs) > 1}
