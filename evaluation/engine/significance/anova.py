"""Two-way analysis of variance of runs by topics, and what follows from its common error: Tukey's HSD, the best runs."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.averaging import sum_over_topics
from evaluation.engine.significance.studentized import largest_survival, range_survival

STEPS = 60
"""Far more than the root of a smooth function takes."""


@dataclass(frozen=True)
class TwoWay:
    """Variation between runs, between topics, and what is left: sums of squares, mean squares, degrees of freedom.

    `f`, `p`: of the hypothesis that all runs have the same expected mean; `means`: of the runs over `n_topics` topics, those
    that every run has.
    """

    means: FloatArray
    n_topics: int
    squares_of_runs: float
    squares_of_topics: float
    squares_left: float
    mean_square_left: float
    freedom_of_runs: int
    freedom_left: int
    f: float
    p: float


def two_way_anova(matrix: FloatArray) -> TwoWay:
    """Split the variation of values into runs, topics and the rest: x = mean + run + topic + error.

    F = (squares of runs / (R - 1)) / (squares left / ((R - 1)(n - 1))), R runs, n topics. Where nothing is left, F is inf
    (p = 0) if the runs differ, and 0 (p = 1) otherwise; with one run or fewer than two topics F = 0, p = 1.
    Source: Carterette, 2012.
    """
    from scipy.special import fdtrc  # slow to load, and 27 MB

    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    n_runs, n_topics = known.shape
    if not n_topics:
        return TwoWay(np.full(n_runs, np.nan), 0, 0.0, 0.0, 0.0, 0.0, n_runs - 1, 0, 0.0, 1.0)
    means = sum_over_topics(known) / n_topics
    # By their values: the last digits of sums would otherwise tell the order of the runs, which is that of their names.
    order = np.lexsort(known.T)
    known, ordered = known[order], means[order]
    of_topics, grand = known.mean(axis=0), ordered.mean()
    noise = 1e-12 * np.abs(known).max(initial=0.0)
    left = known - ordered[:, np.newaxis] - of_topics + grand
    left[np.abs(left) <= noise] = 0.0
    apart = np.where(np.abs(ordered - grand) <= noise, 0.0, ordered - grand)
    of_runs, rest = float(n_topics * np.square(apart).sum()), float(np.square(left).sum())
    freedom, freedom_left = n_runs - 1, (n_runs - 1) * (n_topics - 1)
    mean_square = rest / freedom_left if freedom_left else 0.0
    if not freedom_left or not of_runs:
        f, p = 0.0, 1.0
    elif not mean_square:
        f, p = float("inf"), 0.0
    else:
        f = of_runs / freedom / mean_square
        p = float(fdtrc(freedom, freedom_left, f))
    of_all_topics = float(n_runs * np.square(of_topics - grand).sum())
    return TwoWay(means, n_topics, of_runs, of_all_topics, rest, mean_square, freedom, freedom_left, f, p)


def tukey_hsd(matrix: FloatArray, pairs: IntArray) -> FloatArray:
    """Test, two-sided, all pairs of runs by the range of their means; p float64 (n_pairs,), family-wise over all pairs.

    p = P(Q >= |mean_i - mean_j| / sqrt(mean square left / n)), Q the studentized range of R means with (R - 1)(n - 1)
    degrees of freedom. Unlike the one-way test of libraries it takes the variation of topics out. Decided cases as in
    `two_way_anova`, but p = 2^(1 - n) of runs that differ by the same on all n topics, which the signs alone give.
    Sources: Tukey, 1953; Carterette, 2012.
    """
    table = two_way_anova(matrix)
    apart = np.abs(table.means[pairs[:, 0]] - table.means[pairs[:, 1]])
    if not table.freedom_left or not table.mean_square_left:
        differs = apart > 1e-12 * np.abs(matrix).max(initial=0.0, where=~np.isnan(matrix))
        return np.where(differs & bool(table.freedom_left), 2.0 ** (1 - table.n_topics), 1.0)
    q = apart / np.sqrt(table.mean_square_left / table.n_topics)
    return range_survival(q, len(matrix), table.freedom_left)


def tukey_half_width(matrix: FloatArray, level: float = 0.95) -> float:
    """Half the width of the simultaneous intervals of all differences of means: q * sqrt(mean square left / n).

    q: the `level` quantile of the studentized range, where `tukey_hsd`'s p is 1 - level. inf where nothing can be said,
    0 where nothing is left.
    """
    from scipy.special import stdtrit  # slow to load, and 27 MB

    table = two_way_anova(matrix)
    if not table.freedom_left:
        return float("inf")

    def too_likely(q: float) -> float:
        return float(range_survival(np.array([q]), len(matrix), table.freedom_left)[0]) - (1.0 - level)

    # Of one pair and of all pairs by Bonferroni: between them it lies.
    n_pairs = len(matrix) * (len(matrix) - 1) / 2
    tails = 0.5 * (1.0 - level) / np.array([1.0, n_pairs])
    least, most = -np.sqrt(2.0) * stdtrit(table.freedom_left, tails)
    quantile = _root(too_likely, float(least) * (1 - 1e-6), float(most) * (1 + 1e-6))
    return float(quantile * np.sqrt(table.mean_square_left / table.n_topics))


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that is above 0 at `low` and below at `high` is 0, by the Illinois method: regula falsi that converges."""
    at_low, at_high, value = falling(low), falling(high), 1.0
    for _ in range(STEPS):
        middle = high - at_high * (high - low) / (at_high - at_low)
        before, value = value, falling(middle)
        if abs(value) < 1e-12:
            return middle
        if value > 0:
            low, at_low, at_high = middle, value, at_high / (2.0 if before > 0 else 1.0)
        else:
            high, at_high, at_low = middle, value, at_low / (2.0 if before < 0 else 1.0)
    return (low + high) / 2.0


def may_be_best(matrix: FloatArray, alpha: float = 0.05, *, less_is_better: bool = False) -> BoolArray:
    """Mark the runs that may have the best expected mean; bool (n_runs,). At least one run is marked.

    A run is left out if the best of the others is better by more than multiple comparisons with the best allow: the set
    holds the truly best run in 1 - alpha of all cases. Source: Hsu, 1984.
    """
    table = two_way_anova(matrix)
    means = -table.means if less_is_better else table.means
    behind = means.max(initial=-np.inf) - means
    if len(means) < 2 or not table.freedom_left:
        return np.ones(len(means), dtype=np.bool_)
    if not table.mean_square_left:
        tied: BoolArray = behind <= 1e-12 * np.abs(means).max(initial=0.0)
        return tied
    error = np.sqrt(2.0 * table.mean_square_left / table.n_topics)
    p = largest_survival(behind / error, len(means) - 1, table.freedom_left)
    marked: BoolArray = (p >= alpha) | (behind <= 0.0)
    return marked
