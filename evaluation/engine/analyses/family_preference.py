"""Whether a model grades documents of one quality higher where its own family retrieves them."""

from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.significance.paired_t import mean_interval


@dataclass(frozen=True, slots=True)
class FamilyPreference:
    """`steps`, `low`, `high`: in steps of the scale, above 0 where the model favours its family. `topics`: that tell of it."""

    steps: float
    low: float
    high: float
    topics: int


def family_preference(
    topic: IntArray, people: IntArray, model: IntArray, own: BoolArray, others: BoolArray
) -> FamilyPreference | None:
    """Compare the model's grades of documents that people gave one grade, by whose runs retrieve them.

    One element for each document: `topic`, `people` (its grade), `model` (the place of its grade on the scale), int64; `own`,
    `others`: bool, whether some run of the family, and some other run, retrieves it. What both or neither retrieve is left out.
    In each topic, for each grade of people that documents of both sides have: mean of `model` over the own - mean over the
    others; x_t = their mean with the weights n m / (n + m), n and m documents on the sides. steps = mean of x_t over topics, with
    the t interval. A model that is generous, or strict, to all documents alike has 0 if documents of one grade are of one
    quality; where people err, the side with more relevant documents has more, whatever the model. None without such a topic.

    >>> topic, people = np.array([1, 1, 1, 2, 2, 2]), np.array([0, 0, 1, 1, 1, 0])
    >>> model, own = np.array([1, 0, 2, 2, 1, 0]), np.array([True, False, False, True, False, False])
    >>> found = family_preference(topic, people, model, own, ~own)
    >>> found.steps, found.topics
    (1.0, 2)
    """
    told = own ^ others
    keys, cell = np.unique(np.stack([topic[told], people[told]], axis=1), axis=0, return_inverse=True)
    is_own, grades = own[told], model[told].astype(np.float64)
    sums, counts = np.zeros((2, len(keys))), np.zeros((2, len(keys)))
    np.add.at(sums, (is_own.astype(np.int64), cell.ravel()), grades)
    np.add.at(counts, (is_own.astype(np.int64), cell.ravel()), 1.0)
    both = (counts > 0).all(axis=0)
    if not both.any():
        return None
    n_others, n_own = counts[:, both]
    difference, weight = sums[1, both] / n_own - sums[0, both] / n_others, n_own * n_others / (n_own + n_others)
    by_topic = _weighted_means(keys[both, 0], difference, weight)
    low, high = mean_interval(by_topic[np.newaxis])
    return FamilyPreference(float(by_topic.mean()), float(low[0]), float(high[0]), len(by_topic))


def _weighted_means(topic: IntArray, values: FloatArray, weights: FloatArray) -> FloatArray:
    """Of the values of each topic, in the order of the topics."""
    _, place = np.unique(topic, return_inverse=True)
    means: FloatArray = np.bincount(place, values * weights) / np.bincount(place, weights)
    return means
