"""How well two lists of scores agree on the order of the same runs."""

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.significance.families import all_pairs

PAIRS_AT_ONCE = 32
"""The signs of so many pairs of runs stay in the processor's cache."""


def kendall_tau(x: FloatArray, y: FloatArray) -> float:
    """Give Kendall's tau-b of two lists of scores, float64 (n_runs,), in [-1, 1]; NaN where all of one are equal.

    tau-b = (C - D) / sqrt((C + D + X) (C + D + Y)): C pairs in the same order, D in opposite ones, X tied in x only, Y in y
    only. Exactly 1 or -1 of equal and of reversed orders. Source: Kendall, 1945; computed by scipy.

    >>> kendall_tau(np.array([0.4, 0.3, 0.2]), np.array([0.5, 0.1, 0.2])).__round__(3)
    0.333
    """
    from scipy.stats import kendalltau  # slow to load: no process of a site waits for it until it is used

    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    tau = float(kendalltau(x, y).statistic)
    return (
        float(round(tau)) if abs(tau) > 1 - 1e-12 else tau
    )  # scipy gives 0.9999999999999998 for equal orders of 12 runs


def kendall_taus(scores: FloatArray) -> FloatArray:
    """Give `kendall_tau` of each two lists in many draws: float64 (n_lists, n_runs, n_draws) -> (n_draws, n_lists, n_lists).

    >>> scores = np.array([[[0.4, 0.4], [0.3, 0.4], [0.2, 0.4]], [[0.5, 1.0], [0.1, 2.0], [0.2, 3.0]]])
    >>> kendall_taus(scores)[:, 0, 1].round(3).tolist()
    [0.333, nan]
    """
    lists, runs, draws = scores.shape
    pairs, agreed = all_pairs(runs), np.zeros((draws, lists, lists))
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        first, second = pairs[start : start + PAIRS_AT_ONCE].T
        signs = np.ascontiguousarray(np.sign(scores[:, first] - scores[:, second]).transpose(2, 0, 1))
        agreed += signs @ signs.transpose(0, 2, 1)
    untied = np.einsum("dll->dl", agreed)
    with np.errstate(invalid="ignore"):
        taus: FloatArray = agreed / np.sqrt(untied[:, np.newaxis] * untied[:, :, np.newaxis])
    return taus


def tau_ap(truth: FloatArray, estimate: FloatArray) -> float:
    """Give the AP correlation of an estimated order of runs with the true one; both float64 (n_runs,), in [-1, 1].

    tau_AP = 2 / (n - 1) * sum over i = 2..n of C(i) / (i - 1) - 1, C(i) the number of runs above the i-th of the estimated
    order that are truly better than it: an exchange at the top costs more than one at the bottom. Runs that are truly equal
    count a half. Runs of equal estimates stand in each of their orders equally often: their mean (Urbano and Marrero, 2017).
    NaN for fewer than two runs. Source: Yilmaz, Aslam and Robertson, 2008.

    >>> tau_ap(np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.3, 0.4, 0.2, 0.1])).__round__(3)
    0.333
    >>> tau_ap(np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.4, 0.3, 0.1, 0.2])).__round__(3)
    0.778
    """
    n = len(truth)
    if n < 2:
        return float("nan")
    better = np.sign(truth[:, np.newaxis] - truth) / 2 + 0.5  # of the row over the column
    above = np.where(estimate[:, np.newaxis] > estimate, better, 0.0).sum(axis=0)
    tied = estimate[:, np.newaxis] == estimate
    others = (np.where(tied, better, 0.0).sum(axis=0) - 0.5) / np.maximum(tied.sum(axis=0) - 1, 1)
    _, group, sizes = np.unique(-estimate, return_inverse=True, return_counts=True)
    starts = np.cumsum(sizes) - sizes
    mean_above, mean_others = (np.bincount(group, weights=of_run) / sizes for of_run in (above, others))
    of_place = np.repeat(
        np.arange(len(sizes)), sizes
    )  # the places from 0 in the estimated order, by their group of ties
    places = np.arange(n)
    better_above = mean_above[of_place] + (places - starts[of_place]) * mean_others[of_place]
    total = float((better_above[1:] / places[1:]).sum())
    return 2.0 * total / (n - 1) - 1.0


def spearman(x: FloatArray, y: FloatArray) -> float:
    """Give Spearman's rho of two lists of scores, float64 (n_runs,), in [-1, 1]; NaN where all of one are equal.

    Pearson's correlation of the ranks, equal scores at the mean of their ranks. Source: Spearman, 1904; ranks by scipy.

    >>> spearman(np.array([0.4, 0.3, 0.2]), np.array([0.5, 0.1, 0.2])).__round__(3)
    0.5
    """
    from scipy.stats import rankdata

    if len(x) == 0 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])


def rank_biased_overlap(x: FloatArray, y: FloatArray, p: float = 0.9) -> float:
    """Give the rank-biased overlap of the orders that two lists of scores put the same runs in, float64 (n_runs,), in [0, 1].

    RBO = sum over d = 1..n of (1 - p) p^(d - 1) A(d) + p^n: extrapolated, both orders hold the same n runs, so that A(n) = 1.
    A(d) = 2 |X(d) and Y(d)| / (|X(d)| + |Y(d)|), X(d) the runs of rank d or better; equal scores share the best of their
    ranks. NaN for no runs. Source: Webber, Moffat and Zobel, 2010, ties as in its section 4.5.

    >>> rank_biased_overlap(np.array([0.4, 0.3]), np.array([0.3, 0.4])).__round__(3)
    0.9
    """
    n = len(x)
    if n == 0:
        return float("nan")
    depths = np.arange(1, n + 1)
    in_x, in_y = (1 + (of[:, np.newaxis] < of).sum(axis=1) <= depths[:, np.newaxis] for of in (x, y))
    agreement = 2.0 * (in_x & in_y).sum(axis=1) / (in_x.sum(axis=1) + in_y.sum(axis=1))
    return float((1.0 - p) * (p ** (depths - 1.0) * agreement).sum() + p**n)
