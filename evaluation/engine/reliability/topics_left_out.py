"""Whether the order of the runs rests on a single topic."""

from dataclasses import dataclass

import numpy as np

from evaluation.engine.analyses.rank_correlation import kendall_tau, tau_ap
from evaluation.engine.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class TopicsLeftOut:
    """Row t: the runs without topic t.

    tau, tau_ap: float64 (n_topics,), the correlation with the order over all topics. Where all means are equal
    tau is NaN and tau_ap 0.
    largest_fall: int64 (n_topics,), the most ranks that a run loses. falling_run: int64 (n_topics,), its index.
    """

    tau: FloatArray
    tau_ap: FloatArray
    largest_fall: IntArray
    falling_run: IntArray


def topics_left_out(scores: FloatArray) -> TopicsLeftOut:
    """Leave out each topic in turn, and compare the order of the runs' means with the order over all topics.

    scores: float64 (n_runs, n_topics), no NaN, more is better. A run's rank is 1 + the runs of a higher mean, so ties share
    the better rank; of runs that fall equally far, the first is named. Means are rounded to 12 places, so that equal runs
    stay equal when sums are formed in another order.
    Raises ValueError: fewer than two topics or two runs.
    Source of the correlations: Kendall, 1945 (tau-b); Yilmaz, Aslam and Robertson, 2008 (tau-AP).

    >>> left_out = topics_left_out(np.array([[0.9, 0.1, 0.2], [0.2, 0.3, 0.3]]))
    >>> left_out.tau.tolist(), left_out.largest_fall.tolist()
    ([-1.0, 1.0, 1.0], [1, 0, 0])
    """
    runs, topics = scores.shape
    if runs < 2 or topics < 2:
        raise ValueError("Leaving out topics needs two runs and two topics at least.")
    total = scores.sum(axis=1)
    means = np.round(total / topics, 12)
    without = np.round((total[:, None] - scores) / (topics - 1), 12).T
    falls = ranks(without) - ranks(means[None, :])
    return TopicsLeftOut(
        tau=np.array([kendall_tau(means, row) for row in without]),
        tau_ap=np.array([tau_ap(means, row) for row in without]),
        largest_fall=falls.max(axis=1),
        falling_run=falls.argmax(axis=1),
    )


def ranks(means: FloatArray) -> IntArray:
    """The rank of each run in each row: 1 + the runs of a higher mean. float64 (n, n_runs) -> int64 (n, n_runs).

    >>> ranks(np.array([[0.5, 0.7, 0.5]])).tolist()
    [[2, 1, 2]]
    """
    rank: IntArray = 1 + (means[:, None, :] > means[:, :, None]).sum(axis=2, dtype=np.int64)
    return rank
