"""The part of a board that a team sees before the board itself is published: its own runs, and no comparison with others."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evaluation.boards.anonymous import reordered
from evaluation.boards.audiences import FEWEST_TEAMS
from evaluation.boards.board import Board, Column
from evaluation.engine.arrays import FloatArray


def own_board(board: Board, places: Sequence[int]) -> Board:
    """The runs at these places, without ranks, groups, tests and curves, which are shown beside those of others.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> facts = [RunFacts(tag, "north", "automatic", 1) for tag in ("bm25", "dense")]
    >>> board = compute_board(facts, ["AP"], ["1"], np.array([[[0.25]], [[0.5]]]), Choice(baseline="dense")).board
    >>> own = own_board(board, [0])
    >>> [run.tag for run in own.runs], own.column("AP").mean.tolist(), own.column("AP").rank_first.tolist(), own.choice.baseline
    (['bm25'], [0.25], [0], '')
    """
    runs = tuple(board.runs[place] for place in places)
    columns = tuple(_alone(column, places) for column in board.columns)
    choice = replace(board.choice, baseline="", named_before_scores=False)
    return replace(board, runs=runs, columns=columns, choice=choice, curves=None)


def values_of_all(board: Board, values: FloatArray) -> FloatArray:
    """The values from which participants see lowest, median and highest; all NaN where these would tell who has which.

    `values`: float64 (n_runs, n_measures, n_topics).

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> board = Board((RunFacts("bm25", "north", "automatic", 1),), ("1",), (), Choice())
    >>> values_of_all(board, np.zeros((1, 1, 1))).tolist()
    [[[nan]]]
    """
    teams = {run.team for run in board.runs}
    return values if len(teams) >= FEWEST_TEAMS else np.full_like(values, np.nan)


def _alone(column: Column, places: Sequence[int]) -> Column:
    own = reordered(column, np.array(places, dtype=np.int64))
    none, zero = np.full(len(places), np.nan), np.zeros(len(places), dtype=np.int64)
    return replace(
        own,
        rank_first=zero,
        rank_last=zero,
        rank_best=zero,
        rank_worst=zero,
        difference=none,
        p=none,
        p_corrected=none,
        letters=("",) * len(places),
        notes=(),
    )
