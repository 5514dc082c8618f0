"""The pairs of runs of a board, in the order of the board."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from campaign.web.cache import SCORES_KEPT, kept
from evaluation.analysis.pairwise_tests.figures import shown_better, square_of_p
from evaluation.boards.board import Board, Column, RunFacts
from evaluation.boards.computing import pair_place
from evaluation.boards.snapshot import best_first
from evaluation.boards.unjudged import Unjudged
from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.averaging import logarithms
from evaluation.engine.significance.compare import directions
from evaluation.engine.significance.equivalence import EQUIVALENT, UNKNOWN, Equivalence, equivalence
from evaluation.engine.significance.families import all_pairs
from evaluation.selectors.board_views import BoardView


@dataclass(frozen=True, eq=False)
class Pairs:
    """`order`: places on the board, best mean first. `square`: corrected p by this order, (0, 0) if none are kept."""

    seen: BoardView
    measure: str
    order: IntArray
    square: FloatArray

    @property
    def column(self) -> Column:
        return self.seen.board.shown_column(self.measure)

    @cached_property
    def runs(self) -> list[RunFacts]:
        return [self.seen.board.runs[place] for place in self.order.tolist()]

    @cached_property
    def tags(self) -> list[str]:
        return [run.tag for run in self.runs]

    @cached_property
    def means(self) -> FloatArray:
        found: FloatArray = self.column.mean[self.order]
        return found

    @cached_property
    def letters(self) -> list[str]:
        return [self.column.letters[place] for place in self.order.tolist()]

    @property
    def sides(self) -> tuple[str, str]:
        """What a run is called that is shown to be better, and one shown to be worse."""
        return self.column.sides

    @property
    def alpha(self) -> float:
        return alpha_of(self.seen.board)

    @property
    def has_tests(self) -> bool:
        return bool(np.isfinite(self.square).any())

    @property
    def margin(self) -> float | None:
        """The margin of equivalence by this measure; None where none was named for it, or it is no mean."""
        return self.seen.board.choice.margin_of(self.measure) if self.column.summary == "mean" else None

    @cached_property
    def equivalence(self) -> Equivalence | None:
        """Of all pairs of runs in the order of the board, whichever its own tests compare; None without a margin.

        Computed once for each content of a board.
        """
        if self.margin is None:
            return None
        key = f"evaluation:equivalence:{self.seen.key}:{self.measure.encode().hex()}:{self.margin}"
        margin, pairs = self.margin, all_pairs(len(self.order))
        return kept(key, lambda: equivalence(self.seen.values_by(self.measure)[self.order], pairs, margin), SCORES_KEPT)

    @cached_property
    def equivalence_in_words(self) -> list[str]:
        """Of each pair in the order of the board; empty without a margin."""
        return [] if self.equivalence is None else self.equivalence.in_words(self.alpha)

    @property
    def n_equivalence_unknown(self) -> int:
        return self.equivalence_in_words.count(UNKNOWN)

    def equivalent_to(self, run: int) -> list[str]:
        """The runs that the run at this place is shown to be equivalent to within the margin."""
        if self.equivalence is None:
            return []
        return [self.tags[other] for other in np.flatnonzero(self._are_equivalent[run]).tolist()]

    @cached_property
    def _are_equivalent(self) -> BoolArray:
        said = np.array(self.equivalence_in_words) == EQUIVALENT
        found: BoolArray = square_of_p(said.astype(np.float64), np.arange(len(self.order))) == 1.0
        return found

    @cached_property
    def unjudged(self) -> Unjudged | None:
        """What unjudged documents could change, of all pairs in the order of the board; None by other measures than its first."""
        found = self.seen.board.unjudged
        return None if found is None or self.measure != self.seen.board.measures[0] else found.of(self.order)

    def better_and_worse(self, of: Sequence[int]) -> list[tuple[list[str], list[str]]]:
        """For each of these runs, by place, the runs that it is shown to be better than, and those shown to be better than it."""
        if not self.has_tests:
            return [([], [])] * len(of)
        better = shown_better(
            self.square,
            self.means,
            self.alpha,
            directions=self._directions(of),
            lower_is_better=self.column.lower_is_better,
        )
        tags = np.array(self.tags, dtype=object)
        return [(tags[better[run]].tolist(), tags[better[:, run]].tolist()) for run in of]

    def _directions(self, of: Sequence[int]) -> IntArray:
        """Of which run what the board's test goes by is higher, int64 (n_runs, n_runs); 0 for a pair without any of these runs,
        and where p is not below alpha."""
        asked = np.zeros(self.square.shape, dtype=np.bool_)
        asked[of, :] = asked[:, of] = True
        with np.errstate(invalid="ignore"):
            pairs = np.argwhere(np.triu(asked & (self.square < self.alpha), 1))
        found = np.zeros(self.square.shape, dtype=np.int64)
        found[tuple(pairs.T)] = _directions(self.seen, self.measure, self.order[pairs])
        return found - found.T


def pairs_of(seen: BoardView, asked_measure: str) -> Pairs:
    """All pairs by the measure that an address asks for."""
    measure = seen.measure(asked_measure)
    order = best_first(seen.board, measure)
    p = seen.p_of_pairs(measure)
    return Pairs(seen, measure, order, square_of_p(p, order) if len(p) or len(order) == 1 else np.zeros((0, 0)))


def alpha_of(board: Board) -> float:
    """Below which p a difference is shown."""
    return round(1.0 - board.choice.level, 10)


def is_shown_better(seen: BoardView, measure: str, pair: tuple[int, int]) -> bool | None:
    """Whether the board shows the first of two runs, by their places on it, to be better (False: worse); None: neither."""
    one, other = pair
    p = seen.p_of_pairs(measure)
    if one == other or not len(p):
        return None
    column = seen.board.shown_column(measure)
    of_pair = float(p[pair_place(one, other, len(seen.board.runs))])
    towards = int(_directions(seen, measure, np.array([pair]))[0])
    better = shown_better(
        np.array([[np.nan, of_pair], [of_pair, np.nan]]),
        column.mean[[one, other]],
        alpha_of(seen.board),
        directions=np.array([[0, towards], [-towards, 0]]),
        lower_is_better=column.lower_is_better,
    )
    return True if better[0, 1] else False if better[1, 0] else None


def _directions(seen: BoardView, measure: str, pairs: IntArray) -> IntArray:
    """Of which run what the board's test goes by is higher. `pairs`: int64 (n_pairs, 2), places on the board."""
    values = seen.values_by(measure)
    compared = logarithms(values) if seen.board.shown_column(measure).summary == "geometric mean" else values
    return directions(compared, pairs, seen.board.choice.test)
