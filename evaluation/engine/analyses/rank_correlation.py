"""How well two lists of scores agree on the order of the same runs."""

import numpy as np

from evaluation.engine.arrays import FloatArray


def kendall_tau(x: FloatArray, y: FloatArray) -> float:
    """Give Kendall's tau-b of two lists of scores, float64 (n_runs,), in [-1, 1]; NaN where all of one are equal.

    tau-b = (C - D) / sqrt((C + D + X) (C + D + Y)): C pairs in the same order, D in opposite ones, X tied in x only, Y in y
    only. Source: Kendall, 1945; computed by scipy.

    >>> kendall_tau(np.array([0.4, 0.3, 0.2]), np.array([0.5, 0.1, 0.2])).__round__(3)
    0.333
    """
    from scipy.stats import kendalltau  # slow to load: no process of a site waits for it until it is used

    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(kendalltau(x, y).statistic)


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
    total = 0.0
    for value in np.unique(estimate):
        members = estimate == value
        before = int((estimate > value).sum())
        for place in range(int(members.sum())):
            if before + place:
                total += float((above[members] + place * others[members]).mean()) / (before + place)
    return 2.0 * total / (n - 1) - 1.0
