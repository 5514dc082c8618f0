"""Gains, discounts and the ideal rankings that normalise them."""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from evaluation.arrays import FloatArray, IntArray, positions_within_groups, sums_to_cutoffs
from evaluation.judgments import Judgments

Gain: TypeAlias = str
"""`linear`, `exponential`, or the gains of single grades, as `1:2;2:7.5`: those not listed are linear."""

GAIN_MAP = r"\d+:\d+(\.\d+)?(;\d+:\d+(\.\d+)?)*"


def gain_name(gains: Mapping[int, float]) -> Gain:
    """Name the gains of a grade scale, grade to gain, in the shortest way."""
    if all(gain == grade for grade, gain in gains.items()):
        return "linear"
    if all(gain == 2.0**grade - 1.0 for grade, gain in gains.items()):
        return "exponential"
    changed = ((grade, gain) for grade, gain in sorted(gains.items()) if gain != grade)
    return ";".join(f"{grade}:{np.format_float_positional(gain, trim='-')}" for grade, gain in changed)


def gains_of(grade: IntArray, gain: Gain = "linear") -> FloatArray:
    """Turn grades into gains, elementwise: float64, shape of `grade`, range [0, inf).

    linear: max(grade, 0) (Järvelin and Kekäläinen, 2002). exponential: 2^max(grade, 0) - 1 (Burges et al., 2005).
    A list of gains: the gain listed for the grade, max(grade, 0) for a grade that is not listed.
    """
    positive = np.maximum(grade, 0).astype(np.float64)
    if gain == "linear":
        return positive
    if gain == "exponential":
        return np.exp2(positive) - 1.0
    for listed in gain.split(";"):
        of_grade, value = listed.split(":")
        positive[grade == int(of_grade)] = float(value)
    return positive


def log2_discount(rank: IntArray) -> FloatArray:
    """Give 1 / log2(rank + 1) for ranks from 1: float64, shape of `rank`, range (0, 1]."""
    discount: FloatArray = 1.0 / np.log2(rank + 1.0)
    return discount


def ideal_dcg(judgments: Judgments, k: IntArray, gain: Gain = "linear") -> FloatArray:
    """Give the DCG of all judged documents of each topic, best first, down to each of the ascending cut-offs `k`.

    Returns float64 (n_cutoffs, n_topics).
    """

    def compute() -> FloatArray:
        topic, rank, gains = ideal_ranking(judgments, gain)
        return sums_to_cutoffs(topic, rank, gains * log2_discount(rank), k, judgments.n_topics)

    return judgments.memo.get(("ideal_dcg", gain, k.tobytes()), compute)


def ideal_ranking(judgments: Judgments, gain: Gain = "linear") -> tuple[IntArray, IntArray, FloatArray]:
    """Rank the judged documents of every topic by gain, best first: their topics, ranks from 1 and gains, each (n,)."""

    def compute() -> tuple[IntArray, IntArray, FloatArray]:
        judged = judgments.grade >= 0
        topic, gains = judgments.topic[judged], gains_of(judgments.grade[judged], gain)
        best_first = np.lexsort((-gains, topic))
        topic, gains = topic[best_first], gains[best_first]
        return topic, positions_within_groups(topic, judgments.n_topics), gains

    return judgments.memo.get(("ideal_ranking", gain), compute)
