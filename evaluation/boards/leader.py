"""PURE: which runs lead a board, and whether they are shown to be better than the others, in words."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from campaign.text.plurals import listed, number_of
from evaluation.boards.beaten import Beaten
from evaluation.boards.board import Column
from evaluation.boards.measures_on_scale import is_of_quality

MOST_NAMED: Final = 3
LONGEST_NAMES: Final = 48
"""Characters of all names together: the first row of a board must stay on the first screen of a phone."""


def leader_in_words(column: Column, tags: Sequence[str]) -> str:
    """Say who is first by the column, which runs it is shown to be better than, and how many may be the best.

    `tags`: of all runs of the board, in the order of the column. Empty where the tests cannot say (no rank intervals), with fewer
    than two runs, and for measures that do not tell how good a run is. A rank interval ends at the number of runs less those
    shown to be worse, and begins at 1 where no run is shown to be better.

    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import RunFacts, compute_board
    >>> values = np.random.default_rng(1).normal([[0.8], [0.4], [0.3]], 0.1, (3, 50))
    >>> runs = [RunFacts(tag, "Alba", "automatic", 50) for tag in ("dense", "bm25", "title")]
    >>> board = compute_board(runs, ["AP"], list(map(str, range(50))), values[:, None], Choice("max-t", "none")).board
    >>> leader_in_words(board.column("AP"), ["dense", "bm25", "title"])
    'dense has the highest AP, and is shown to be better than all other runs.'
    """
    n_runs = len(tags)
    if n_runs < 2 or not column.rank_best.all() or not is_of_quality(column.measure):
        return ""
    if (column.rank_best == 1).all():
        return f"{_first(column, tags)}; no run is shown to be better than another."
    [first, *_] = np.flatnonzero(column.rank_first == 1).tolist()
    n_worse = n_runs - int(column.rank_worst[first])
    n_may_be_best = int((column.rank_best == 1).sum())
    if (column.rank_first == 1).sum() > 1:
        shown = ""
    elif n_worse == 0:
        shown = ", and is not shown to be better than any other"
    elif n_worse == n_runs - 1:
        return f"{_first(column, tags)}, and is shown to be better than all other runs."
    else:
        shown = f", and is shown to be better than {_beaten(Beaten(column), first, tags)}"
    rest = (
        f"{number_of(n_may_be_best, 'run')} may be the best (●)"
        if n_may_be_best > 1
        else "For each of the other runs, some run is shown to be better"
    )
    return f"{_first(column, tags)}{shown}. {rest}."


def _beaten(beaten: Beaten, first: int, tags: Sequence[str]) -> str:
    """By name where these are few, or all but a few; by rank otherwise."""
    of_others = number_of(len(tags) - 1, "other run")
    places = beaten.which(first)
    if places is None:
        return f"{beaten.count(first)} of {of_others}"
    named = [tags[place] for place in places]
    if _are_few(named):
        return listed(named)
    order = np.argsort(beaten.column.rank_first, kind="stable").tolist()
    rest = [tags[place] for place in order if place not in (first, *places)]
    if _are_few(rest):
        return f"all other runs but {listed(rest)}"
    ranks = beaten.ranks_in_words(first)
    return f"{len(places)} of {of_others}" + (f" ({ranks})" if ranks else "")


def _are_few(names: Sequence[str]) -> bool:
    return len(names) <= MOST_NAMED and len(listed(names)) <= LONGEST_NAMES


def _first(column: Column, tags: Sequence[str]) -> str:
    first = np.flatnonzero(column.rank_first == 1).tolist()
    extreme = "lowest" if column.lower_is_better else "highest"
    if len(first) > 1:
        return f"{number_of(len(first), 'run')} have the {extreme} {column.measure}"
    return f"{tags[first[0]]} has the {extreme} {column.measure}"
