"""A board without significance tests: a live one that teams can tune their runs to."""

from dataclasses import replace

import numpy as np

from evaluation.boards.board import Board, Column

UNTESTED = "no significance tests: teams can tune their runs to this board"


def untested(board: Board) -> Board:
    """The board with its means, intervals and ranks of means, and nothing that follows from a test.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> facts = [RunFacts(tag, "north", "automatic", 1) for tag in ("bm25", "dense")]
    >>> board = untested(compute_board(facts, ["AP"], ["1"], np.array([[[0.25]], [[0.5]]]), Choice("t", "holm")).board)
    >>> column = board.column("AP")
    >>> column.rank_first.tolist(), column.rank_best.tolist(), column.letters
    ([2, 1], [0, 0], ('', ''))
    """
    choice = replace(board.choice, baseline="", named_before_scores=False)
    return replace(board, columns=tuple(_untested(column) for column in board.columns), choice=choice, unjudged=None)


def _untested(column: Column) -> Column:
    n_runs = len(column.mean)
    none, zero = np.full(n_runs, np.nan), np.zeros(n_runs, dtype=np.int64)
    return replace(
        column,
        rank_best=zero,
        rank_worst=zero,
        letters=("",) * n_runs,
        difference=none,
        p=none,
        p_corrected=none,
        direction=zero,
        notes=(),
    )
