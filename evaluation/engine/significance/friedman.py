"""Friedman's test of runs by their ranks on each topic, and Nemenyi's comparison of all pairs."""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.ranks import shared_ranks
from evaluation.engine.significance.studentized import range_survival

DIGITS = 10
"""Values equal to so many decimals share a rank: later ones are the noise of floating point."""


@dataclass(frozen=True)
class Friedman:
    """`chi_square`, `p`: of the hypothesis that no run is ranked higher than another; `mean_ranks`: (n_runs,), 1 the highest."""

    chi_square: float
    p: float
    mean_ranks: FloatArray
    n_topics: int


def friedman(matrix: FloatArray) -> Friedman:
    """Rank the runs on every topic that all of them have, the highest value first, equal values sharing the mean rank.

    chi-square = 12 n / (R (R + 1)) * sum((mean rank - (R + 1)/2)^2) / (1 - ties / (n (R^3 - R))), ties = sum(t^3 - t) over
    groups of t equal values; R - 1 degrees of freedom. p = 1 with fewer than two runs or where all values are equal.
    Source: Friedman, 1937; for ties Conover, 1999.
    """

    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    n_runs, n_topics = known.shape
    ranks = shared_ranks(-np.round(known, DIGITS).T).T
    mean_ranks = ranks.mean(axis=1) if n_topics else np.full(n_runs, (n_runs + 1) / 2)
    untied = 1.0 - _ties(ranks) / max(n_topics * (n_runs**3 - n_runs), 1)
    if n_runs < 2 or not n_topics or untied <= 1e-12:
        return Friedman(0.0, 1.0, mean_ranks, n_topics)
    spread = np.square(mean_ranks - (n_runs + 1) / 2).sum()
    chi_square = float(12.0 * n_topics / (n_runs * (n_runs + 1)) * spread / untied)
    return Friedman(chi_square, float(chdtrc(n_runs - 1, chi_square)), mean_ranks, n_topics)


def nemenyi(matrix: FloatArray, pairs: IntArray) -> FloatArray:
    """Test, two-sided, all pairs of runs by their mean ranks; p float64 (n_pairs,), family-wise over all pairs.

    p = P(Q >= |mean rank_i - mean rank_j| / sqrt(R (R + 1) / (12 n))), Q the range of R normal means. Source: Nemenyi, 1963.
    """
    found = friedman(matrix)
    n_runs = len(matrix)
    if not found.n_topics:
        return np.ones(len(pairs))
    apart = np.abs(found.mean_ranks[pairs[:, 0]] - found.mean_ranks[pairs[:, 1]])
    return range_survival(apart / np.sqrt(n_runs * (n_runs + 1) / (12.0 * found.n_topics)), n_runs)


def _ties(ranks: FloatArray) -> float:
    """sum(t^3 - t) over the groups of t equal ranks of each topic."""
    ordered = np.sort(ranks, axis=0)
    starts = np.ones(ordered.shape, dtype=np.bool_)
    starts[1:] = ordered[1:] != ordered[:-1]
    sizes = np.diff(np.flatnonzero(np.append(starts.T.ravel(), True))).astype(np.float64)
    return float((sizes**3 - sizes).sum())
