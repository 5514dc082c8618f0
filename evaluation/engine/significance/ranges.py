"""Between which values an expected mean, and the difference of two, can lie; intervals end there."""

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.averaging import logarithms
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.significance.paired_t import mean_interval

ANY = (-np.inf, np.inf)


def possible_range(measure: Measure) -> tuple[float, float]:
    """Give the least and the greatest value of a topic: the range that the measure declares, which holds for gains from 0 on.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> [possible_range(parse_measure(name)) for name in ("R@100", "DCG@10", "nDCG(gain=0:-1)@10")]
    [(0.0, 1.0), (0.0, inf), (-inf, inf)]
    """
    return ANY if "-" in str(measure.given.get("gain", "")) else measure.definition.range


def most_apart(measure: Measure) -> float:
    """Give by how much two values of a topic can differ at most, as they are compared: of a geometric mean, by their logarithms.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> [round(most_apart(parse_measure(name)), 3) for name in ("R@100", "GMAP", "DCG@10", "utility")]
    [1.0, 11.513, inf, inf]
    """
    low, high = possible_range(measure)
    if measure.definition.summary == "geometric mean":
        low, high = logarithms(np.array([low, high])).tolist()
    return high - low


def cut_to(low: FloatArray, high: FloatArray, least: float, greatest: float) -> tuple[FloatArray, FloatArray]:
    """Cut intervals to the values that what they are of can have; an infinite end, which tells of no interval, stays.

    An interval loses no coverage by that: it holds each of these values as before.

    >>> low, high = cut_to(np.array([-0.1, 0.4, -np.inf]), np.array([0.2, 1.3, np.inf]), 0.0, 1.0)
    >>> low.tolist(), high.tolist()
    ([0.0, 0.4, -inf], [0.2, 1.0, inf])
    """
    cut_low, cut_high = np.clip(low, least, greatest), np.clip(high, least, greatest)
    return np.where(np.isfinite(low), cut_low, low), np.where(np.isfinite(high), cut_high, high)


def interval_of_summary(compared: FloatArray, measure: Measure, level: float) -> tuple[FloatArray, FloatArray]:
    """Give the interval of each run's expected number, cut to the measure's range: two float64 (n_runs,).

    `compared`: float64 (n_runs, n_topics) as runs are compared, NaN for a topic that is left out. A geometric mean has that of
    the logarithms, turned back. (-inf, inf) where there is none: of sums, medians and weighted means, and from fewer than two
    topics.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> low, high = interval_of_summary(np.array([[0.2, 0.9, 0.9]]), parse_measure("R@100"), 0.95)
    >>> low.round(3).tolist(), high.tolist()
    ([0.0], [1.0])
    """
    nothing = np.full(len(compared), np.inf)
    summary = measure.definition.summary
    if summary not in ("mean", "geometric mean"):
        return -nothing, nothing
    low, high = mean_interval(compared, level)
    if summary == "geometric mean":
        known = np.isfinite(low) & np.isfinite(high)
        low, high = np.where(known, np.exp(low), -np.inf), np.where(known, np.exp(high), np.inf)
    return cut_to(low, high, *possible_range(measure))
