"""Boards that were published with rows of cells, before there were columns: read as boards of today, what they lack left out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.boards.board import Board, Column, RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.rows import Row
from evaluation.engine.arrays import FloatArray
from evaluation.engine.significance.standing import standing

OF_EARLIER_BOARDS = Choice(test="t", correction="holm")


def board_of_rows(
    rows: Sequence[Row], measures: Sequence[str], topics: Sequence[str], tests: Mapping[str, Any]
) -> Board:
    """A board without rank sets; its only group, a, holds the runs that were not shown to differ from the best one.

    >>> from evaluation.boards.rows import Cell
    >>> cell = Cell(0.5, 0.4, 0.6, 0.0, 1.0, 1.0, True)
    >>> board = board_of_rows([Row("bm25", "north", "automatic", 2, {"AP": cell})], ["AP"], ["1", "2"], {"topics": 2})
    >>> board.column("AP").mean.tolist(), board.column("AP").letters, board.column("AP").rank_best.tolist()
    ([0.5], ('a',), [0])
    """
    runs = tuple(RunFacts(row.tag, row.team, row.kind, row.topics_answered) for row in rows)
    columns = tuple(_column(rows, measure, int(tests.get("topics", len(topics)))) for measure in measures)
    return Board(runs, tuple(topics), columns, OF_EARLIER_BOARDS)


def _column(rows: Sequence[Row], measure: str, topics: int) -> Column:
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
        unjudged_zero=nothing,
        unjudged_best=nothing,
        unjudged_meaning="none",
        resamples=0,
        notes=(),
    )


def _numbers(found: Any) -> FloatArray:
    return np.array([np.nan if number is None else number for number in found], dtype=np.float64)
