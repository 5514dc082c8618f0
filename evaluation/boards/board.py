"""A board as arrays: what is computed of all runs by every measure, kept as plain data that can be published."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import numpy as np

from evaluation.boards.choice import Choice
from evaluation.boards.curves import BoardCurves
from evaluation.boards.measures_on_scale import ends_in_words, is_of_quality, sides_in_words
from evaluation.boards.unjudged import Unjudged
from evaluation.engine.arrays import BoolArray, FloatArray, IntArray

VERSION: Final = 8
"""Of what a board says of the same values: working boards of another one are computed anew, published ones stay."""
FLOATS: Final = ("mean", "low", "high", "difference", "p", "p_corrected", "unjudged_best")
INTS: Final = ("topics", "rank_first", "rank_last", "rank_best", "rank_worst", "direction")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """`team` is empty on an anonymous board. `unjudged`: share of the first 10 ranks with an unjudged document, None if unknown.

    `answers`: to the organiser's questions about runs, question to answer.
    """

    tag: str
    team: str
    kind: str
    topics_answered: int
    unjudged: float | None = None
    answers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Column:
    """All runs by one measure: arrays (n_runs,) in the order of the board's runs, float64 or int64; NaN where there is none.

    `mean`: the measure's one number (`summary`: mean, geometric mean or sum). `low`, `high`: the t interval of the expected mean,
    cut to the measure's range. `topics`: over how many topics. `rank_first`, `rank_last`: of the mean, differing where means are
    equal; 0 by a measure that does not tell how good a run is, which has no letters and no comparison with the baseline either.
    `rank_best`, `rank_worst`: between which the true rank lies; 0 where the tests cannot say. `letters`: runs that share a letter
    are not significantly different; empty where the tests cannot say (`Choice.why_no_ranks`). `difference`, `p`,
    `p_corrected`: run minus baseline. `direction`: what the test goes by is higher (1) or lower (-1) than of the baseline; 0
    without a comparison.
    `unjudged_best`: the number if all unjudged documents that the measure looks at had the highest grade; with them worthless it
    is `mean`. `unjudged_meaning`: "bounds", "scenarios" or "none", what the interval between the two is.
    """

    measure: str
    summary: str
    lower_is_better: bool
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    topics: IntArray
    rank_first: IntArray
    rank_last: IntArray
    rank_best: IntArray
    rank_worst: IntArray
    letters: tuple[str, ...]
    difference: FloatArray
    p: FloatArray
    p_corrected: FloatArray
    direction: IntArray
    unjudged_best: FloatArray
    unjudged_meaning: str
    resamples: int
    notes: tuple[str, ...]

    def better_than_baseline(self, run: int, level: float) -> bool | None:
        """Whether a run is shown to be better (or worse: False) than the baseline, by the test and the board's number alike."""
        difference = self.difference[run]
        if not self.p_corrected[run] < 1 - level or np.sign(difference) != self.direction[run] or difference == 0:
            return None
        return bool((difference > 0) != self.lower_is_better)

    @property
    def sides(self) -> tuple[str, str]:
        """What a run is called that is shown to be better, and one shown to be worse."""
        return sides_in_words(self.measure, lower_is_better=self.lower_is_better)

    @property
    def ends(self) -> tuple[str, str]:
        """What the first run is called, and the last."""
        return ends_in_words(self.measure, lower_is_better=self.lower_is_better)

    @property
    def goodness(self) -> FloatArray:
        """The numbers, turned where less is better: float64 (n_runs,)."""
        return -self.mean if self.lower_is_better else self.mean

    @property
    def may_be_best(self) -> BoolArray:
        """Bool (n_runs,): the runs that no run is shown to be better than."""
        found: BoolArray = self.rank_best == 1
        return found

    def to_json(self) -> dict[str, Any]:
        """Lists in the order of the runs; null where there is no number."""
        named = {name: _with_none(getattr(self, name)) for name in FLOATS}
        whole = {name: getattr(self, name).tolist() for name in INTS}
        plain = ("measure", "summary", "lower_is_better", "letters", "unjudged_meaning", "resamples", "notes")
        return {**{name: getattr(self, name) for name in plain}, **named, **whole}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        floats = {name: np.array(data[name], dtype=np.float64) for name in FLOATS}
        whole = {name: np.array(data[name], dtype=np.int64) for name in INTS}
        return cls(**{**data, **floats, **whole, "letters": tuple(data["letters"]), "notes": tuple(data["notes"])})


