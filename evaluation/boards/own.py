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
    return replace(board, runs=runs, columns=columns, choice=choice, curves=None, unjudged=None)


def values_of_all(board: Board, values: FloatArray, places: Sequence[int]) -> FloatArray:
    """The values from which the reader with the runs at `places` sees lowest, median and highest of all.

    `values`: float64 (n_runs, n_measures, n_topics). A topic that too few teams have a value of is NaN for all runs: too few in
    all, or, to somebody who is in several teams, too few others. A measure may leave out topics that a run misses.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> board = Board(tuple(RunFacts(team, team, "automatic", 1) for team in ("a", "b", "c")), ("1", "2"), (), Choice())
    >>> values = np.array([[[0.1, 0.1]], [[0.2, 0.2]], [[0.3, np.nan]]])
    >>> values_of_all(board, values, [0])[:, 0].tolist(), bool(np.isnan(values_of_all(board, values, [0, 1])).all())
    ([[0.1, nan], [0.2, nan], [0.3, nan]], True)
    """
    teams, known = np.array([run.team for run in board.runs], dtype=np.str_), ~np.isnan(values)
    own = {board.runs[place].team for place in places}
    have = {team: known[teams == team].any(axis=0) for team in dict.fromkeys(teams.tolist())}
    nobody = np.zeros(values.shape[1:], dtype=np.int64)
    in_all = sum(have.values(), start=nobody)
    others = sum((of for team, of in have.items() if team not in own), start=nobody)
    told = (in_all >= FEWEST_TEAMS) & (others >= FEWEST_TEAMS - 1)
    found: FloatArray = np.where(told, values, np.nan)
    return found


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
