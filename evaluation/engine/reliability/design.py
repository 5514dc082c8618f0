"""How many topics a board of runs by topics needs, by its variance components."""

from functools import lru_cache

import numpy as np

from evaluation.engine.reliability.topics_needed import fewest_topics, noncentral_t
from evaluation.engine.significance.studentized import range_survival

WIDEST = 200.0
"""More than any 95 % point of the studentized range with two degrees of freedom or more."""


def topics_for_any(runs: int, left: float, difference: float, level: float = 0.05, power: float = 0.8) -> int | None:
    """Give the fewest topics with which the F test over all runs shows that they differ.

    left: the variance that is left, `Components.left`. difference: of the best and the worst run, in the unit of the measure;
    all other runs are taken to lie midway, which is the hardest case. Power at n topics: P(F' > F(level; R - 1,
    (R - 1)(n - 1))), F' noncentral with n difference^2 / (2 left). None above 100,000 topics; 2 where nothing is left.
    Source: Sakai, "Topic set size design", Information Retrieval Journal 19, 2016, the design by analysis of variance, with
    the error of the two-way layout for that of the one-way layout: topics are the same for all runs.

    >>> topics_for_any(2, 0.125, 0.25), topics_for_any(10, 0.125, 0.25)
    (34, 64)
    """
    _require(runs, left, difference)
    if left == 0:
        return 2
    return fewest_topics(lambda topics: f_power(topics, runs, difference**2 / (2 * left), level), power)


def topics_for_a_pair(runs: int, left: float, difference: float, level: float = 0.05, power: float = 0.8) -> int | None:
    """Give the fewest topics with which Tukey's HSD over all pairs of runs shows one pair of this true difference.

    Power at n topics: P(|T| > q / sqrt 2), q the point of the studentized range of R means that is passed with probability
    `level`, with (R - 1)(n - 1) degrees of freedom; T noncentral t with as many, noncentrality difference sqrt(n / (2 left)).
    None above 100,000 topics; 2 where nothing is left. Sources: Tukey, 1953; the design of Sakai, 2016, for one pair of many.

    >>> topics_for_a_pair(2, 0.125, 0.25), topics_for_a_pair(10, 0.125, 0.25)
    (34, 65)
    """
    _require(runs, left, difference)
    if left == 0:
        return 2
    return fewest_topics(lambda topics: tukey_power(topics, runs, difference / np.sqrt(2 * left), level), power)


def f_power(topics: int, runs: int, noncentrality: float, level: float = 0.05) -> float:
    """Give the power of the F test of runs in a two-way layout; `noncentrality`: by topic, from 0.

    >>> round(f_power(34, 2, 0.25), 3)
    0.808
    """
    from scipy.special import fdtri, ncfdtr  # slow to load

    freedom, left = runs - 1, (runs - 1) * (topics - 1)
    below = float(ncfdtr(freedom, left, topics * noncentrality, fdtri(freedom, left, 1 - level)))
    return float(np.clip(1 - below, 0, 1)) if np.isfinite(below) else 1.0


def tukey_power(topics: int, runs: int, effect: float, level: float = 0.05) -> float:
    """Give the power of Tukey's HSD to show one pair; `effect`: its difference / sqrt(2 left), from 0.

    >>> round(tukey_power(34, 2, 0.5), 3)
    0.808
    """
    freedom = (runs - 1) * (topics - 1)
    critical = studentized_range_point(runs, freedom, level) / np.sqrt(2)
    below, above = noncentral_t(freedom, float(effect * np.sqrt(topics)), np.array([-critical, critical]))
    return float(np.clip(below + 1 - above, 0, 1))


@lru_cache(maxsize=4096)
def studentized_range_point(groups: int, freedom: int, level: float) -> float:
    """Give q with P(Q >= q) = level for the studentized range of `groups` means, within 1e-4.

    >>> round(studentized_range_point(3, 10, 0.05), 3)
    3.877
    """
    from scipy.optimize import brentq  # slow to load

    return float(brentq(lambda q: _survival(q, groups, freedom) - level, 0.0, WIDEST, xtol=1e-6))


def _survival(q: float, groups: int, freedom: int) -> float:
    return float(range_survival(np.array([q]), groups, float(freedom))[0])


def _require(runs: int, left: float, difference: float) -> None:
    if not (runs > 1 and left >= 0 and difference > 0):
        raise ValueError("Topics needed: give two runs or more, a variance from 0, and a difference above 0.")
