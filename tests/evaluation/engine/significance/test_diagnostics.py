"""What a board is told of its own tests, beside scipy, and beside what the tests then show."""

import warnings

import numpy as np
import pytest
from scipy import stats

from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.diagnostics import diagnostics
from evaluation.engine.significance.families import against_baseline, all_pairs
from evaluation.engine.significance.max_t import critical_t, max_t


def test_spread_and_skewness_are_those_of_scipy() -> None:
    matrix = np.random.default_rng(3).exponential(size=(6, 20))
    pairs = all_pairs(6)
    differences = matrix[pairs[:, 0]] - matrix[pairs[:, 1]]
    deviations, skewness = differences.std(axis=1, ddof=1), stats.skew(differences, axis=1)
    found = diagnostics(matrix, pairs)
    assert found.least_deviation == pytest.approx(deviations.min())
    assert found.median_deviation == pytest.approx(np.median(deviations))
    assert found.most_deviation == pytest.approx(deviations.max())
    assert found.most_skewness == pytest.approx(np.abs(skewness).max())
    assert (found.n_topics, found.n_pairs, found.n_same, found.n_tied) == (20, 15, 0, 0)


@pytest.mark.parametrize("n_topics", [10, 25, 50, 225])
def test_about_a_twentieth_of_pairs_of_normal_differences_is_called_skewed_and_far_more_of_skewed_ones(
    n_topics: int,
) -> None:
    draw = np.random.default_rng(7)
    pairs = against_baseline(0, 3_001)
    normal = np.vstack([np.zeros(n_topics), draw.normal(size=(3_000, n_topics))])
    skewed = np.vstack([np.zeros(n_topics), draw.exponential(size=(3_000, n_topics))])
    assert 0.03 < diagnostics(normal, pairs, "t").n_skewed / 3_000 < 0.06
    assert diagnostics(skewed, pairs, "t").n_skewed / 3_000 > 0.2


@pytest.mark.parametrize("test", ["max-t", "t", "tukey"])
@pytest.mark.parametrize("n_topics", [6, 12])
def test_a_pair_is_shown_to_differ_exactly_from_the_smallest_difference_on(test: str, n_topics: int) -> None:
    draw, sides = np.random.default_rng(5), set()
    for _ in range(60):
        matrix = draw.random((2, n_topics)) + np.array([[draw.choice([0.0, 0.4, 0.8])], [0.0]])
        pairs = all_pairs(2)
        tested, found = compare(matrix, pairs, test), diagnostics(matrix, pairs, test)
        is_shown = bool(tested.p[0] < 0.05)
        assert is_shown == (abs(tested.difference[0]) > found.least_shown * (1 + 1e-9))
        sides.add(is_shown)
    assert sides == {True, False}


def test_the_first_step_after_holm_goes_by_the_level_over_the_number_of_pairs() -> None:
    matrix = np.random.default_rng(2).random((5, 30))
    found = diagnostics(matrix, all_pairs(5), "t", "holm")
    assert found.least_shown == pytest.approx(stats.t.isf(0.05 / 2 / 10, 29) * found.least_deviation / np.sqrt(30))


@pytest.mark.parametrize("n_topics", [4, 12, 30])
def test_the_critical_value_alone_is_that_of_the_whole_test(n_topics: int) -> None:
    matrix = np.random.default_rng(4).random((7, n_topics))
    assert critical_t(matrix, all_pairs(7), 1_000, 3) == max_t(matrix, all_pairs(7), 1_000, 3).critical_t


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("shape", [(1, 3), (3, 0), (3, 1), (3, 2), (4, 5)])
@pytest.mark.parametrize("is_constant", [True, False])
def test_of_little_nothing_is_told_and_nothing_warns(test: str, shape: tuple[int, int], is_constant: bool) -> None:
    matrix = np.zeros(shape) if is_constant else np.random.default_rng(1).random(shape)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = diagnostics(matrix, all_pairs(shape[0]), test)
    if is_constant or shape[1] < 2 or shape[0] < 2:
        assert np.isnan([found.least_deviation, found.most_skewness, found.least_shown]).all()
    assert found.n_same == (found.n_pairs if is_constant else 0) or shape[1] == 0


def test_the_order_of_runs_and_of_topics_changes_nothing() -> None:
    draw = np.random.default_rng(9)
    matrix = draw.random((6, 12))
    turned = matrix[draw.permutation(6)][:, draw.permutation(12)]
    one, other = diagnostics(matrix, all_pairs(6)), diagnostics(turned, all_pairs(6))
    for name in ("n_skewed", "least_deviation", "median_deviation", "most_skewness", "least_shown", "median_shown"):
        assert getattr(one, name) == pytest.approx(getattr(other, name)), name
