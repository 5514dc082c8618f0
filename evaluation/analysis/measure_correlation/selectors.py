"""The order of a board's runs by each of its measures."""

import numpy as np
from django.core.cache import caches

from evaluation.analysis.measure_correlation.figures import agreement_of_all, intervals_of_tau
from evaluation.boards.board import Board
from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.significance.standing import DIGITS
from evaluation.selectors.board_views import BoardView


def goodness_of(board: Board) -> FloatArray:
    """The numbers, equal where ranks are, so that more is better by all: float64 (n_measures, n_runs), NaN: no score."""
    return np.round([column.goodness for column in board.columns], DIGITS)


def agreement_on(seen: BoardView) -> dict[str, FloatArray]:
    """The coefficients of all pairs of measures, and the bounds of tau, computed once for each content of a board."""
    key = f"evaluation:agreement-with-intervals:{seen.key}"
    kept: dict[str, FloatArray] | None = caches["bulk"].get(key)
    if kept is None:
        definitions = [parse_measure(name).definition for name in seen.board.measures]
        is_mean = np.array([definition.summary == "mean" for definition in definitions])
        lower_is_better = np.array([definition.lower_is_better for definition in definitions])
        low, high = intervals_of_tau(seen.values, is_mean, lower_is_better)
        kept = {**agreement_of_all(goodness_of(seen.board)), "tau_low": low, "tau_high": high}
        caches["bulk"].set(key, kept)
    return kept
