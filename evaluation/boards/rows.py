"""A board: runs by measures, with intervals and tests. Made from arrays, kept as plain data that can be published."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluation.boards.measures_in_words import written
from evaluation.boards.tests_in_words import LEVEL
from evaluation.engine.arrays import FloatArray
from evaluation.engine.averaging import logarithms
from evaluation.engine.measures.declaration import Definition, Summary
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missed_topics import summary_of_compared
from evaluation.engine.significance.best import ComparisonWithBest, compare_with_best
from evaluation.engine.significance.paired_t import mean_interval

RENAMED = {"alike_best": "not_shown_to_differ"}
"""Names in boards that were published before, and what they are called now."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A run's mean by one measure, its interval and test; `None` where there is no finite interval (fewer than two topics).

    `not_shown_to_differ`: from the run of the best mean. `topics`: over how many topics, `None` for all of the qrels.
    """

    mean: float
    low: float | None
    high: float | None
    difference: float
    p: float
    p_holm: float
    not_shown_to_differ: bool
    lower_is_better: bool = False
    summary: str = "mean"
    topics: int | None = None

    @property
    def written(self) -> str:
        return written(self.mean, self.summary)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Cell":
        return cls(**{RENAMED.get(name, name): value for name, value in data.items()})


@dataclass(frozen=True, slots=True)
class Row:
    tag: str
    team: str
    kind: str
    topics_answered: int
    cells: dict[str, Cell]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Row":
        cells = {measure: Cell.from_json(cell) for measure, cell in data["cells"].items()}
        return cls(**{**data, "cells": cells})


@dataclass(frozen=True, slots=True)
class RunFacts:
    tag: str
    team: str
    kind: str
    topics_answered: int


def make_rows(runs: list[RunFacts], measures: list[str], values: FloatArray) -> list[Row]:
    """One row a run. `values`: float64 (n_runs, n_measures, n_topics), the order of `runs` and `measures`; NaN: left out.

    >>> facts = RunFacts("bm25", "north", "automatic", topics_answered=2)
    >>> [row] = make_rows([facts], ["AP"], np.array([[[0.25, 0.75]]]))
    >>> row.tag, row.cells["AP"].written, row.cells["AP"].not_shown_to_differ
    ('bm25', '0.5000', True)
    """
    if not runs:
        return []
    columns = [_column(values[:, index, :], measure) for index, measure in enumerate(measures)]
    return [
        Row(run.tag, run.team, run.kind, run.topics_answered, dict(zip(measures, cells, strict=True)))
        for run, cells in zip(runs, zip(*columns, strict=True), strict=True)
    ]


def standing(cell: Cell) -> float:
    """Return the sort key (higher is better), rounded to ignore differences by order of summation.

    >>> standing(Cell(0.1 + 0.2, None, None, 0.0, 1.0, 1.0, True)), standing(Cell(3, None, None, 0, 1, 1, True, True))
    (0.3, -3)
    """
    return round(-cell.mean if cell.lower_is_better else cell.mean, 12)


def sorted_rows(rows: list[Row], measure: str, *, ascending: bool = False) -> list[Row]:
    """Best first; equal means by run tag.

    >>> runs = [RunFacts(tag, "north", "automatic", topics_answered=1) for tag in ("bm25", "dense")]
    >>> rows = make_rows(runs, ["AP"], np.array([[[0.25]], [[0.75]]]))
    >>> [row.tag for row in sorted_rows(rows, "AP")]
    ['dense', 'bm25']
    """
    sign = 1 if ascending else -1
    return sorted(rows, key=lambda row: (sign * standing(row.cells[measure]), row.tag))


def ranks(rows: list[Row], measure: str) -> dict[str, str]:
    """Run tag to rank by the mean; runs of equal means share a rank, written as a range.

    >>> runs = [RunFacts(tag, "north", "automatic", topics_answered=1) for tag in ("bm25", "dense", "sparse")]
    >>> ranks(make_rows(runs, ["AP"], np.array([[[0.25]], [[0.75]], [[0.25]]])), "AP")
    {'bm25': '2–3', 'dense': '1', 'sparse': '2–3'}
    """
    means = np.array([standing(row.cells[measure]) for row in rows])
    first = (means[None, :] > means[:, None]).sum(axis=1) + 1
    last = first + (means[None, :] == means[:, None]).sum(axis=1) - 1
    return {
        row.tag: str(low) if low == high else f"{low}–{high}" for row, low, high in zip(rows, first, last, strict=True)
    }


def _column(matrix: FloatArray, measure: str) -> list[Cell]:
    """The cells of one measure. The tests compare topic by topic: a geometric mean by the logarithms of the values."""
    definition = parse_measure(measure).definition
    compared = logarithms(matrix) if definition.summary == "geometric mean" else matrix
    against_best = compare_with_best(-compared if definition.lower_is_better else compared, LEVEL)
    summary = np.array([summary_of_compared(values, definition) for values in matrix])
    topics = (~np.isnan(matrix)).sum(axis=1)
    low, high = _interval(compared, definition.summary)
    return [
        Cell(
            mean=float(summary[index]),
            low=_finite(low[index]),
            high=_finite(high[index]),
            difference=float(_difference(against_best, summary, definition)[index]),
            p=float(against_best.p[index]),
            p_holm=float(against_best.p_holm[index]),
            not_shown_to_differ=bool(against_best.not_shown_to_differ[index]),
            lower_is_better=definition.lower_is_better,
            summary=definition.summary,
            topics=int(topics[index]) if definition.missed == "left out" else None,
        )
        for index in range(len(matrix))
    ]


def _interval(compared: FloatArray, summary: Summary) -> tuple[FloatArray, FloatArray]:
    """The interval of the mean; a sum has none, and a geometric mean that of the logarithms, turned back."""
    if summary == "sum":
        return np.full(len(compared), -np.inf), np.full(len(compared), np.inf)
    low, high = mean_interval(compared, LEVEL)
    return (np.exp(low), np.exp(high)) if summary == "geometric mean" else (low, high)


def _difference(against_best: ComparisonWithBest, summary: FloatArray, definition: Definition) -> FloatArray:
    if definition.summary != "mean":
        to_best: FloatArray = summary - summary[against_best.best]
        return to_best
    sign = -1.0 if definition.lower_is_better else 1.0
    return sign * against_best.difference + 0.0


def _finite(value: float) -> float | None:
    return float(value) + 0.0 if np.isfinite(value) else None
