"""Boards that were published with rows of cells, before there were columns: read as boards of today, what they lack left out.

Their files stay as they were exported; `difference`, `p` and `p_holm` of a cell compare with the run of the best mean.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from campaign.ordering import Ordering
from evaluation.boards.board import Board, Column, RunFacts
from evaluation.boards.choice import Choice
from evaluation.engine.arrays import FloatArray
from evaluation.engine.significance.standing import standing

OF_EARLIER_BOARDS = Choice(test="t", correction="holm")
RENAMED = {"alike_best": "not_shown_to_differ"}
"""Names in the oldest boards, and what they were called later."""
CELL_COLUMNS: Final = ("mean", "low", "high", "difference", "p", "p_holm", "topics")


@dataclass(frozen=True, slots=True)
class EarlierCell:
    """`not_shown_to_differ`: from the run of the best mean. `topics`: over how many topics, None for all of the qrels."""

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


@dataclass(frozen=True, slots=True)
class EarlierRow:
    tag: str
    team: str
    kind: str
    topics_answered: int
    cells: dict[str, EarlierCell]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "EarlierRow":
        cells = {
            measure: EarlierCell(**{RENAMED.get(name, name): value for name, value in cell.items()})
            for measure, cell in data["cells"].items()
        }
        return cls(**{**data, "cells": cells})


def earlier_csv(
    measures: Sequence[str], rows: Sequence[EarlierRow], ordering: Ordering
) -> tuple[list[str], Iterator[list[object]]]:
    """The header and the lines of the CSV that such a board has.

    >>> cell = EarlierCell(0.5, 0.4, 0.6, 0.0, 1.0, 1.0, True)
    >>> header, lines = earlier_csv(["AP"], [EarlierRow("bm25", "north", "automatic", 2, {"AP": cell})], Ordering("score", "9"))
    >>> header[4:7], next(lines)[:5]
    (['AP', 'AP:low', 'AP:high'], ['bm25', 'north', 'automatic', 2, 0.5])
    """
    header = [measure if column == "mean" else f"{measure}:{column}" for measure in measures for column in CELL_COLUMNS]
    lines = (
        [
            *(row.tag, row.team, row.kind, row.topics_answered),
            *(getattr(row.cells[measure], column) for measure in measures for column in CELL_COLUMNS),
            *(ordering.run_order, ordering.reference),
        ]
        for row in rows
    )
    return ["run", "team", "kind", "topics_answered", *header, "run_order", "reference"], lines


def board_of_rows(
    rows: Sequence[EarlierRow], measures: Sequence[str], topics: Sequence[str], tests: Mapping[str, Any]
) -> Board:
    """A board without rank sets; its only group, a, holds the runs that were not shown to differ from the best one.

    >>> cell = EarlierCell(0.5, 0.4, 0.6, 0.0, 1.0, 1.0, True)
    >>> board = board_of_rows([EarlierRow("bm25", "north", "automatic", 2, {"AP": cell})], ["AP"], ["1", "2"], {"topics": 2})
    >>> board.column("AP").mean.tolist(), board.column("AP").letters, board.column("AP").rank_best.tolist()
    ([0.5], ('a',), [0])
    """
    runs = tuple(RunFacts(row.tag, row.team, row.kind, row.topics_answered) for row in rows)
    columns = tuple(_column(rows, measure, int(tests.get("topics", len(topics)))) for measure in measures)
    return Board(runs, tuple(topics), columns, OF_EARLIER_BOARDS)


def _column(rows: Sequence[EarlierRow], measure: str, topics: int) -> Column:
    cells = [row.cells[measure] for row in rows]
    means = np.array([cell.mean for cell in cells], dtype=np.float64)
    lower_is_better = any(cell.lower_is_better for cell in cells)
    no_pairs = np.zeros((0, 2), dtype=np.int64)
    stands = standing(means, no_pairs, np.zeros(0), lower_is_better=lower_is_better, lettered=False)
    nothing, unknown = np.full(len(cells), np.nan), np.zeros(len(cells), dtype=np.int64)
    return Column(
        measure=measure,
        summary=cells[0].summary if cells else "mean",
        lower_is_better=lower_is_better,
        mean=means,
        low=_numbers(cell.low for cell in cells),
        high=_numbers(cell.high for cell in cells),
        topics=np.array([topics if cell.topics is None else cell.topics for cell in cells], dtype=np.int64),
        rank_first=stands.rank_first,
        rank_last=stands.rank_last,
        rank_best=unknown,
        rank_worst=unknown,
        letters=tuple("a" if cell.not_shown_to_differ else "" for cell in cells),
        difference=nothing,
        p=nothing,
        p_corrected=nothing,
        direction=unknown,
        unjudged_best=nothing,
        unjudged_meaning="none",
        resamples=0,
        notes=(),
    )


def _numbers(found: Iterator[float | None]) -> FloatArray:
    return np.array([np.nan if number is None else number for number in found], dtype=np.float64)
