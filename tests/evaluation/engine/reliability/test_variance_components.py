"""Variance components and coefficients: a published example, plain loops, what cannot change them, and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

from benchmarks.intervals import IN_TENTHS, components_hold
from evaluation.engine.reliability.component_report import component_row, csv_rows, in_words
from evaluation.engine.reliability.variance_components import SignalToNoise, generalizability

SHROUT_AND_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
"""Six targets by four judges, from "Intraclass correlations", 1979."""
VALUES = np.random.default_rng(5).random((4, 12)) + np.arange(4)[:, np.newaxis] / 5


def test_coefficients_are_the_intraclass_correlations_of_a_published_example() -> None:
    """E rho^2 is ICC(3, k), Phi is ICC(2, k)."""
    found = generalizability(SHROUT_AND_FLEISS)
    assert found.relative.coefficient(1) == pytest.approx(0.71, abs=0.005)
    assert found.relative.coefficient(4) == pytest.approx(0.91, abs=0.005)
    assert found.absolute.coefficient(1) == pytest.approx(0.29, abs=0.005)
    assert found.absolute.coefficient(4) == pytest.approx(0.62, abs=0.005)


def test_the_ratio_has_the_wider_bounds_of_jackknife_and_noncentral_f() -> None:
    def mean_squares(values: np.ndarray) -> tuple[float, float]:
        n_runs, n = values.shape
        rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
        return n * values.mean(axis=1).var(ddof=1), (rest**2).sum() / ((n_runs - 1) * (n - 1))

    found, n = generalizability(VALUES).relative, 12
    assert found.interval is not None
    runs, left = mean_squares(VALUES)
    without = np.array([np.divide(*mean_squares(np.delete(VALUES, topic, axis=1))) for topic in range(n)])
    logs = np.log(1 + without)
    half = stats.t.ppf(0.975, n - 1) * np.sqrt((n - 1) / n * ((logs - logs.mean()) ** 2).sum())
    jackknifed = [((1 + runs / left) * factor - 2) / n for factor in (np.exp(-half), np.exp(half))]

    def of_f(passed: float) -> float:
        return brentq(lambda ratio: stats.ncf.cdf(runs / left, 3, 33, ratio * 3 * n) - passed, 0, 3)

    assert found.interval[0] == pytest.approx(max(min(jackknifed[0], of_f(0.975)), 0), rel=0.03)
    assert found.interval[1] == pytest.approx(max(jackknifed[1], of_f(0.025)), rel=0.03)


@pytest.mark.parametrize(
    ("runs", "noise", "apart"),
    [(2, "normal", 1), (5, "skewed", 1), (20, "skewed", 0.1), (20, "few topics", 1), (5, IN_TENTHS, 1)],
)
def test_the_intervals_hold_the_true_numbers_in_9_of_10_collections(runs: int, noise: str, apart: float) -> None:
    random = np.random.default_rng(6)
    times = 60 if noise == IN_TENTHS else 250
    found = [held for _ in range(times) if (held := components_hold(random, runs, 25, noise, apart)) is not None]
    assert len(found) > 0.8 * times
    for which in range(4):
        missed = sum(not held[which] for held in found)
        assert stats.binomtest(missed, len(found), 0.1, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize("runs", [2, 8])
def test_the_coefficient_is_the_share_of_the_variance_of_means_that_is_not_due_to_the_topics(runs: int) -> None:
    random, topics, times = np.random.default_rng(7), 10, 8000
    quality, spread = random.normal(0, 0.05, runs), random.uniform(0.05, 0.2, runs)
    rest = spread[:, np.newaxis] * random.normal(0, 1, (times, runs, topics))
    drawn = quality[:, np.newaxis] + random.normal(0, 0.3, (times, 1, topics)) + rest
    share = quality.var(ddof=1) / drawn.mean(axis=2).var(axis=1, ddof=1).mean()
    ratio = SignalToNoise(quality.var(ddof=1) / np.square(spread).mean(), None)
    assert ratio.coefficient(topics) == pytest.approx(share, rel=0.06)
    estimated = generalizability(np.concatenate(drawn, axis=1)).relative.value
    assert estimated == pytest.approx(ratio.value, rel=0.15)


def test_the_standard_error_is_the_root_of_the_mean_square_over_all_pairs() -> None:
    first, second = np.triu_indices(4, 1)
    variances = (VALUES[first] - VALUES[second]).var(axis=1, ddof=1)
    assert generalizability(VALUES).error_of_difference(30) == pytest.approx(np.sqrt(variances.mean() / 30))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(-5, 5))
def test_order_unit_and_shift_of_values_change_nothing(seed: int, factor: float, shift: float) -> None:
    random = np.random.default_rng(seed)
    values = random.random((random.integers(2, 6), random.integers(10, 15)))
    runs, topics = (random.permutation(n) for n in values.shape)
    one, other = generalizability(values), generalizability(factor * values[runs][:, topics] + shift)
    assert other.components.left == pytest.approx(one.components.left * factor**2)
    for name in ("relative", "absolute"):
        assert getattr(other, name).value == pytest.approx(getattr(one, name).value, abs=1e-9)
        assert getattr(other, name).interval == pytest.approx(getattr(one, name).interval, abs=1e-7)
    if one.relative.interval is not None:
        assert one.relative.interval[0] <= one.relative.value <= one.relative.interval[1]
        assert one.absolute.interval[0] <= one.absolute.value + 1e-12
        assert one.absolute.value <= one.absolute.interval[1] + 1e-12
    assert one.absolute.value <= one.relative.value


@given(st.floats(1e-6, 1e6), st.sampled_from([0.5, 0.9, 0.95]))
def test_topics_needed_are_the_fewest_that_reach_the_coefficient(ratio: float, wanted: float) -> None:
    found = SignalToNoise(ratio, None)
    topics = found.topics_for(wanted)
    if topics is None:
        assert found.coefficient(100_000) < wanted
    else:
        assert found.coefficient(topics) >= wanted - 1e-9
        assert topics == 1 or found.coefficient(topics - 1) < wanted


def test_a_component_below_0_counts_as_0_and_is_named() -> None:
    alike = np.array([[0.0, 1.0] * 6, [1.0, 0.0] * 6])
    found = generalizability(alike)
    assert (found.components.runs, found.components.topics, found.cut) == (0, 0, ("runs", "topics"))
    said = " ".join(in_words(component_row("AP", alike, "mean")))
    assert "between runs is below 0" in said
    assert "no number of topics is known" in said
    assert SignalToNoise(0.0, None).topics_for(0.9) is None


def test_what_cannot_be_told_is_said_in_place_of_numbers() -> None:
    cases = {
        "There is one run": VALUES[:1],
        "Fewer than two topics": VALUES[:, :1],
        "differ by the same on every topic": np.arange(3.0)[:, np.newaxis] + np.arange(12),
        "or not at all": np.ones((3, 12)),
    }
    for reason, values in cases.items():
        row = component_row("AP", values, "mean")
        assert reason in row["reason"]
        assert [*in_words(row)] == [row["reason"]]
        assert [line[:2] for line in csv_rows([row])] == [("AP", row["reason"])]
    assert "median" in component_row("RankCorr", VALUES, "median")["reason"]
    few = component_row("AP", VALUES[:, :9], "mean")
    assert few["now"]["relative_interval"] is None
    assert "it is not known how far off" in " ".join(in_words(few))


def test_topics_without_all_values_are_left_out_and_then_there_is_no_interval() -> None:
    gap = VALUES.copy()
    gap[0, 3] = np.nan
    row, without = component_row("AP", gap, "mean"), component_row("AP", np.delete(VALUES, 3, axis=1), "mean")
    assert (row["topics"], row["topics_left_out"], row["variance_left"]) == (
        11,
        1,
        pytest.approx(without["variance_left"]),
    )
    assert row["now"]["relative_interval"] is None
    assert "Left out: 1 topic on which some run has no value." in [*in_words(row)]
    nowhere = np.hstack([VALUES, np.full((4, 2), np.nan)])
    assert component_row("AP", nowhere, "mean") == component_row("AP", VALUES, "mean")


def test_csv_has_every_number_of_the_row() -> None:
    row = component_row("AP", VALUES, "mean", next_topics=(40,))
    lines = {(quantity, topics): (value, low, high) for _, quantity, topics, value, low, high in csv_rows([row])}
    assert lines["variance_left", 12] == (row["variance_left"], *row["variance_left_interval"])
    assert lines["relative", 40] == (row["next"][0]["relative"], *row["next"][0]["relative_interval"])
    assert lines["topics_for_relative_0.95", None][0] == row["topics_for_relative"][1]["topics"]
    assert sum(lines[f"share_{name}", 12][0] for name in ("of_runs", "of_topics", "left")) == pytest.approx(1)


@pytest.mark.parametrize(("n_runs", "n_topics"), [(2, 25), (5, 25), (20, 10)])
def test_where_a_few_values_lie_far_from_all_others_intervals_hold_in_about_8_of_10_cases(
    n_runs: int, n_topics: int
) -> None:
    random, held = np.random.default_rng(1), np.zeros(2)
    for _ in range(600):
        quality = random.normal(0, 0.05, n_runs)
        noise = np.exp(random.normal(size=(n_runs, n_topics))) * 0.1 / np.sqrt(np.e * (np.e - 1))
        found = generalizability(quality[:, np.newaxis] + random.normal(0, 0.1, n_topics) + noise)
        truths = 0.01, quality.var(ddof=1) / 0.01
        intervals = found.left_interval, found.relative.interval
        for place, (bounds, truth) in enumerate(zip(intervals, truths, strict=True)):
            assert bounds is not None
            held[place] += bounds[0] <= truth <= bounds[1]
    said = np.array([0.77, 0.87])
    assert (held / 600 >= said - 3 * np.sqrt(said * (1 - said) / 600)).all(), held / 600
    assert held[0] < 600 * 0.88, "the interval is better than what is said of it"
