"""What assessors who judge several topics, and other judgments of the same topics, add to the uncertainty of a mean."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.paired_t import mean_interval

FEWEST_GROUPS: Final = 5
"""With fewer groups the interval is many times as wide as that over topics, and rests on how people lean."""
FEWEST_TWICE: Final = 5
"""Topics judged twice, below which their spread is told by too little."""


def topics_sharing_nobody(judged: Iterable[tuple[str, str]], topics: Sequence[str]) -> IntArray | None:
    """Give the group of each topic, int64 (n_topics,), from 0 in the order of their first topics: groups share no assessor.

    judged: pairs of topic and person, in any order; topics that are not in `topics` do not tie others. Groups are as small as can
    be: topics of one group are tied by people who judged in both, or by a chain of such topics. None where a topic has nobody.

    >>> topics_sharing_nobody([("1", "A"), ("2", "B"), ("3", "B"), ("4", "C"), ("1", "C")], ["1", "2", "3", "4"]).tolist()
    [0, 1, 1, 0]
    >>> topics_sharing_nobody([("1", "A")], ["1", "2"]) is None
    True
    """
    place = {topic: number for number, topic in enumerate(topics)}
    group, of_person = np.arange(len(topics)), dict[str, int]()
    seen = set()
    for topic, person in judged:
        if topic in place:
            seen.add(topic)
            one, other = group[place[topic]], group[of_person.setdefault(person, place[topic])]
            group[group == max(one, other)] = min(one, other)
    return np.unique(group, return_inverse=True)[1].astype(np.int64) if len(seen) == len(topics) else None


def half_width(values: FloatArray, level: float = 0.95) -> FloatArray:
    """Give half of the t interval of each row's mean over topics, not cut to any range: float64 (n_rows, n_topics) -> (n_rows,).

    >>> half_width(np.array([[0.2, 0.4, 0.6]])).round(3).tolist()
    [0.497]
    """
    low, high = mean_interval(values, level)
    return (high - low) / 2.0


def half_width_over_groups(
    values: FloatArray, groups: IntArray, level: float = 0.95, fewest: int = FEWEST_GROUPS
) -> FloatArray | None:
    """Give half of an interval of each row's mean that also holds what topics of one group have in common.

    values: float64 (n_rows, n_topics), no NaN; groups: int64 (n_topics,), from 0 without gaps. Returns float64 (n_rows,), or None
    for fewer than `fewest` groups (2 or more). The larger of `half_width` and t * sqrt(V). V = (K - 1) / K * sum over the K
    groups of (m(a) - m)^2, m the mean, m(a) that without the topics of group a. t has Satterthwaite's degrees of freedom for
    independent topics: trace(B)^2 / trace(B^2), B[a, b] = ([a = b] w(a) - w(a) w(b)) / ((1 - w(a)) (1 - w(b))), w(a) the
    share of the topics that are in group a; they are K - 1 for groups of one size. Where each topic is a group of its own, it
    is `half_width`, also for fewer groups. How often it holds: docs/reference/error-budget.md.
    Source: Bell and McCaffrey, 2002; MacKinnon, Nielsen and
    Webb, 2023.

    >>> values = np.array([[0.1, 0.2, 0.2, 0.3, 0.5, 0.6]])
    >>> half_width_over_groups(values, np.array([0, 0, 1, 2, 3, 4])).round(3).tolist(), half_width(values).round(3).tolist()
    ([0.296], [0.204])
    """
    from scipy.special import stdtrit  # slow to load, and 27 MB

    sizes = np.bincount(groups)
    if len(sizes) == len(groups):
        return half_width(values, level)
    if len(sizes) < fewest:
        return None
    share, sums = sizes / sizes.sum(), values @ np.eye(len(sizes))[groups]
    without = (sums.sum(axis=1, keepdims=True) - sums) / (sizes.sum() - sizes)
    squares = np.square(without - values.mean(axis=1, keepdims=True)).sum(axis=1)
    error = np.sqrt((1.0 - 1.0 / len(sizes)) * squares)
    spread = (np.diag(share) - np.outer(share, share)) / np.outer(1.0 - share, 1.0 - share)
    freedom = np.trace(spread) ** 2 / np.square(spread).sum()
    wider: FloatArray = np.maximum(half_width(values, level), error * stdtrit(freedom, 0.5 + level / 2.0))
    return wider


def deviation_by_assessors(values: FloatArray, n_topics: int) -> FloatArray:
    """Estimate the standard deviation of each row's mean over n_topics fixed topics, each judged by another assessor of its own.

    values: float64 (n_sets, n_rows, n_twice), no NaN, by two or more sets of judgments of the same topics. Returns float64
    (n_rows,): sqrt(v / n_topics), v the variance over the sets (divisor n_sets - 1) of a topic's value, mean over the
    topics; of two sets half the squared difference. v is unbiased where the sets of a topic are exchangeable. What one assessor
    adds to several topics alike comes on top.

    >>> deviation_by_assessors(np.array([[[0.2, 0.4]], [[0.4, 0.4]]]), 2).round(4).tolist()
    [0.0707]
    """
    deviation: FloatArray = np.sqrt(values.var(axis=0, ddof=1).mean(axis=1) / n_topics)
    return deviation


def deviation_by_draws(values: FloatArray) -> FloatArray:
    """Estimate the standard deviation of each row's mean over fixed topics from values of redrawn judgments.

    values: float64 (n_draws, n_rows, n_topics), no NaN, of draws that are independent from topic to topic. Returns float64
    (n_rows,): the root of the sum of the topics' variances (divisor n_draws - 1), divided by n_topics.

    >>> deviation_by_draws(np.array([[[0.2, 0.4]], [[0.4, 0.4]]])).round(4).tolist()
    [0.0707]
    """
    deviation: FloatArray = np.sqrt(values.var(axis=0, ddof=1).sum(axis=1)) / values.shape[2]
    return deviation
