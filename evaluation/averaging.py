"""The only place where values of topics become one number."""

from typing import Literal, TypeAlias

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, ratio
from evaluation.measures.registry import parse_measure
from evaluation.scoring import Scores

Convention: TypeAlias = Literal["qrels", "answered"]
"""Over all topics of the qrels, a missed topic counting 0 (the default); or over the topics that the run answers."""


def mean_over_topics(values: FloatArray, counted: BoolArray | None = None) -> FloatArray:
    """Average along the last axis, over the topics that `counted` (bool, (n_topics,)) names, or over all.

    `values` is float64 (..., n_topics), the result float64 (...). With no topic to count the mean is defined as 0.
    """
    if counted is not None:
        values = values[..., counted]
    return ratio(values.sum(axis=-1), np.full(values.shape[:-1], values.shape[-1]))


def summarise(scores: Scores, over: Convention = "qrels") -> FloatArray:
    """Give one number for each measure of a run: float64 (n_measures,).

    The mean over the topics; for counts, as num_ret, the sum.
    """
    counted = scores.answered if over == "answered" else np.ones(len(scores.topics), dtype=np.bool_)
    added = np.array([parse_measure(name).definition.summary == "sum" for name in scores.measures], dtype=np.bool_)
    sums = scores.values[:, counted].sum(axis=-1)
    return np.where(added, sums, mean_over_topics(scores.values, counted))