@dataclass(frozen=True, eq=False)
class Board:
    """`choice`: of tests. `engine`: version of the code that scored. The first column is the task's first measure.

    `curves`: None where the runs were not all scored by the same settings of curves. `unjudged`: of the first column's tests;
    None where it cannot be told, and of boards that were published before it was. `version`: that of the tests.
    """

    runs: tuple[RunFacts, ...]
    topics: tuple[str, ...]
    columns: tuple[Column, ...]
    choice: Choice
    curves: BoardCurves | None = None
    unjudged: Unjudged | None = None
    version: int = VERSION

    def __post_init__(self) -> None:
        """A board that was cut to fewer runs must not hold the curves of all."""
        if self.curves is not None and len(self.curves.macro) != len(self.runs):
            raise ValueError(f"curves of {len(self.curves.macro)}, board of {len(self.runs)}")
        n_pairs = len(self.runs) * (len(self.runs) - 1) // 2
        if self.unjudged is not None and self.unjudged.p.shape[1] != n_pairs:
            raise ValueError(f"pairs if unjudged were best: {self.unjudged.p.shape[1]}, of the board: {n_pairs}")

    @property
    def measures(self) -> list[str]:
        return [column.measure for column in self.columns]

    def column(self, measure: str) -> Column:
        """The column of a measure; KeyError for one that the board lacks."""
        for column in self.columns:
            if column.measure == measure:
                return column
        raise KeyError(measure)

    def shown_column(self, measure: str) -> Column:
        """The column as pages show it: without ranks, letters and baseline by a measure that does not tell how good a run is.

        Boards that were published up to version 7 hold them, and their files keep them.
        """
        column = self.column(measure)
        if is_of_quality(measure):
            return column
        nothing, unknown = np.full(len(self.runs), np.nan), np.zeros(len(self.runs), dtype=np.int64)
        blank: dict[str, Any] = dict.fromkeys(("difference", "p", "p_corrected"), nothing)
        blank |= dict.fromkeys(("rank_first", "rank_last", "rank_best", "rank_worst", "direction"), unknown)
        return replace(column, **blank, letters=("",) * len(self.runs))

    def index(self, tag: str) -> int | None:
        """The place of a run in all arrays; None for a tag that the board lacks."""
        return next((place for place, run in enumerate(self.runs) if run.tag == tag), None)

    def to_json(self) -> dict[str, Any]:
        runs = [
            {
                "tag": run.tag,
                "team": run.team,
                "kind": run.kind,
                "topics_answered": run.topics_answered,
                "unjudged": run.unjudged,
                "answers": dict(run.answers),
            }
            for run in self.runs
        ]
        columns = [column.to_json() for column in self.columns]
        curves = None if self.curves is None else self.curves.to_json()
        parts = {"runs": runs, "topics": list(self.topics), "columns": columns, "choice": self.choice.to_json()}
        unjudged = None if self.unjudged is None else self.unjudged.to_json()
        return {**parts, "curves": curves, "unjudged": unjudged, "version": self.version}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            tuple(RunFacts(**run) for run in data["runs"]),
            tuple(data["topics"]),
            tuple(Column.from_json(column) for column in data["columns"]),
            Choice.from_json(data["choice"]),
            BoardCurves.from_json(data["curves"]) if data["curves"] else None,
            Unjudged.from_json(data["unjudged"]) if data.get("unjudged") else None,
            int(data.get("version", 0)),
        )


def _with_none(numbers: FloatArray) -> list[float | None]:
    finite = np.isfinite(numbers)
    return [float(number) + 0.0 if is_finite else None for number, is_finite in zip(numbers, finite, strict=True)]
