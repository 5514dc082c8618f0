"""Where Kendall's tau of two orders of the same runs would lie with other topics."""

from typing import Final

import numpy as np

from evaluation.engine.analyses.rank_correlation import kendall_tau, kendall_taus
from evaluation.engine.arrays import FloatArray

RESAMPLES: Final = 1000
FEWEST_TOPICS: Final = 5
"""For fewer it was not simulated whether the interval holds."""


def tau_interval(x: FloatArray, y: FloatArray, seed: int = 1) -> tuple[float, float] | None:
    """Give the prediction interval of 95 % for Kendall's tau-b between the orders by the means of two sets of values.

    x, y: float64 (n_runs, n_topics), the values of the same runs on the same topics under both (two measures, two sets of
    judgments), more being better. It is to hold the tau of as many other topics that are drawn from the same population. It
    is not an interval of the tau between the orders by expected values, from which that of few topics differs
    systematically: runs that lie near each other change places.

    With s the standard deviation of tau over 1,000 draws of the topics with replacement: from the smaller of their 2.5 % quantile
    and tau - t sqrt(2) s to the larger of their 97.5 % quantile and tau + t sqrt(2) s, within [-1, 1]; t: the 97.5 % point of
    Student's distribution with n_topics - 1 degrees of freedom, sqrt(2) since both taus vary. Draws where tau is not defined
    are left out. None where tau is 1 or -1, of which simulations showed intervals that hold less often, where tau is not
    defined or never changes, where a value is missing, and for fewer than 5 topics or 2 runs. How often it holds is in
    docs/reference/significance.md. Source of the bootstrap: Efron, 1979.

    >>> x = np.array([[0.9, 0.2, 0.7, 0.8, 0.3], [0.6, 0.4, 0.1, 0.5, 0.2], [0.5, 0.1, 0.2, 0.1, 0.4]])
    >>> [round(bound, 2) for bound in tau_interval(x, x[[0, 2, 1]])]
    [-1.0, 1.0]
    >>> tau_interval(x, x) is None
    True
    """
    low, high = tau_intervals(np.stack([x, y]), seed)[:, 0, 1].tolist()
    return None if np.isnan(low) else (low, high)


def tau_intervals(values: FloatArray, seed: int = 1) -> FloatArray:
    """Give `tau_interval` of each two sets of values: float64 (n_sets, n_runs, n_topics) -> (2, n_sets, n_sets), low and high.

    NaN where there is none. A set in which a value is missing has none with any other.

    >>> x = np.array([[0.9, 0.2, 0.7, 0.8, 0.3], [0.6, 0.4, 0.1, 0.5, 0.2], [0.5, 0.1, 0.2, 0.1, 0.4]])
    >>> tau_intervals(np.stack([x, x[[0, 2, 1]]])).tolist()
    [[[nan, -1.0], [-1.0, nan]], [[nan, 1.0], [1.0, nan]]]
    """
    sets, runs, topics = values.shape
    intervals = np.full((2, sets, sets), np.nan)
    if runs < 2 or topics < FEWEST_TOPICS:
        return intervals
    known = np.flatnonzero(~np.isnan(values).any(axis=(1, 2)))
    drawn = kendall_taus(_resampled_means(values[known], seed))
    means = np.round(values[known].mean(axis=2), 12)
    for first, second in zip(*np.triu_indices(len(known), k=1), strict=True):
        tau, of_pair = kendall_tau(means[first], means[second]), drawn[:, first, second]
        of_pair = of_pair[~np.isnan(of_pair)]
        if abs(tau) < 1 and len(of_pair) and np.ptp(of_pair) > 0:
            one, other = known[first], known[second]
            intervals[:, one, other] = intervals[:, other, one] = widened(tau, of_pair, topics)
    return intervals


def widened(tau: float, drawn: FloatArray, topics: int) -> tuple[float, float]:
    """The interval of `tau_interval` by taus that were drawn, float64 (n_draws,), from so many topics.

    >>> [round(bound, 3) for bound in widened(0.5, np.array([0.4, 0.5, 0.6]), 10)]
    [0.239, 0.761]
    """
    from scipy.special import stdtrit  # slow to load

    low, high = np.quantile(drawn, (0.025, 0.975))
    half = float(stdtrit(topics - 1, 0.975)) * np.sqrt(2) * drawn.std()
    return float(max(min(low, tau - half), -1.0)), float(min(max(high, tau + half), 1.0))


def _resampled_means(values: FloatArray, seed: int) -> FloatArray:
    """float64 (n_sets, n_runs, n_resamples), of the same topics; rounded, so that equal runs stay equal."""
    topics = values.shape[2]
    times = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1.0 / topics), RESAMPLES).T
    means: FloatArray = np.round(values @ times / topics, 12)
    return means
