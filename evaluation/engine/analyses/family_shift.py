"""Whether a model grades the runs of its own family more generously than it grades the others."""

from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray
from evaluation.engine.significance.paired_t import mean_interval
from evaluation.engine.significance.standing import DIGITS


@dataclass(frozen=True, slots=True)
class FamilyShift:
    """`shift`, `low`, `high`: in units of the measure, above 0 where the model favours its family. `ranks`: places gained."""

    shift: float
    low: float
    high: float
    ranks: float


def family_shift(people: FloatArray, model: FloatArray, own: BoolArray) -> FamilyShift | None:
    """Compare (score by the model - score by people) of the runs of the family with that of the others.

    `people`, `model`: float64 (n_runs, n_topics), the same measure by the grades of each, of the same documents. `own`: bool
    (n_runs,), the runs of the family. For each topic t, x_t = mean of the differences over the own runs - mean over the others;
    shift = mean of x_t, with the t interval over topics. `ranks`: mean over the own runs of the rank by people less the rank by
    the model, ranks by the means over topics, 1 the best, ties their middle. None without a run on either side.

    >>> people = np.array([[0.4, 0.5], [0.6, 0.5]])
    >>> found = family_shift(people, people + np.array([[0.3, 0.2], [0.0, 0.0]]), np.array([True, False]))
    >>> round(found.shift, 2), found.ranks
    (0.25, 1.0)
    """
    if not own.any() or own.all() or not people.shape[1]:
        return None
    from scipy.stats import rankdata  # slow to load: no process of a site waits for it until it is used

    raised = model - people
    by_topic = raised[own].mean(axis=0) - raised[~own].mean(axis=0)
    low, high = mean_interval(by_topic[np.newaxis])
    by_people, by_model = (rankdata(-np.round(of.mean(axis=1), DIGITS)) for of in (people, model))
    ranks = by_people - by_model
    return FamilyShift(float(by_topic.mean()), float(low[0]), float(high[0]), float(ranks[own].mean()))
