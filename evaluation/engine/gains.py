"""Gains, discounts and the ideal rankings that normalise them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from evaluation.engine.arrays import (
    FloatArray,
    IntArray,
    accumulate_within_groups,
    by_number,
    positions_within_groups,
    sums_to_cutoffs,
)
from evaluation.engine.judgments import Judgments
from evaluation.engine.ranked_run import RankedRun

Gain: TypeAlias = str
"""`linear`, `exponential`, or the gains of single grades, as `0:1;2:7.5;3:-.5`: those not listed are linear."""

Base: TypeAlias = str | None
"""The base b of a discount log_b(rank) that spares the ranks below b, as `2`, `1.5` or `e`; None for log2(rank + 1)."""

HIGHEST_EXPONENT = 1000
"""Above this grade exponential gains grow no more: sums of them have to stay finite."""

_GAIN = r"\d{1,9}:-?(\d{1,12}(\.\d*)?|\.\d+)"
GAIN_MAP = rf"{_GAIN}(;{_GAIN})*"
BASE = r"e|1\.(?!0+$)\d{1,6}|([2-9]|[1-9]\d{1,5})(\.\d{1,6})?"


def gain_name(gains: Mapping[int, float]) -> Gain:
    """Name the gains of a grade scale, grade to gain, in the shortest way; negative grades never gain anything.

    >>> gain_name({0: 0, 1: 1, 2: 2}), gain_name({0: 0, 1: 1, 2: 3}), gain_name({0: 0, 1: 1, 2: 5})
    ('linear', 'exponential', '2:5')
    """
    gains = {grade: gain for grade, gain in gains.items() if grade >= 0}
    if all(gain == grade for grade, gain in gains.items()):
        return "linear"
    if all(gain == 2.0**grade - 1.0 for grade, gain in gains.items()):
        return "exponential"
    changed = ((grade, gain) for grade, gain in sorted(gains.items()) if gain != grade)
    return ";".join(f"{grade}:{np.format_float_positional(gain, trim='-')}" for grade, gain in changed)


def gains_of(grade: IntArray, gain: Gain = "linear") -> FloatArray:
    """Turn grades into gains, elementwise: float64, shape of `grade`; a negative grade has gain 0.

    linear: max(grade, 0) (Järvelin and Kekäläinen, 2002). exponential: 2^max(grade, 0) - 1 (Burges et al., 2005).
    A list of gains: the gain listed for the grade, max(grade, 0) for a grade that is not listed.

    >>> gains_of(np.array([-1, 0, 1, 3]), "exponential").tolist(), gains_of(np.array([1, 3]), "3:9").tolist()
    ([0.0, 0.0, 1.0, 7.0], [1.0, 9.0])
    """
    positive = np.maximum(grade, 0).astype(np.float64)
    if gain == "linear":
        return positive
    if gain == "exponential":
        return np.exp2(np.minimum(positive, HIGHEST_EXPONENT)) - 1.0
    for listed in gain.split(";"):
        of_grade, value = listed.split(":")
        positive[grade == int(of_grade)] = float(value)
    return positive


@dataclass(frozen=True)
class GradedHits:
    """The retrieved documents of a grade above 0, ascending by group, then rank; all arrays int64 (n,)."""

    group: IntArray
    rank: IntArray
    grade: IntArray


def graded_hits(ranked: RankedRun) -> GradedHits:
    """Select the retrieved documents of a grade above 0."""

    def compute() -> GradedHits:
        above = np.flatnonzero(ranked.grade > 0)
        return GradedHits(ranked.group[above], ranked.rank[above], ranked.grade[above])

    return ranked.memo.get("graded_hits", compute)


@dataclass(frozen=True)
class GainingHits:
    """The retrieved documents whose gain is not 0, ascending by group, then rank; all arrays (n,).

    `group`, `rank`: int64. `gain`: float64.
    """

    group: IntArray
    rank: IntArray
    gain: FloatArray


def gaining_hits(ranked: RankedRun, gain: Gain = "linear") -> GainingHits:
    """Select the retrieved documents whose gain is not 0: no other one moves a sum of gains."""
    return ranked.memo.get(("gaining_hits", gain), lambda: _gaining_hits(ranked, gain))


def _gaining_hits(ranked: RankedRun, gain: Gain) -> GainingHits:
    if gain in ("linear", "exponential"):
        hits = graded_hits(ranked)
        return GainingHits(hits.group, hits.rank, gains_of(hits.grade, gain))
    gains = gains_of(ranked.grade, gain)
    gaining = np.flatnonzero(gains)
    return GainingHits(ranked.group[gaining], ranked.rank[gaining], gains[gaining])


def log2_discount(rank: IntArray) -> FloatArray:
    """Give 1 / log2(rank + 1) for ranks from 1: float64, shape of `rank`, range (0, 1]."""

    def discount(ranks: IntArray) -> FloatArray:
        reciprocal: FloatArray = 1.0 / np.log2(ranks + 1.0)
        return reciprocal

    return by_number(discount, rank)


def discounts(rank: IntArray, base: Base = None) -> FloatArray:
    """Give the discounts of ranks from 1: float64, shape of `rank`, range (0, 1].

    Without a base 1 / log2(rank + 1). With a base b > 1: 1 for ranks below b, from there 1 / log_b(rank) (Järvelin and
    Kekäläinen, 2002).
    """
    if base is None:
        return log2_discount(rank)
    log_of_base = 1.0 if base == "e" else np.log(float(base))

    def discount(ranks: IntArray) -> FloatArray:
        return 1.0 / np.maximum(np.log(ranks) / log_of_base, 1.0)

    return by_number(discount, rank)


def ideal_dcg(judgments: Judgments, k: IntArray, gain: Gain = "linear", base: Base = None) -> FloatArray:
    """Give the DCG of all judged documents of each topic, best first, down to each of the ascending cut-offs `k`.

    Returns float64 (n_cutoffs, n_topics). The ideal ranking ends before documents of negative gain.
    """

    def compute() -> FloatArray:
        topic, rank, gains = ideal_ranking(judgments, gain)
        return sums_to_cutoffs(topic, rank, np.maximum(gains, 0.0) * discounts(rank, base), k, judgments.n_topics)

    return judgments.memo.get(("ideal_dcg", gain, base, k.tobytes()), compute)


def ideal_cg(judgments: Judgments, k: IntArray, gain: Gain = "linear") -> FloatArray:
    """Give the sum of the gains of each topic's judged documents, best first, down to each of the ascending cut-offs `k`.

    Returns float64 (n_cutoffs, n_topics). The ideal ranking ends before documents of negative gain.
    """

    def compute() -> FloatArray:
        topic, rank, gains = ideal_ranking(judgments, gain)
        return sums_to_cutoffs(topic, rank, np.maximum(gains, 0.0), k, judgments.n_topics)

    return judgments.memo.get(("ideal_cg", gain, k.tobytes()), compute)


def ideal_ranking(judgments: Judgments, gain: Gain = "linear") -> tuple[IntArray, IntArray, FloatArray]:
    """Rank the judged documents of every topic by gain, best first: their topics, ranks from 1 and gains, each (n,)."""

    def compute() -> tuple[IntArray, IntArray, FloatArray]:
        judged = judgments.grade >= 0
        topic, gains = judgments.topic[judged], gains_of(judgments.grade[judged], gain)
        best_first = np.lexsort((-gains, topic))
        topic, gains = topic[best_first], gains[best_first]
        return topic, positions_within_groups(topic, judgments.n_topics), gains

    return judgments.memo.get(("ideal_ranking", gain), compute)


@dataclass(frozen=True)
class IdealGains:
    """The documents of positive gain of each topic, best first.

    `count`: int64 (n_topics,). `start`: int64 (n_topics,), where the topic begins in `cumulated`.
    `cumulated`: float64 (n,), the sum of the gains down to each of them.
    """

    count: IntArray
    start: IntArray
    cumulated: FloatArray

    def down_to(self, rank: IntArray, topic: IntArray) -> FloatArray:
        """Sum the gains of the first `rank` documents of topics that have any: float64, shape of `rank`."""
        return self.cumulated[self.start[topic] + np.minimum(rank, self.count[topic]) - 1]


def ideal_gains(judgments: Judgments, gain: Gain = "linear") -> IdealGains:
    """Cumulate the positive gains of each topic, best first."""

    def compute() -> IdealGains:
        topic, _, gains = ideal_ranking(judgments, gain)
        topic, gains = topic[gains > 0.0], gains[gains > 0.0]
        cumulated = accumulate_within_groups(np.add, topic, gains, judgments.n_topics)
        count = np.bincount(topic, minlength=judgments.n_topics)
        return IdealGains(count, np.cumsum(count) - count, cumulated)

    return judgments.memo.get(("ideal_gains", gain), compute)
