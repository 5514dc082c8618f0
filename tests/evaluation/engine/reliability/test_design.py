"""Topics needed by the design: against scipy's distributions, counting up, and simulated boards."""

import numpy as np
import pytest
from scipy.stats import f, ncf, nct, studentized_range

from evaluation.engine.reliability.design import (
    f_power,
    studentized_range_point,
    topics_for_a_pair,
    topics_for_any,
    tukey_power,
)
from evaluation.engine.reliability.topics_needed import topics_needed
from evaluation.engine.reliability.variance_components import variance_components
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.max_t import max_t


def test_components_are_those_of_plain_loops() -> None:
    values = np.random.default_rng(8).random((4, 6)) + np.arange(4)[:, None] / 5
    runs, topics, grand = values.mean(axis=1), values.mean(axis=0), values.mean()
    left = sum((values[r, t] - runs[r] - topics[t] + grand) ** 2 for r in range(4) for t in range(6)) / 15
    of_runs = 6 * sum((mean - grand) ** 2 for mean in runs) / 3
    of_topics = 4 * sum((mean - grand) ** 2 for mean in topics) / 5
    found = variance_components(values)
    assert found.left == pytest.approx(left)
    assert found.runs == pytest.approx(max(0, (of_runs - left) / 6))
    assert found.topics == pytest.approx(max(0, (of_topics - left) / 4))


@pytest.mark.parametrize(("runs", "topics"), [(2, 5), (3, 2), (10, 30), (100, 50)])
def test_powers_are_those_of_scipy(runs: int, topics: int) -> None:
    freedom, left = runs - 1, (runs - 1) * (topics - 1)
    expected = ncf.sf(f.ppf(0.95, freedom, left), freedom, left, topics * 0.2)
    assert f_power(topics, runs, 0.2) == pytest.approx(expected, abs=1e-8)
    q = studentized_range.ppf(0.95, runs, left)
    assert studentized_range_point(runs, left, 0.05) == pytest.approx(q, abs=1e-4)
    shift, critical = 0.4 * np.sqrt(topics), q / np.sqrt(2)
    expected = nct.sf(critical, left, shift) + nct.cdf(-critical, left, shift)
    assert tukey_power(topics, runs, 0.4) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("runs", [2, 5, 20])
def test_the_topics_needed_are_the_fewest_that_reach_the_power(runs: int) -> None:
    left, difference = 0.02, 0.1
    any_run = next(n for n in range(2, 500) if f_power(n, runs, difference**2 / (2 * left)) >= 0.8)
    assert topics_for_any(runs, left, difference) == any_run
    pair = next(n for n in range(2, 500) if tukey_power(n, runs, difference / np.sqrt(2 * left)) >= 0.8)
    assert topics_for_a_pair(runs, left, difference) == pair


def test_of_two_runs_both_designs_are_the_paired_t_test() -> None:
    left, difference = 0.03, 0.07
    paired = topics_needed(np.sqrt(2 * left), difference)
    assert topics_for_any(2, left, difference) == topics_for_a_pair(2, left, difference) == paired


def test_the_f_test_shows_simulated_boards_to_differ_as_often_as_it_says() -> None:
    random, runs, left, difference, boards = np.random.default_rng(1), 6, 0.02, 0.12, 2000
    topics = topics_for_any(runs, left, difference)
    effects = np.array([difference / 2, 0, 0, 0, 0, -difference / 2])
    noise = random.normal(0, np.sqrt(left), (boards, runs, topics)) + random.normal(0, 0.2, (boards, 1, topics))
    values = effects[:, None] + noise
    means, of_topics = values.mean(axis=2, keepdims=True), values.mean(axis=1, keepdims=True)
    rest = values - means - of_topics + values.mean(axis=(1, 2), keepdims=True)
    error = (rest**2).sum(axis=(1, 2)) / ((runs - 1) * (topics - 1))
    ratio = topics * means[..., 0].var(axis=1, ddof=1) / error
    shown = (ratio > f.ppf(0.95, runs - 1, (runs - 1) * (topics - 1))).mean()
    assert shown == pytest.approx(f_power(topics, runs, difference**2 / (2 * left)), abs=0.03)


def test_edges_are_defined() -> None:
    assert topics_for_any(5, 0.0, 0.1) == topics_for_a_pair(5, 0.0, 0.1) == 2
    assert topics_for_any(5, 1.0, 1e-6) is None
    assert topics_for_a_pair(5, 1.0, 1e-6) is None
    assert f_power(50, 10, 1e9) == tukey_power(50, 10, 1e9) == pytest.approx(1)
    with pytest.raises(ValueError, match="two runs or more"):
        topics_for_any(1, 0.1, 0.1)
    with pytest.raises(ValueError, match="two runs and two topics"):
        variance_components(np.zeros((3, 1)))


def test_the_max_t_test_of_boards_shows_the_pair_less_often_than_tukeys_hsd_most_with_few_topics_and_many_runs() -> (
    None
):
    random, shown = np.random.default_rng(5), {}
    for runs, difference in ((20, 1.2), (5, 0.8)):
        topics = topics_for_a_pair(runs, 1.0, difference)
        assert topics is not None
        means = difference * (np.arange(runs) == 0)[:, np.newaxis]
        boards = [means + random.normal(0, 1, (runs, topics)) for _ in range(100)]
        shown[runs] = np.mean([max_t(board, all_pairs(runs), 300).p[0] < 0.05 for board in boards])
    assert 0.35 < shown[20] < 0.65
    assert 0.65 < shown[5] < 0.9
