"""PURE: how far measures order the runs of a board alike."""

from typing import Final

import numpy as np

from evaluation.engine.analyses.rank_correlation import kendall_tau, rank_biased_overlap, spearman, tau_ap
from evaluation.engine.analyses.tau_interval import tau_intervals
from evaluation.engine.arrays import BoolArray, FloatArray

COEFFICIENTS: Final = {
    "tau": "Kendall's tau-b",
    "tau_ap": "tau-AP",
    "spearman": "Spearman's rho",
    "rbo": "RBO (p = .9)",
}
"""The coefficients of two orders, and their names."""
MOST_SIGNS: Final = 100_000
"""Measures times pairs of runs: for more, intervals would keep a reader waiting for seconds."""
READ_AS: Final = {
    "tau": "1: the same order; 0: no relation; -1: the reverse order. Every pair of runs counts alike.",
    "tau_ap": "1: the same order, without equal scores; 0: no relation. Exchanges among the best runs cost more than with tau. "
    "The row is the true order, the column its estimate.",
    "spearman": "The correlation of the ranks: runs that are far apart in the two orders count more than with tau.",
    "rbo": "From 0 to 1: the overlap of the first runs of both orders, the first ten ranks having most of the weight.",
}


def agreement_of(x: FloatArray, y: FloatArray) -> dict[str, float]:
    """The coefficients of two lists of scores, float64 (n_runs,), more being better; runs with NaN in either are left out.

    >>> {name: round(value, 3) for name, value in agreement_of(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])).items()}
    {'tau': 0.333, 'tau_ap': 0.5, 'spearman': 0.5, 'rbo': 0.955}
    """
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if len(x) < 2:
        return dict.fromkeys(COEFFICIENTS, float("nan"))
    return {
        "tau": kendall_tau(x, y),
        "tau_ap": tau_ap(x, y),
        "spearman": spearman(x, y),
        "rbo": rank_biased_overlap(x, y),
    }


def agreement_of_all(scores: FloatArray) -> dict[str, FloatArray]:
    """The coefficients of every two rows of `scores`, float64 (n_measures, n_runs): float64 (n_measures, n_measures) each.

    >>> agreement_of_all(np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0]]))["spearman"].round(2).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    n = len(scores)
    found = {name: np.full((n, n), np.nan) for name in COEFFICIENTS}
    for row in range(n):
        for column in range(row, n):
            for name, value in agreement_of(scores[row], scores[column]).items():
                found[name][row, column] = found[name][column, row] = value
            found["tau_ap"][column, row] = _tau_ap_of(
                scores[column], scores[row]
            )  # the one that asks which order is true
    return found


def intervals_of_tau(values: FloatArray, is_mean: BoolArray, lower_is_better: BoolArray) -> FloatArray:
    """Prediction intervals of the tau of every two measures: float64 (2, n_measures, n_measures), low and high; NaN: none.

    values: float64 (n_runs, n_measures, n_topics). is_mean, lower_is_better: bool (n_measures,); a measure that is no mean over
    topics has none, nor has a board with more than 100,000 pairs of runs, times measures.

    >>> values = np.random.default_rng(1).random((4, 2, 20))
    >>> intervals_of_tau(values, np.array([True, True]), np.array([False, False]))[:, 0, 1].round(1).tolist()
    [-0.9, 1.0]
    """
    runs, measures, _ = values.shape
    if measures * runs * (runs - 1) // 2 > MOST_SIGNS:
        return np.full((2, measures, measures), np.nan)
    better = np.where(lower_is_better[:, np.newaxis], -values, values)
    return tau_intervals(np.where(is_mean[:, np.newaxis], better, np.nan).transpose(1, 0, 2))


def _tau_ap_of(x: FloatArray, y: FloatArray) -> float:
    known = ~(np.isnan(x) | np.isnan(y))
    return tau_ap(x[known], y[known])
