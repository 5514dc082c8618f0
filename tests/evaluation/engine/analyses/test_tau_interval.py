"""Intervals of tau: what they promise by simulation, by plain loops, and where there is none."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.intervals import KINDS, tau_holds
from evaluation.engine.analyses.rank_correlation import kendall_tau, kendall_taus
from evaluation.engine.analyses.tau_interval import RESAMPLES, tau_interval, tau_intervals

VALUES = np.random.default_rng(4).random((3, 6, 8)).round(1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("noise", ["normal", "skewed"])
def test_the_tau_of_as_many_other_topics_lies_in_the_interval_in_about_19_of_20_collections(
    kind: str, noise: str
) -> None:
    random = np.random.default_rng(3)
    found = [tau_holds(random, 20, 25, kind, noise) for _ in range(150)]
    missed = [not held[0] for held in found if held is not None]
    assert len(missed) > 100
    assert stats.binomtest(sum(missed), len(missed), 0.07, alternative="greater").pvalue > 1e-3


def test_the_interval_is_that_of_plain_loops_over_the_draws() -> None:
    first, second, _ = VALUES
    times = np.random.default_rng(1).multinomial(8, np.full(8, 1 / 8), RESAMPLES)
    drawn = []
    for counts in times:
        topics = np.repeat(np.arange(8), counts)
        drawn.append(kendall_tau(*(values[:, topics].mean(axis=1).round(12) for values in (first, second))))
    tau = kendall_tau(first.mean(axis=1).round(12), second.mean(axis=1).round(12))
    half = stats.t.ppf(0.975, 7) * np.sqrt(2) * np.nanstd(drawn)
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    assert tau_interval(first, second) == pytest.approx((max(min(low, tau - half), -1), min(max(high, tau + half), 1)))


def test_the_taus_of_many_draws_are_those_of_each_with_ties() -> None:
    means = VALUES[:, :5]
    found = kendall_taus(means)
    for draw in range(means.shape[2]):
        for one in range(3):
            for other in range(3):
                expected = kendall_tau(means[one, :, draw], means[other, :, draw])
                assert found[draw, one, other] == pytest.approx(expected, nan_ok=True)


def test_the_intervals_of_many_sets_are_those_of_each_two() -> None:
    low, high = tau_intervals(VALUES)
    assert (low[0, 2], high[2, 0]) == pytest.approx(tau_interval(VALUES[0], VALUES[2]))
    with_a_gap = VALUES.copy()
    with_a_gap[1, 0, 0] = np.nan
    assert np.isnan(tau_intervals(with_a_gap)[:, 1]).all()
    assert tau_intervals(with_a_gap)[:, 0, 2].tolist() == [low[0, 2], high[0, 2]]


def test_there_is_no_interval_of_equal_or_reversed_orders_few_topics_or_missing_values() -> None:
    first, second, _ = VALUES
    assert tau_interval(first, first + 0.1) is None
    assert tau_interval(first, -first) is None
    assert tau_interval(first[:, :4], second[:, :4]) is None
    assert tau_interval(first[:1], second[:1]) is None
    assert tau_interval(first, np.where(second == second[0, 0], np.nan, second)) is None
    assert tau_interval(first, np.zeros_like(second)) is None
    assert tau_interval(np.tile(first[:, :1], 8), np.tile(second[:, :1], 8)) is None


@pytest.mark.parametrize("runs", range(2, 40))
def test_equal_and_reversed_orders_of_any_number_of_runs_have_no_interval(runs: int) -> None:
    """12 runs are 66 pairs, and 66 / sqrt(66) / sqrt(66) is less than 1 in floating point."""
    values = np.arange(runs)[:, np.newaxis] + 3 * np.random.default_rng(runs).normal(size=(runs, 6))
    order = np.argsort(np.argsort(values.mean(axis=1)))
    other = order[:, np.newaxis] + np.array([3, -3, 2, -2, 1, -1]) * values.mean()
    assert kendall_tau(values.mean(axis=1), other.mean(axis=1)) == 1
    assert kendall_tau(values.mean(axis=1), -other.mean(axis=1)) == -1
    assert tau_interval(values, other) is None
    assert tau_interval(values, -other) is None
