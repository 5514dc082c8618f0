"""Variance components of values of runs by topics, and how reliable an order of these runs by so many topics is."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.reliability.needed_interval import FEWEST_TOPICS, ROUNDING, Bounds, jackknifed
from evaluation.engine.reliability.topics_needed import MOST_TOPICS
from evaluation.engine.significance.anova import TwoWay, two_way_anova

TAIL: Final = 0.025
STEPS: Final = 60
"""Far more halvings than the root of a smooth function takes."""


@dataclass(frozen=True)
class Components:
    """The variance of values, split: between runs, between topics, and what is left, the interaction with the error.

    Each is 0 or above, in the square of the measure's unit.
    """

    runs: float
    topics: float
    left: float


@dataclass(frozen=True)
class SignalToNoise:
    """Variance between runs over the error variance of one topic, 0 to inf; `interval`: of 95 %, None where none is known.

    >>> ratio = SignalToNoise(0.2, (0.1, 0.4))
    >>> round(ratio.coefficient(50), 3), ratio.topics_for(0.95), ratio.topics_interval(0.95)
    (0.909, 95, (48, 190))
    """

    value: float
    interval: Bounds | None

    def coefficient(self, topics: int) -> float:
        """Give the coefficient with so many topics, 0 to 1: n s / (1 + n s)."""
        return _coefficient(self.value, topics)

    def coefficient_interval(self, topics: int) -> Bounds | None:
        if self.interval is None:
            return None
        low, high = self.interval
        return _coefficient(low, topics), _coefficient(high, topics)

    def topics_for(self, coefficient: float) -> int | None:
        """Give the fewest topics, 1 or more, with which the coefficient is reached; None above MOST_TOPICS.

        n = c / ((1 - c) s). Raises ValueError: a coefficient outside (0, 1).
        """
        return _topics_for(self.value, coefficient)

    def topics_interval(self, coefficient: float) -> tuple[int | None, int | None] | None:
        if self.interval is None:
            return None
        low, high = self.interval
        return _topics_for(high, coefficient), _topics_for(low, coefficient)


@dataclass(frozen=True)
class Generalizability:
    """What the variance components of these runs say. Intervals are of 95 %, over topics; the runs are taken as they are.

    `cut`: the names of components whose estimate is negative, and which are given as 0.
    `relative`: of E rho^2, the reliability of the order of the runs: s = runs / left. `absolute`: of Phi, the reliability of
    their means as such: s = runs / (topics + left).
    """

    components: Components
    cut: tuple[str, ...]
    runs_interval: Bounds | None
    topics_interval: Bounds | None
    left_interval: Bounds | None
    relative: SignalToNoise
    absolute: SignalToNoise

    def error_of_difference(self, topics: int) -> float:
        """Give the standard error of the difference of two runs' means over so many topics: sqrt(2 left / n)."""
        return math.sqrt(2 * self.components.left / topics)

    def error_interval(self, topics: int) -> Bounds | None:
        if self.left_interval is None:
            return None
        low, high = (math.sqrt(2 * bound / topics) for bound in self.left_interval)
        return low, high


def variance_components(values: FloatArray) -> Components:
    """Estimate the components of x = mean + run + topic + rest by the mean squares of the two-way layout.

    values: float64 (n_runs, n_topics); topics with a NaN are left out. left = MS_rest; runs = (MS_runs - MS_rest) / n;
    topics = (MS_topics - MS_rest) / R; negative estimates are 0. Raises ValueError: fewer than two runs or two topics.
    Source: Searle, Casella and McCulloch, 1992; for retrieval Tague-Sutcliffe and Blustein, 1994.

    >>> variance_components(np.array([[0.5, 0.75], [0.0, 0.25]]))
    Components(runs=0.125, topics=0.03125, left=0.0)
    """
    return _cut(_estimates(two_way_anova(values)))


