"""The order of a board's runs by each of its measures."""

import numpy as np
from django.core.cache import caches

from evaluation.analysis.measure_correlation.figures import agreement_of_all
from evaluation.boards.board import Board
from evaluation.engine.arrays import FloatArray
from evaluation.selectors.board_views import BoardView


def goodness_of(board: Board) -> FloatArray:
    """Minus the rank of each run by each measure, so that more is better by all: float64 (n_measures, n_runs), NaN: no score."""
    ranks = np.array([column.rank_first for column in board.columns], dtype=np.float64)
    known = np.array([np.isfinite(column.mean) for column in board.columns])
    return np.where(known, -ranks, np.nan)


def agreement_on(seen: BoardView) -> dict[str, FloatArray]:
    """The coefficients of all pairs of measures, computed once for each content of a board."""
    key = f"evaluation:agreement-of-measures:{seen.key}"
    kept: dict[str, FloatArray] | None = caches["bulk"].get(key)
    if kept is None:
        kept = agreement_of_all(goodness_of(seen.board))
        caches["bulk"].set(key, kept)
    return kept
