"""Intervals of the spreads behind the topics needed: by simulation, by plain loops, and where there is none."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.intervals import needed_holds
from evaluation.engine.reliability.needed_interval import deviation_interval, left_interval
from evaluation.engine.reliability.parts.discriminative_power import measures
from evaluation.engine.reliability.variance_components import variance_components
from evaluation.engine.significance.families import all_pairs
from tests.evaluation.engine.reliability.far_values import values_with_a_tail
from tests.evaluation.engine.reliability.test_report import collection_of_values

VALUES = np.random.default_rng(5).random((4, 12))


@pytest.mark.parametrize(
    ("runs", "noise"), [(2, "normal"), (2, "skewed"), (20, "normal"), (20, "skewed"), (20, "alike")]
)
def test_the_intervals_hold_the_true_spread_in_about_19_of_20_collections(runs: int, noise: str) -> None:
    random = np.random.default_rng(6)
    found = [held for _ in range(300) if (held := needed_holds(random, runs, 25, noise)) is not None]
    for which in (0, 1):
        missed = sum(not held[which] for held in found)
        assert stats.binomtest(missed, len(found), 0.08, alternative="greater").pvalue > 1e-3


def jackknifed(whole: float, without: list[float]) -> tuple[float, float]:
    logs, n = np.log(without), len(without)
    half = stats.t.ppf(0.975, n - 1) * np.sqrt((n - 1) ** 2 / n * logs.var(ddof=1))
    return whole * np.exp(-half), whole * np.exp(half)


def test_the_variance_left_has_the_interval_of_the_jackknife() -> None:
    whole, *without = (
        variance_components(values).left
        for values in (VALUES, *(np.delete(VALUES, topic, axis=1) for topic in range(12)))
    )
    assert left_interval(VALUES) == pytest.approx(jackknifed(whole, without))


def test_the_deviation_has_the_wider_bounds_of_jackknife_and_chi_square() -> None:
    differences = VALUES[1:] - VALUES[0]
    whole, *without = (
        float(np.quantile(some.std(axis=1, ddof=1), 0.9))
        for some in (differences, *(np.delete(differences, topic, axis=1) for topic in range(12)))
    )
    low, high = jackknifed(whole, without)
    of_chi = [whole * np.sqrt(11 / stats.chi2.ppf(share, 11)) for share in (0.975, 0.025)]
    assert deviation_interval(differences) == pytest.approx((min(low, of_chi[0]), max(high, of_chi[1])))


def test_there_is_none_for_few_topics_nor_where_one_topic_makes_the_whole_spread() -> None:
    assert deviation_interval(VALUES[:, :9]) is None
    assert left_interval(VALUES[:, :9]) is None
    one_topic = np.zeros((3, 12))
    one_topic[0, 4] = 0.1
    assert deviation_interval(one_topic) is None
    assert left_interval(one_topic) is None
    assert left_interval(np.ones((3, 12))) is None


def test_topics_needed_have_the_numbers_of_both_ends_and_none_where_a_value_is_missing() -> None:
    [row] = measures(collection_of_values(VALUES), lambda: None)
    low, high = row["topics_needed_interval"]
    assert low <= row["topics_needed"] <= high
    for name in ("topics_for_any", "topics_for_a_pair"):
        low, high = row["design"][f"{name}_interval"]
        assert low <= row["design"][name] <= high
    without_a_topic = np.hstack([VALUES, np.full((4, 1), np.nan)])
    assert measures(collection_of_values(without_a_topic), lambda: None) == [row]
    gap = VALUES.copy()
    gap[0, 0] = np.nan
    [row] = measures(collection_of_values(gap), lambda: None)
    assert (row["topics_needed_interval"], row["design"]["topics_for_any_interval"]) == (None, None)


def test_where_a_few_values_lie_far_from_all_others_the_intervals_hold_in_6_to_9_of_10_cases() -> None:
    random, (first, second) = np.random.default_rng(3), all_pairs(5).T
    for tail in (1.0, 1.5):
        held = np.zeros(2)
        for _ in range(200):
            values = values_with_a_tail(random, random.normal(0, 0.05, 5), 20, tail)
            intervals = deviation_interval(values[first] - values[second]), left_interval(values)
            for which, truth in enumerate((np.sqrt(0.02), 0.01)):
                low, high = intervals[which] or (np.inf, np.inf)
                held[which] += low <= truth <= high
        assert (held >= 0.55 * 200).all(), held
        assert held.min() < 0.88 * 200, "the intervals are better than what is said of them"
