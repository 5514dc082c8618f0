"""The only place where values of topics become one number."""

from typing import Literal, TypeAlias

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, ratio
from evaluation.engine.measures.declaration import Summary
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.scoring import Scores

Convention: TypeAlias = Literal["qrels", "answered"]
"""Over all topics of the qrels, a missed topic counting as an empty ranking (the default); or over those answered."""

GEOMETRIC_FLOOR = 1e-5
"""What a smaller value counts in a geometric mean, so that one topic of value 0 does not make it 0."""


def mean_over_topics(values: FloatArray, counted: BoolArray | None = None) -> FloatArray:
    """Average along the last axis, over the topics that `counted` (bool, (n_topics,)) names, or over all.

    `values` is float64 (..., n_topics), the result float64 (...). With no topic to count the mean is defined as 0.

    >>> values = np.array([0.5, 0.0, 1.0])
    >>> float(mean_over_topics(values)), float(mean_over_topics(values, np.array([True, False, True])))
    (0.5, 0.75)
    """
    if counted is not None:
        values = values[..., counted]
    return ratio(sum_over_topics(values), np.full(values.shape[:-1], values.shape[-1]))


def sum_over_topics(values: FloatArray) -> FloatArray:
    """Add up along the last axis, one topic after another as trec_eval does: float64 (...); 0 with no topic.

    Summing in another order can change the last digit, and with it the last decimal of a mean that lies between two.

    >>> sum_over_topics(np.array([[3.0, 4.0], [1.0, 0.0]])).tolist()
    [7.0, 1.0]
    """
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1])
    so_far: FloatArray = np.add.accumulate(values, axis=-1)
    return so_far[..., -1]


def geometric_mean(values: FloatArray) -> FloatArray:
    """Give exp(mean of log(max(value, 1e-5))) along the last axis: float64 (...); 0 with no topic."""
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1])
    return np.exp(mean_over_topics(logarithms(values)))


def logarithms(values: FloatArray) -> FloatArray:
    """Give log(max(value, 1e-5)), what a geometric mean averages: float64 of the same shape.

    >>> logarithms(np.array([1.0, 0.5, 0.0])).round(3).tolist()
    [0.0, -0.693, -11.513]
    """
    return np.log(np.maximum(values, GEOMETRIC_FLOOR))


def median(values: FloatArray) -> FloatArray:
    """Give the median along the last axis, the mean of the two middle values of an even number: float64 (...)."""
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1])
    middle: FloatArray = np.median(values, axis=-1)
    return middle


def weighted_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Give sum(weight * value) / sum(weight) along the last axis: float64 (...); 0 where all weights are 0.

    With a ratio as value and its denominator as weight this is the micro average: the ratio of the sums.
    """
    return ratio((values * weights).sum(axis=-1), weights.sum(axis=-1))


def summary_over_topics(values: FloatArray, summary: Summary) -> FloatArray:
    """Make one number of float64 (..., n_topics) in the way that a measure declares: float64 (...).

    A weighted mean needs its weights: see `weighted_mean`.

    >>> values = np.array([0.1, 0.4, 1.6])
    >>> [round(float(summary_over_topics(values, summary)), 3) for summary in ("mean", "sum", "median", "geometric mean")]
    [0.7, 2.1, 0.4, 0.4]
    """
    if summary == "sum":
        return sum_over_topics(values)
    if summary == "geometric mean":
        return geometric_mean(values)
    if summary == "median":
        return median(values)
    return mean_over_topics(values)


def summarise(scores: Scores, over: Convention = "qrels") -> FloatArray:
    """Give one number for each measure of a run, by the summary that the measure declares: float64 (n_measures,).

    >>> from evaluation.engine.scoring import Scores
    >>> values = np.array([[0.5, 0.0], [3.0, 0.0]])
    >>> scores = Scores(("1", "2"), ("AP", "num_ret"), values, answered=np.array([True, False]))
    >>> summarise(scores).tolist(), summarise(scores, over="answered").tolist()
    ([0.25, 3.0], [0.5, 3.0])
    """
    counted = scores.answered if over == "answered" else np.ones(len(scores.topics), dtype=np.bool_)
    values = scores.values[:, counted]
    summaries = [parse_measure(name).definition.summary for name in scores.measures]
    means = mean_over_topics(values)
    for row, (name, summary) in enumerate(zip(scores.measures, summaries, strict=True)):
        if name in scores.weights:
            means[row] = weighted_mean(values[row], scores.weights[name][counted])
        elif summary != "mean":
            means[row] = summary_over_topics(values[row], summary)
    return means
