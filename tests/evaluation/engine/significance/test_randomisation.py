"""The paired randomisation test against all drawings one by one, scipy, and its level under the null hypothesis."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy import stats

from evaluation.engine.significance.bootstrap import bootstrap_shift
from evaluation.engine.significance.families import against_baseline, all_pairs
from evaluation.engine.significance.randomisation import randomisation
from evaluation.engine.significance.randomised_tukey import randomised_tukey
from evaluation.engine.significance.resampling import Resampled
from tests.evaluation.engine.significance.values import WORKED_EXAMPLE, make_matrix


def by_all_drawings(x: np.ndarray, y: np.ndarray) -> float:
    d = x - y
    sums = [abs(np.dot(signs, d)) for signs in product((1, -1), repeat=len(d))]
    return float(np.mean(np.array(sums) >= abs(d.sum()) - 1e-9))


def test_the_worked_example_is_exact() -> None:
    found = randomisation(WORKED_EXAMPLE, all_pairs(2))
    assert found.p[0] == pytest.approx(0.328125)
    assert found.exact


@pytest.mark.parametrize("n_topics", [2, 5, 9])
def test_few_topics_give_the_share_of_all_drawings(n_topics: int) -> None:
    matrix = make_matrix(4, n_topics)
    found = randomisation(matrix, all_pairs(4))
    expected = [by_all_drawings(matrix[one], matrix[other]) for one, other in all_pairs(4)]
    assert found.p.tolist() == pytest.approx(expected)


def make_precisions(n_runs: int, n_topics: int, seed: int) -> np.ndarray:
    """Relevant documents of the first ten: sums of so few different values are often equal."""
    return np.random.default_rng(seed).integers(0, 5, (n_runs, n_topics)).astype(np.float64)


@pytest.mark.parametrize("seed", range(20))
def test_sums_that_are_equal_but_for_the_grid_count_as_equal(seed: int) -> None:
    tenths = make_precisions(3, 2 + seed % 8, seed) / 10
    expected = [by_all_drawings(tenths[one], tenths[other]) for one, other in all_pairs(3)]
    assert randomisation(tenths, all_pairs(3)).p.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("test", [randomisation, randomised_tukey, bootstrap_shift])
@pytest.mark.parametrize("unit", [10, 30, 1000])
def test_the_unit_of_a_measure_changes_no_p(test: Callable[..., Resampled], unit: int) -> None:
    whole = make_precisions(6, 40, 1)
    expected, found = (test(values, all_pairs(6), 3000, 5) for values in (whole, whole / unit))
    assert found.p.tolist() == expected.p.tolist()
    assert found.p_max.tolist() == expected.p_max.tolist()
    lacking = whole.copy()
    lacking[0, 3] = np.nan
    expected, found = (test(values, all_pairs(6), 3000, 5) for values in (lacking, lacking / unit))
    assert found.p.tolist() == expected.p.tolist()


def test_drawn_signs_come_near_to_the_test_of_scipy() -> None:
    matrix = make_matrix(3, 30, spread=0.1)
    found = randomisation(matrix, all_pairs(3), 20_000, seed=5)
    for (one, other), p in zip(all_pairs(3), found.p, strict=True):
        expected = stats.permutation_test(
            (matrix[one], matrix[other]),
            lambda x, y, axis: (x - y).mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=20_000,
            rng=np.random.default_rng(1),
        ).pvalue
        assert p == pytest.approx(expected, abs=0.015)


def test_the_smallest_p_is_one_of_the_resamples_and_one_more_and_never_0() -> None:
    matrix = np.array([np.full(40, 0.9), np.full(40, 0.1)]) + np.linspace(0, 0.05, 40)
    assert randomisation(matrix, all_pairs(2), 999).p[0] == 0.001


def test_equal_runs_have_p_1_and_values_equal_but_for_rounding_are_equal() -> None:
    matrix = np.array([[0.3, 0.7] * 10, [0.1 + 0.2, 0.7] * 10])
    assert randomisation(matrix, all_pairs(2), 500).p.tolist() == [1.0]


def test_a_pair_has_the_same_p_in_every_family_order_and_repetition() -> None:
    matrix, pairs = make_matrix(5, 20), all_pairs(5)
    found = randomisation(matrix, pairs, 2000, seed=7)
    assert randomisation(matrix, pairs, 2000, seed=7).p.tobytes() == found.p.tobytes()
    turned = randomisation(matrix, pairs[::-1, ::-1].copy(), 2000, seed=7)
    assert turned.p[::-1].tolist() == found.p.tolist()
    of_baseline = randomisation(matrix, against_baseline(0, 5), 2000, seed=7)
    assert of_baseline.p.tolist() == found.p[:4].tolist()


def test_a_topic_that_a_run_lacks_is_left_out_of_its_pairs_only() -> None:
    matrix = make_matrix(3, 20)
    complete = randomisation(matrix, all_pairs(3), 3000)
    lacking = matrix.copy()
    lacking[2, 4] = np.nan
    found = randomisation(lacking, all_pairs(3), 3000)
    assert found.p[0] == complete.p[0]
    without = randomisation(np.delete(matrix, 4, axis=1), all_pairs(3), 3000)
    assert found.p[1:] == pytest.approx(without.p[1:], abs=0.02)


def test_under_the_null_hypothesis_few_boards_have_any_p_max_below_the_level() -> None:
    boards = 200
    rejected = 0
    for seed in range(boards):
        matrix = np.random.default_rng(seed).normal(0.4, 0.1, (8, 20))
        rejected += bool((randomisation(matrix, all_pairs(8), 400, seed).p_max < 0.05).any())
    assert stats.binomtest(rejected, boards, 0.05).pvalue > 0.001