def generalizability(values: FloatArray) -> Generalizability:
    """Estimate the variance components and the signal-to-noise ratios of these runs, with their intervals.

    values: float64 (n_runs, n_topics), in any unit; topics with a NaN are left out. Intervals: of the relative ratio the wider
    on each side of two. One is the jackknife over topics with Student's quantile, on the scale of log(1 + MS_runs / MS_rest),
    which is right for many topics and any distribution. The other inverts the noncentral F distribution of MS_runs / MS_rest,
    by Patnaik's approximation, which is right where runs vary alike and differ by little. That of the absolute ratio joins it
    with the jackknife of left / (topics + left), by the distances of their logarithms. None for fewer than 10 topics, where a
    run lacks a value that another has, and where nothing is left with all topics or without one.
    How often they hold is in docs/reference/significance.md. Raises ValueError: fewer than two runs or two topics.
    Sources: Cronbach, Gleser, Nanda and Rajaratnam, 1972; Brennan, 2001; for retrieval Bodoff and Li, 2007, and Urbano,
    Marrero and Martin, 2013; the jackknife: Miller, 1974; the approximation: Patnaik, 1949; joining: Zou and Donner, 2008.

    >>> found = generalizability(np.array([[0.5, 0.75, 0.5], [0.0, 0.25, 0.25]]))
    >>> round(found.components.runs, 4), round(found.relative.coefficient(3), 3), found.relative.interval
    (0.0833, 0.96, None)
    """
    table = two_way_anova(values)
    estimates = _estimates(table)
    components = _cut(estimates)
    negative = (estimates.runs < 0, estimates.topics < 0)
    cut = tuple(name for name, is_negative in zip(("runs", "topics"), negative, strict=True) if is_negative)
    relative, absolute = (
        _ratio(components.runs, components.left),
        _ratio(components.runs, components.topics + components.left),
    )
    intervals = _intervals(values, table, components)
    return Generalizability(
        components=components,
        cut=cut,
        runs_interval=intervals.runs if intervals else None,
        topics_interval=intervals.topics if intervals else None,
        left_interval=intervals.left if intervals else None,
        relative=SignalToNoise(relative, intervals.relative if intervals else None),
        absolute=SignalToNoise(absolute, intervals.absolute if intervals else None),
    )


@dataclass(frozen=True)
class _Intervals:
    runs: Bounds
    topics: Bounds
    left: Bounds
    relative: Bounds
    absolute: Bounds


def _intervals(values: FloatArray, table: TwoWay, components: Components) -> _Intervals | None:
    known = values[:, ~np.isnan(values).all(axis=0)]
    if table.n_topics < FEWEST_TOPICS or np.isnan(known).any() or not components.left:
        return None
    # By their values: the last digits of sums would otherwise tell the order of the runs.
    runs, topics, left = _mean_squares_without_each(known[np.lexsort(known.T)])
    n_runs, n, whole = len(values), table.n_topics, components.left
    of_runs, of_topics = table.squares_of_runs / (n_runs - 1), table.squares_of_topics / (n - 1)
    one_topic = (of_topics + (n_runs - 1) * whole) / n_runs
    if not (left.all() and topics.all()):
        return None
    of_left, ratio = jackknifed(whole, left), jackknifed(1 + of_runs / whole, 1 + runs / left)
    share = jackknifed(whole / one_topic, left * n_runs / (topics + (n_runs - 1) * left))
    all_topics = jackknifed(of_topics, topics)
    if of_left is None or ratio is None or share is None or all_topics is None:
        return None
    inverted = _noncentral_interval(of_runs / whole, n_runs - 1, (n_runs - 1) * (n - 1))
    # On the scale of log(1 + F): that of log F has no bound where the means without a topic are nearly equal.
    low, high = (max(bound - 2, 0.0) / n for bound in ratio)
    low, high = min(low, inverted[0] / n), max(high, inverted[1] / n)
    return _Intervals(
        runs=(low * whole, high * whole),
        topics=(max(all_topics[0] - whole, 0.0) / n_runs, max(all_topics[1] - whole, 0.0) / n_runs),
        left=of_left,
        relative=(low, high),
        absolute=_joined(components, (low, high), share),
    )


