"""What comparisons of all pairs say of every run: its group, and where its rank may lie."""

from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.groups import MOST_GROUPS, letter_groups, letters, rank_sets

TOO_MANY_GROUPS = (
    f"There are more than {MOST_GROUPS} groups of runs that are not significantly different: no letters are given."
)
DIGITS = 12
"""Means equal to so many decimals are equal: later ones depend on the order of summation."""


@dataclass(frozen=True)
class Standing:
    """`order`: int64 (n_runs,), the runs from the best mean to the worst. The others are by run, in the order of the matrix.

    `rank_first`, `rank_last`: of the mean, int64 (n_runs,), differing where means are equal. `best`, `worst`: the ranks that
    the true mean may have. `letters`: runs that share one are not significantly different. `notes`: what is to be said of them.
    """

    order: IntArray
    rank_first: IntArray
    rank_last: IntArray
    best: IntArray
    worst: IntArray
    letters: list[str]
    notes: tuple[str, ...]


def standing(
    means: FloatArray,
    pairs: IntArray,
    p: FloatArray,
    alpha: float = 0.05,
    *,
    direction: IntArray | None = None,
    lower_is_better: bool = False,
    lettered: bool = True,
) -> Standing:
    """Order runs by their means, float64 (n_runs,), and say what p of all pairs, corrected family-wise, allows to tell.

    `direction`: of each pair, what the test goes by is higher for the first run (1) or the second (-1), as `compare` tells.
    `lettered`: whether the groups of runs that do not differ are looked for, since somebody reads their letters; these are empty
    otherwise, and where there are too many groups.

    >>> from evaluation.engine.significance.families import all_pairs
    >>> found = standing(np.array([0.5, 0.9, 0.6]), all_pairs(3), np.array([0.01, 0.3, 0.2]))
    >>> found.order.tolist(), found.letters, found.best.tolist(), found.worst.tolist()
    ([1, 2, 0], ['b', 'a', 'ab'], [2, 1, 1], [3, 2, 3])
    """
    goodness = np.round(-means if lower_is_better else means, DIGITS)
    n_runs = len(means)
    order = np.lexsort((np.arange(n_runs), -goodness))
    place = np.empty(n_runs, dtype=np.int64)
    place[order] = np.arange(n_runs)
    by_place = _letters_by_place(place, pairs[p < alpha]) if lettered else [""] * n_runs
    towards = -direction if direction is not None and lower_is_better else direction
    best, worst = rank_sets(p, goodness, pairs, alpha, towards)
    known = np.sort(goodness[~np.isnan(goodness)])
    return Standing(
        order=order,
        rank_first=1 + len(known) - np.searchsorted(known, goodness, side="right"),
        rank_last=len(known) - np.searchsorted(known, goodness, side="left"),
        best=best,
        worst=worst,
        letters=[by_place[at] for at in place],
        notes=(TOO_MANY_GROUPS,) if lettered and n_runs and not any(by_place) else (),
    )


def _letters_by_place(place: IntArray, shown: IntArray) -> list[str]:
    """`shown`: the pairs that differ, as runs; `place`: of each run in the order of the board."""
    differs = np.zeros((len(place), len(place)), dtype=np.bool_)
    one, other = place[shown[:, 0]], place[shown[:, 1]]
    differs[one, other] = differs[other, one] = True
    return letters(letter_groups(differs), len(place))
