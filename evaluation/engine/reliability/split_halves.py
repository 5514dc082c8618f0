"""Whether another set of topics would order the runs alike: the orders by two halves of the topics."""

from dataclasses import dataclass

import numpy as np

from evaluation.engine.analyses.rank_correlation import kendall_taus
from evaluation.engine.arrays import FloatArray, IntArray

DRAWS = 1000


@dataclass(frozen=True, eq=False)
class SplitHalves:
    """`topics`: in each half. `tau`: float64 (n_draws,), tau-b between the halves; NaN where one half holds all runs equal."""

    topics: int
    tau: FloatArray

    @property
    def known(self) -> FloatArray:
        """The tau that are defined: float64 (at most n_draws,)."""
        found: FloatArray = self.tau[~np.isnan(self.tau)]
        return found


def split_halves(scores: FloatArray, draws: int = DRAWS, seed: int = 1) -> SplitHalves:
    """Draw two halves of the topics that share none, and compare the orders of the runs' means, `draws` times.

    scores: float64 (n_runs, n_topics), no NaN. Of an odd number of topics one is in neither half. Means are rounded to 12
    places, so that equal runs stay equal. The tau is that of two sets of half as many topics, and is not stepped up to all:
    the order by all topics is usually more reliable than it says. Raises ValueError: fewer than two runs or two topics.
    Source: Sanderson and Zobel, 2005, who split topics likewise; Kendall's tau-b.

    >>> halves = split_halves(np.array([[0.9, 0.8, 0.7, 0.9], [0.1, 0.2, 0.3, 0.2]]), draws=3)
    >>> halves.topics, halves.tau.tolist()
    (2, [1.0, 1.0, 1.0])
    """
    runs, topics = scores.shape
    if runs < 2 or topics < 2:
        raise ValueError("Halves of topics need two runs and two topics at least.")
    half = topics // 2
    order = np.random.default_rng(seed).permuted(np.tile(np.arange(topics), (draws, 1)), axis=1)
    first, second = (_means(scores, order[:, start : start + half]) for start in (0, half))
    return SplitHalves(half, kendall_taus(np.stack([first.T, second.T]))[:, 0, 1])


def _means(scores: FloatArray, chosen: IntArray) -> FloatArray:
    """float64 (n_draws, n_runs), the means over the chosen topics, int64 (n_draws, n_chosen)."""
    marks = np.zeros((len(chosen), scores.shape[1]))
    np.put_along_axis(marks, chosen, 1.0, axis=1)
    means: FloatArray = np.round(marks @ scores.T / chosen.shape[1], 12)
    return means
