"""What the tests of a board's first measure would say if unjudged documents had the highest grade, kept as plain data."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np

from evaluation.boards.choice import BEST_OF_TEAMS, Choice
from evaluation.engine.analyses.bounds import meaning_of_bounds
from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.averaging import logarithms
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import summary_of_compared
from evaluation.engine.significance.corners import BOTH, FIRST, SECOND, corners
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.families import all_pairs, places_of

MOST_RUNS: Final = 100
"""Of a board of more nothing is told: half a megabyte is kept at this number."""
MOST_TESTED_AGAIN: Final = {"randomised-tukey": 4_000, "tukey": 62_000, "randomisation": 62_000, "bootstrap": 62_000}
"""By test, runs times pairs beyond which only all unjudged documents together are looked at, not those of single runs: below, it
takes at most about ten seconds of processor time for 50 topics. Other tests take no longer for MOST_RUNS, unless the runs
have other topics in common.
"""
OTHERS: Final = {"p_both": BOTH, "p_first": FIRST, "p_second": SECOND}
"""Where the p of each corner but that of the values as judged is kept."""
DECISIONS: Final = ("as_judged", "both", "first", "second")
CELLS: Final = ("p_unjudged_best", "p_unjudged_best_of_a", "p_unjudged_best_of_b", "unjudged")
"""Of a pair in files: p of each corner but that of the values as judged, and one of the following words."""
HOLDS: Final = "holds"
CHANGES: Final = "changes"


@dataclass(frozen=True, eq=False)
class Unjudged:
    """Of all pairs of the board's runs in the order of `all_pairs`, by corner as in `Corners`, (4, n_pairs).

    `p`: corrected, float64; NaN for pairs that are not tested, and for corners that are not computed. `decisions`: int64, 1 where
    the first run is shown to have the larger number, -1 where the second one is. `changes_values`: whether any value changes.
    `has_single`: whether the corners are computed in which the unjudged documents of one run alone have the highest grade.
    """

    p: FloatArray
    decisions: IntArray
    changes_values: bool
    has_single: bool

    @property
    def corners(self) -> list[int]:
        """Those that were computed, but for that of the values as judged."""
        return [BOTH, FIRST, SECOND] if self.has_single else [BOTH]

    @property
    def tested(self) -> BoolArray:
        found: BoolArray = np.isfinite(self.p[BOTH])
        return found

    @property
    def changed_anywhere(self) -> BoolArray:
        """Bool (n_pairs,): whether it is another one in any corner that was computed."""
        found: BoolArray = np.logical_or.reduce(self.changed[self.corners], axis=0)
        return found

    @property
    def changed(self) -> BoolArray:
        """Bool (4, n_pairs): whether the decision in this corner is another one than by the values as judged."""
        found: BoolArray = (self.decisions != self.decisions[0]) & self.tested
        return found

    def of(self, order: IntArray) -> Self:
        """The same of the runs in this order."""
        return self.of_pairs(order[all_pairs(len(order))].reshape(-1, 2), len(order))

    def of_pairs(self, pairs: IntArray, n_runs: int) -> Self:
        """The same of these pairs of the runs, (n_pairs, 2), in their order, whichever run of a pair is the first."""
        places = places_of(pairs, n_runs)
        p, decisions = turned(self.p[:, places], self.decisions[:, places], pairs[:, 0] > pairs[:, 1])
        return replace(self, p=p, decisions=decisions)

    def cells(self) -> Iterator[dict[str, float | str | None]]:
        """CELLS by name, a pair each; None where there is no number, and of pairs that are not tested."""
        changes, tested = self.changed_anywhere.tolist(), self.tested.tolist()
        for p, is_changed, is_tested in zip(self.p[[BOTH, FIRST, SECOND]].T.tolist(), changes, tested, strict=True):
            of_corners = [value if math.isfinite(value) else None for value in p]
            said = (CHANGES if is_changed else HOLDS) if is_tested else None
            yield dict(zip(CELLS, (*of_corners, said), strict=True))

    def to_json(self) -> dict[str, Any]:
        p = {name: [None if np.isnan(one) else float(one) for one in self.p[corner]] for name, corner in OTHERS.items()}
        decisions = dict(zip(DECISIONS, self.decisions.tolist(), strict=True))
        return {**p, "decisions": decisions, "changes_values": self.changes_values, "has_single": self.has_single}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        p = np.array([[np.nan] * len(data["p_both"]), *(data[name] for name in OTHERS)], dtype=np.float64)
        decisions = np.array([data["decisions"][name] for name in DECISIONS], dtype=np.int64)
        return cls(p, decisions, data["changes_values"], data["has_single"])


def turned(p: FloatArray, decisions: IntArray, turn: BoolArray) -> tuple[FloatArray, IntArray]:
    """The corners (4, n_pairs) of pairs of which some, bool (n_pairs,), change their first and their second run.

    >>> p, decisions = turned(np.array([[0.1], [0.2], [0.3], [0.4]]), np.array([[0], [1], [1], [-1]]), np.array([True]))
    >>> p[:, 0].tolist(), decisions[:, 0].tolist()
    ([0.1, 0.2, 0.4, 0.3], [0, -1, 1, -1])
    """
    other = [0, BOTH, SECOND, FIRST]
    return np.where(turn, p[other], p), np.where(turn, -decisions[other], decisions)


def if_unjudged_were_best(
    values: FloatArray, best: FloatArray | None, measure: str, choice: Choice, p_of_pairs: FloatArray
) -> Unjudged | None:
    """Test the pairs of a board by its own test with unjudged documents of the highest grade.

    `values`, `best`: float64 (n_runs, n_topics), of `measure` as judged, and with them. `p_of_pairs`: float64 (n_pairs,), as the
    board has it, NaN for pairs that it does not test. None where `best` is, where nothing is tested, for too many runs, and for
    measures of which the values with such documents mean nothing.

    >>> judged = np.array([[0.5, 0.6, 0.4, 0.5, 0.7, 0.6], [0.2, 0.4, 0.1, 0.2, 0.3, 0.2]])
    >>> best = judged + np.array([[0.0], [0.5]])
    >>> found = if_unjudged_were_best(judged, best, "P@5", Choice("t", "holm"), np.array([0.0001]))
    >>> found.decisions[:, 0].tolist(), found.changed[:, 0].tolist()
    ([1, -1, 1, -1], [False, True, False, True])
    """
    n_runs, parsed = len(values), parse_measure(measure)
    tested = np.isfinite(p_of_pairs)
    if best is None or n_runs > MOST_RUNS or not tested.any() or meaning_of_bounds(parsed) == "none":
        return None
    together = choice.family == BEST_OF_TEAMS and TESTS[choice.test].holds_together
    family = all_pairs(n_runs) if together else all_pairs(n_runs)[tested]
    has_single = n_runs * len(family) <= MOST_TESTED_AGAIN.get(choice.test, math.inf)
    judged, relevant = [
        logarithms(of) if parsed.definition.summary == "geometric mean" else of for of in (values, best)
    ]
    drawn: dict[str, Any] = {"seed": choice.seed, "resamples": choice.resamples, "level": choice.level}
    found = corners(judged, relevant, family, choice.test, choice.correction, **drawn, single=has_single)
    numbers = np.array([[summary_of_compared(run, parsed.definition) for run in of] for of in (values, best)])
    decisions = found.decisions(numbers, 1.0 - choice.level)
    p, of_all = np.full((4, len(tested)), np.nan), np.zeros((4, len(tested)), dtype=np.int64)
    p[:, places_of(family, n_runs)], of_all[:, places_of(family, n_runs)] = found.p, decisions
    p[:, ~tested], of_all[:, ~tested] = np.nan, 0
    return Unjudged(p, of_all, not np.array_equal(values, best, equal_nan=True), has_single)