def _joined(components: Components, relative: Bounds, share: Bounds) -> Bounds:
    """The interval of runs / (topics + left) by those of runs / left and of left / (topics + left), at most 1."""
    middle = components.left / (components.topics + components.left)
    of_share = [math.log(min(bound, 1.0) / middle) for bound in share]
    ratio = components.runs / components.left
    if not ratio:
        return 0.0, relative[1] * middle * math.exp(of_share[1])
    distances = [math.log(bound / ratio) if bound else -math.inf for bound in relative]
    low = ratio * middle * math.exp(-math.hypot(distances[0], of_share[0]))
    return low, ratio * middle * math.exp(math.hypot(distances[1], of_share[1]))


def _mean_squares_without_each(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of runs, topics and the rest without each topic: float64 (n_topics,) each; 0 where rounding alone is left."""
    n_runs, n = values.shape
    means, of_topics = values.mean(axis=1, keepdims=True), values.mean(axis=0)
    squares = np.square(values - means)
    within = squares.sum() - squares.sum(axis=0) * n / (n - 1)
    apart = np.square(of_topics - of_topics.mean())
    between = n_runs * (apart.sum() - apart * n / (n - 1))
    noise = ROUNDING * max(float(squares.sum()), float(np.square(values).max()) * ROUNDING)
    rest = within - between
    runs = (n - 1) * ((n * means - values) / (n - 1)).var(axis=0, ddof=1)
    left = np.where(rest > noise, rest, 0.0) / ((n_runs - 1) * (n - 2))
    return np.where(runs > noise, runs, 0.0), np.where(between > noise, between, 0.0) / (n - 2), left


def _noncentral_interval(f: float, freedom: int, freedom_left: int) -> Bounds:
    """The noncentrality by degree of freedom, 0 or above, for which f lies at the points that are passed with .975 and .025.

    P(F' <= f) by Patnaik, 1949: that of the central F at f / (1 + l), with d (1 + l)^2 / (1 + 2 l) degrees of freedom.
    """
    from scipy.special import fdtr  # slow to load

    def below(signal: float) -> float:
        of_runs = freedom * (1 + signal) ** 2 / (1 + 2 * signal)
        return float(fdtr(of_runs, freedom_left, f / (1 + signal)))

    def root(point: float) -> float:
        low, high = 0.0, 1.0
        if below(low) <= point:
            return 0.0
        while below(high) > point:
            low, high = high, 2 * high
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if below(middle) > point else (low, middle)
        return high

    return root(1 - TAIL), root(TAIL)


def _estimates(table: TwoWay) -> Components:
    """As the mean squares give them, below 0 as well."""
    runs, topics, left = table.freedom_of_runs + 1, table.n_topics, table.mean_square_left
    if runs < 2 or topics < 2:
        raise ValueError("Components of variance need two runs and two topics at least.")
    of_runs = (table.squares_of_runs / (runs - 1) - left) / topics
    of_topics = (table.squares_of_topics / (topics - 1) - left) / runs
    noise = ROUNDING * (abs(of_runs) + abs(of_topics) + left)
    of_runs, of_topics = (0.0 if abs(estimate) <= noise else estimate for estimate in (of_runs, of_topics))
    return Components(of_runs, of_topics, left)


def _cut(estimates: Components) -> Components:
    return Components(max(estimates.runs, 0.0), max(estimates.topics, 0.0), estimates.left)


def _ratio(runs: float, error: float) -> float:
    return 0.0 if not runs else runs / error if error else math.inf


def _coefficient(ratio: float, topics: int) -> float:
    return 1.0 if math.isinf(ratio) else topics * ratio / (1 + topics * ratio)


def _topics_for(ratio: float, coefficient: float) -> int | None:
    if not 0 < coefficient < 1:
        raise ValueError("Topics needed: give a coefficient above 0 and below 1.")
    if not ratio:
        return None
    topics = coefficient / (1 - coefficient) / ratio
    return max(math.ceil(topics * (1 - 1e-9)), 1) if topics <= MOST_TOPICS else None
