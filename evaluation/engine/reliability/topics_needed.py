"""How many topics a paired t test needs to tell a wanted difference between two runs."""

from collections.abc import Callable

import numpy as np

from evaluation.engine.arrays import FloatArray

MOST_TOPICS = 100_000


def topics_needed(deviation: float, difference: float, level: float = 0.05, power: float = 0.8) -> int | None:
    """Give the fewest topics with which a two-sided paired t test shows a true difference with the wanted power.

    deviation: the standard deviation over topics of the differences between the two runs. difference: the wanted one of the
    means, in the unit of the measure. None where more than MOST_TOPICS topics are needed; 2 where the deviation is 0.
    Power at n topics: P(|T| > t), t the two-sided critical value at `level`, T noncentral t with n - 1 degrees of freedom
    and noncentrality sqrt(n) difference / deviation.
    Raises ValueError: a difference not above 0, a negative deviation, or a level or power outside (0, 1).
    Source: Sakai, "Topic set size design", Information Retrieval Journal 19, 2016.

    >>> topics_needed(0.5, 0.25)
    34
    """
    if not (difference > 0 and deviation >= 0 and 0 < level < 1 and 0 < power < 1):
        raise ValueError(
            "Topics needed: give a difference above 0, a deviation from 0, and level and power inside 0 and 1."
        )
    if deviation == 0:
        return 2
    return fewest_topics(lambda topics: paired_t_power(topics, difference / deviation, level), power)


def fewest_topics(power_at: Callable[[int], float], power: float) -> int | None:
    """Find the fewest topics, 2 or more, with which a growing power is reached; None above MOST_TOPICS.

    >>> fewest_topics(lambda topics: topics / 100, 0.8)
    80
    """
    low, high = 1, 2
    while power_at(high) < power:
        low, high = high, 2 * high
        if low >= MOST_TOPICS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if power_at(middle) < power:
            low = middle
        else:
            high = middle
    return high if high <= MOST_TOPICS else None


def paired_t_power(topics: int, effect: float, level: float = 0.05) -> float:
    """Give the power of a two-sided paired t test; `effect` is the mean difference over its standard deviation, from 0.

    >>> round(paired_t_power(34, 0.5), 3)
    0.808
    """
    from scipy.special import stdtrit  # slow to load

    freedom = topics - 1
    critical = float(stdtrit(freedom, 1 - level / 2))
    noncentrality = effect * np.sqrt(topics)
    bounds = np.array([-critical, critical])
    below, above = noncentral_t(freedom, float(noncentrality), bounds)
    return float(np.clip(below + 1 - above, 0, 1))


def noncentral_t(freedom: int, noncentrality: float, t: FloatArray) -> FloatArray:
    """The distribution function at each t; the normal approximation of Johnson and Welch (1940) where scipy gives NaN."""
    from scipy.special import nctdtr, ndtr

    exact = nctdtr(freedom, noncentrality, t)
    normal = ndtr((t * (1 - 1 / (4 * freedom)) - noncentrality) / np.sqrt(1 + t**2 / (2 * freedom)))
    value: FloatArray = np.where(np.isfinite(exact), exact, normal)
    return value
