"""PURE: which runs each run of a board is shown to be better than, by what the board stores, and their ranks in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from campaign.text.plurals import number_of
from evaluation.boards.board import Column
from evaluation.boards.measures_in_words import ranks_in_words
from evaluation.engine.arrays import BoolArray
from evaluation.engine.significance.standing import DIGITS

MOST_SPANS: Final = 3
"""Ranks in words: of more stretches than these the rest is a number."""
NONE: Final = "none"


@dataclass(frozen=True, eq=False)
class Beaten:
    """Of a column with rank intervals: their ends say how many runs a run is shown to be better than, and its letters say which.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> values = np.random.default_rng(1).normal([[0.8], [0.4], [0.3]], 0.1, (3, 50))
    >>> runs = [RunFacts(tag, "Alba", "automatic", 50) for tag in ("dense", "bm25", "title")]
    >>> board = compute_board(runs, ["AP"], list(map(str, range(50))), values[:, None], Choice("max-t", "none")).board
    >>> found = Beaten(board.column("AP"))
    >>> found.which(0), [found.in_words(run) for run in range(3)]
    ([1, 2], ['ranks 2–3', 'rank 3', 'none'])
    """

    column: Column

    def count(self, run: int) -> int:
        return len(self.column.rank_worst) - int(self.column.rank_worst[run])

    def which(self, run: int) -> list[int] | None:
        """The places of the runs, best first. None where letters are missing, or where test and mean disagree about a pair."""
        if not self.column.letters[run]:
            return None
        goodness = np.round(self.column.goodness, DIGITS)
        found = np.flatnonzero(~self._share_a_letter[run] & (goodness[run] > goodness))
        if len(found) != self.count(run):
            return None
        return [int(place) for place in found[np.argsort(self.column.rank_first[found], kind="stable")]]

    def in_words(self, run: int) -> str:
        """Their ranks, or how many there are where ranks do not say which: `ranks 9–12`, `4 runs`, `none`."""
        if not (count := self.count(run)):
            return NONE
        return self.ranks_in_words(run) or number_of(count, "run")

    def ranks_in_words(self, run: int) -> str:
        ranks = self._ranks(run)
        if not ranks:
            return ""
        spans = _spans(ranks)
        words = ", ".join(ranks_in_words(first, last) for first, last in spans[:MOST_SPANS])
        more = sum(last - first + 1 for first, last in spans[MOST_SPANS:])
        return ("rank " if len(ranks) == 1 else "ranks ") + words + (f" and {more} more" if more else "")

    def _ranks(self, run: int) -> list[int] | None:
        """None too where runs of equal means share ranks and not all of them are shown to be worse."""
        places = self.which(run)
        if places is None:
            return None
        ends = zip(self.column.rank_first[places].tolist(), self.column.rank_last[places].tolist(), strict=True)
        ranks = {rank for first, last in ends for rank in range(first, last + 1)}
        return sorted(ranks) if len(ranks) == len(places) else None

    @cached_property
    def _share_a_letter(self) -> BoolArray:
        """Bool (n_runs, n_runs)."""
        letters = self.column.letters
        many = any(" " in own or len(set(own)) < len(own) for own in letters)
        of_runs = [set(own.split() if many else own) for own in letters]
        places = {letter: place for place, letter in enumerate(sorted(set().union(*of_runs)))}
        has = np.zeros((len(letters), len(places)), dtype=np.int64)
        for run, own in enumerate(of_runs):
            has[run, [places[letter] for letter in own]] = 1
        found: BoolArray = has @ has.T > 0
        return found


def _spans(ranks: Sequence[int]) -> list[tuple[int, int]]:
    """Stretches of ascending ranks.

    >>> _spans([2, 5, 6, 7])
    [(2, 2), (5, 7)]
    """
    spans: list[tuple[int, int]] = []
    for rank in ranks:
        if spans and spans[-1][1] == rank - 1:
            spans[-1] = (spans[-1][0], rank)
        else:
            spans.append((rank, rank))
    return spans
