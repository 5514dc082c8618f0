"""A board as a table: sorted by the measure that the address names, with the places of its interval marks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from campaign.formats.natural_order import natural_order
from evaluation.boards.measures_in_words import meaning, parameters_in_words, relevance_in_words, summary_in_words
from evaluation.boards.rows import Cell, Row, ranks, sorted_rows, standing
from evaluation.boards.tests_in_words import TESTS, family_in_words, missed_in_words


@dataclass(frozen=True, slots=True)
class Interval:
    """Places in percent of the column's width."""

    low: float
    mid: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class TableRow:
    row: Row
    rank: str
    main: Cell
    interval: Interval | None
    others: list[tuple[Cell, bool]]
    is_best: bool


@dataclass(frozen=True, slots=True)
class BoardTable:
    measure: str
    other_measures: list[tuple[str, str]]
    measures: list[str]
    sort: str
    rows: list[TableRow]
    scale: tuple[float, float]
    reference: float
    teams: list[str]
    team: str
    terms: list[str]
    terms_of_others: str
    meaning: str
    summary: str
    family: str
    missed: str
    left_out: bool
    topics: int | None

    @classmethod
    def of(
        cls, measures: list[str], rows: list[Row], query: Mapping[str, str], tests: Mapping[str, Any] = TESTS
    ) -> Self:
        """`query` is the address's: measure (whose interval is shown), sort (measure, tag or team; `-` descending), team.

        `tests`: what a stored board says of its tests.
        """
        measure = query.get("measure", "")
        measure = measure if measure in measures else measures[0]
        sort = query.get("sort", "")
        if sort.removeprefix("-") not in {*measures, "tag", "team"}:
            sort = f"-{measure}"
        place = ranks(rows, measure)
        team = query.get("team", "")
        shown = [row for row in _sorted(rows, sort) if not team or row.team == team]
        cells = [row.cells[measure] for row in rows]
        scale = _scale(cells)
        best = {name: max(standing(row.cells[name]) for row in rows) for name in measures}
        others = [name for name in measures if name != measure]
        lines = [_line(row, measure, others, place[row.tag], best, scale) for row in shown]
        return cls(
            measure=measure,
            other_measures=[(name, meaning(name)) for name in others],
            measures=measures,
            sort=sort,
            rows=lines,
            scale=scale,
            reference=_percent(best[measure], scale),
            teams=sorted({row.team for row in rows}, key=natural_order),
            team=team,
            terms=parameters_in_words(measure),
            terms_of_others=relevance_in_words(others),
            meaning=meaning(measure),
            summary=summary_in_words(measure),
            family=family_in_words(tests),
            missed=missed_in_words(tests, measure),
            topics=tests.get("topics"),
            left_out=any(cell.topics is not None for cell in cells),
        )


def _line(
    row: Row, measure: str, others: list[str], rank: str, best: dict[str, float], scale: tuple[float, float]
) -> TableRow:
    return TableRow(
        row=row,
        rank=rank,
        main=row.cells[measure],
        interval=_interval(row.cells[measure], scale),
        others=[(row.cells[name], standing(row.cells[name]) == best[name]) for name in others],
        is_best=standing(row.cells[measure]) == best[measure],
    )


def _sorted(rows: list[Row], sort: str) -> list[Row]:
    key, descending = sort.removeprefix("-"), sort.startswith("-")
    if key == "tag":
        return sorted(rows, key=lambda row: natural_order(row.tag), reverse=descending)
    if key == "team":
        return sorted(rows, key=lambda row: (natural_order(row.team), natural_order(row.tag)), reverse=descending)
    return sorted_rows(rows, key, ascending=not descending)


def _scale(cells: list[Cell]) -> tuple[float, float]:
    low = min(cell.mean if cell.low is None else cell.low for cell in cells)
    high = max(cell.mean if cell.high is None else cell.high for cell in cells)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _interval(cell: Cell, scale: tuple[float, float]) -> Interval | None:
    if cell.low is None or cell.high is None:
        return None
    low, mid, high = (_percent(value, scale) for value in (cell.low, cell.mean, cell.high))
    return Interval(low, mid, high, f"{cell.low:.4f} to {cell.high:.4f}")


def _percent(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return round(100 * (value - low) / (high - low), 2)
