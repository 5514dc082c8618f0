"""What tests of all pairs say of a ranking: groups of runs that do not differ, and where each run's rank may lie."""

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray

MOST_GROUPS = 200
"""More are not looked for: a letter for each tells a reader nothing, and there can be exponentially many."""


def letter_groups(differs: BoolArray) -> list[list[int]]:
    """Give the least groups of runs within which no two differ; bool (n_runs, n_runs) in the order of the board.

    None of them where there would be too many to be told apart.

    Each run is in at least one group, and two runs share one exactly if they do not differ. Groups come in the order of
    their first runs, each ascending: the n-th has the n-th letter. Source of letters that show groups: Piepho, 2004.

    >>> apart = np.zeros((3, 3), dtype=bool)
    >>> apart[0, 2] = apart[2, 0] = True
    >>> letter_groups(apart)
    [[0, 1], [1, 2]]
    """
    ranges = groups_as_ranges(differs)
    return run_by_run(differs) if ranges is None else ranges


def groups_as_ranges(differs: BoolArray) -> list[list[int]] | None:
    """The groups where each is a range of runs, as by tests with one critical difference; None where they are not.

    >>> means = np.array([0.1, 0.2, 0.3])
    >>> groups_as_ranges(np.abs(means[:, np.newaxis] - means) > 0.15)
    [[0, 1], [1, 2]]
    """
    n_runs = len(differs)
    if not n_runs:
        return []
    places = np.arange(n_runs)
    first, end = np.argmin(differs, axis=1), n_runs - np.argmin(differs[:, ::-1], axis=1)
    within = (places >= first[:, np.newaxis]) & (places < end[:, np.newaxis])
    if (within == differs).any() or (np.diff(first) < 0).any() or (np.diff(end) < 0).any():
        return None
    starts = [run for run in range(n_runs) if run == 0 or end[run] > end[run - 1]]
    return [list(range(run, int(end[run]))) for run in starts]


def run_by_run(differs: BoolArray) -> list[list[int]]:
    """The groups of any pattern: those of the first runs give those of one run more.

    A group joins the new run if it differs from none of them; the others stay, and what of them does not differ from the new
    run makes a group with it, unless another one holds it. Groups never become fewer by a run more, so that the search can end
    at `MOST_GROUPS`, with an empty list: it takes at most a number of steps that grows with the runs and the square of that
    limit. Source: Tsukiyama and others, 1977.

    >>> run_by_run(np.array([[False, True], [True, False]]))
    [[0], [1]]
    """
    distinct, same_as = np.unique(differs, axis=0, return_index=True, return_inverse=True)[1:]
    members: list[list[int]] = [[] for _ in distinct]
    for run, place in enumerate(same_as.ravel().tolist()):  # runs that differ from the same runs share all their groups
        members[place].append(run)
    groups = [0] if len(differs) else []  # as bits: that one group holds another is asked very often
    for place, alike in enumerate(_bits_of_rows(~differs[np.ix_(distinct, distinct)])):
        groups = _with_another(groups, alike, 1 << place)
        if len(groups) > MOST_GROUPS:
            return []
    return sorted(
        sorted(run for place, runs in enumerate(members) if group >> place & 1 for run in runs) for group in groups
    )


def _with_another(groups: list[int], alike: int, run: int) -> list[int]:
    """`alike`: the runs that do not differ from the new one, whose bit is `run`."""
    joined = [group for group in groups if not group & ~alike]
    kept = [group for group in groups if group & ~alike]
    for part in sorted({group & alike for group in kept}, key=int.bit_count, reverse=True):
        if all(part & ~there for there in joined):
            joined.append(part)
    return kept + [group | run for group in joined]


def _bits_of_rows(rows: BoolArray) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(rows, axis=1, bitorder="little")]


def letters(groups: list[list[int]], n_runs: int) -> list[str]:
    """The letters of each run's groups: a to z, then aa, ab, ...

    >>> letters([[0, 1], [1, 2]], 3)
    ['a', 'ab', 'b']
    """
    of_runs: list[list[str]] = [[] for _ in range(n_runs)]
    for number, group in enumerate(groups):
        for run in group:
            of_runs[run].append(_letter(number))
    return [("" if len(groups) <= 26 else " ").join(own) for own in of_runs]


def rank_sets(
    p: FloatArray, means: FloatArray, pairs: IntArray, alpha: float = 0.05, direction: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Give the best and the worst rank that each run may have: two int64 arrays (n_runs,), from 1.

    best = 1 + the runs shown to be better, worst = n_runs - the runs shown to be worse, by `p` of all pairs corrected
    family-wise and the signs of the differences of `means`, more being better. `direction`, int64 (n_pairs,): which run is
    better by what the test goes by; of a pair of which test and means do not agree, as of equal medians of unequal ranks,
    neither is shown to be better. If no two runs are wrongly said to differ, every true rank lies in its set: in at least
    1 - alpha of all cases. Source: Mogstad and others, 2024.
    """
    by_means = np.sign(means[pairs[:, 0]] - means[pairs[:, 1]])
    shown = (p < alpha) & (by_means != 0) & (by_means == (by_means if direction is None else direction))
    first, second = pairs[shown, 0], pairs[shown, 1]
    first_is_better = by_means[shown] > 0
    better, worse = np.where(first_is_better, first, second), np.where(first_is_better, second, first)
    n_runs = len(means)
    return 1 + np.bincount(worse, minlength=n_runs), n_runs - np.bincount(better, minlength=n_runs)


def _letter(number: int) -> str:
    rest, last = divmod(number, 26)
    return ("" if not rest else _letter(rest - 1)) + chr(ord("a") + last)
