import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.corrections import holm
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.paired_t import mean_interval, paired_t
from tests.draws import examples
from tests.evaluation.statsmodels_oracle import holm_of_statsmodels

SYSTEM_A = np.array([0.02, 0.39, 0.16, 0.58, 0.04, 0.09, 0.12])
SYSTEM_B = np.array([0.76, 0.07, 0.37, 0.21, 0.02, 0.91, 0.46])


def make_matrix(n_runs: int = 12, n_topics: int = 50, seed: int = 3) -> np.ndarray:
    random = np.random.default_rng(seed)
    topic, run = random.normal(0.4, 0.2, n_topics), np.linspace(0, 0.25, n_runs)[:, np.newaxis]
    return np.clip(topic + run + random.normal(0, 0.1, (n_runs, n_topics)), 0, 1)


def test_the_worked_example_of_the_paired_t_test():
    assert paired_t(SYSTEM_A, SYSTEM_B).p == pytest.approx(0.3056, abs=0.5e-4)


@given(st.integers(2, 60), st.integers(0, 10_000))
@examples(25)
def test_the_paired_t_test_equals_scipys(n_topics, seed):
    x, y = make_matrix(2, n_topics, seed)
    expected = stats.ttest_rel(x, y)
    if np.ptp(x - y) == 0:
        return
    found = paired_t(x, y)
    assert found.t == pytest.approx(expected.statistic, rel=1e-9)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    interval = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-9, abs=1e-12)
    assert found.effect_size == pytest.approx((x - y).mean() / (x - y).std(ddof=1), rel=1e-9)


def test_the_interval_of_a_mean_equals_scipys():
    matrix = make_matrix()
    for level in (0.9, 0.95, 0.99):
        low, high = mean_interval(matrix, level)
        expected = stats.t.interval(level, 49, loc=matrix.mean(axis=1), scale=stats.sem(matrix, axis=1))
        np.testing.assert_allclose((low, high), expected, rtol=1e-10)


@given(st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.02, 0.05])), max_size=30))
@examples(40)
def test_holms_correction_equals_statsmodels(p):
    expected = holm_of_statsmodels(p) if p else []
    np.testing.assert_allclose(holm(np.array(p)), expected, rtol=1e-12, atol=0)


def test_a_topic_for_which_a_run_has_no_value_is_left_out_of_its_comparisons_and_its_interval():
    matrix = make_matrix(3, 20)
    matrix[0, :5] = np.nan
    found = compare(matrix, np.array([[0, 2]]), "t")
    expected = stats.ttest_rel(matrix[0, 5:], matrix[2, 5:])
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    low, high = mean_interval(matrix)
    known = matrix[0, 5:]
    assert (low[0], high[0]) == pytest.approx(stats.t.interval(0.95, 14, loc=known.mean(), scale=stats.sem(known)))


def test_the_interval_holds_the_expected_mean_at_its_level_and_the_mean_of_other_topics_less_often():
    """2 * Phi(1.96 / sqrt(2)) - 1 = .834 for many topics."""
    random = np.random.default_rng(5)
    first, second = random.normal(size=(2, 4000, 50))
    low, high = mean_interval(first)
    assert ((low <= 0) & (high >= 0)).mean() == pytest.approx(0.95, abs=0.015)
    repeated = second.mean(axis=1)
    assert ((low <= repeated) & (repeated <= high)).mean() == pytest.approx(0.834, abs=0.025)


def test_the_interval_of_a_mean_is_far_too_narrow_where_few_values_are_nearly_all_the_same():
    """As of Success@10 of a run that answers 95 % of topics."""
    values = (np.random.default_rng(6).random((2000, 20)) < 0.95).astype(float)
    low, high = mean_interval(values)
    assert ((low <= 0.95) & (high >= 0.95)).mean() < 0.7
    of_ones = values.all(axis=1)
    assert of_ones.any()
    assert low[of_ones].tolist() == high[of_ones].tolist() == [1.0] * of_ones.sum()


def test_two_runs_of_equal_scores_do_not_differ():
    found = compare(np.array([SYSTEM_A, SYSTEM_A]), all_pairs(2), "t")
    assert (found.difference.tolist(), found.p.tolist(), found.effect_size.tolist()) == ([0.0], [1.0], [0.0])


def test_a_constant_difference_is_given_the_limits_and_not_the_noise_of_floating_point():
    x = np.array([0.20, 0.21, 0.22, 0.19, 0.17, 0.20, 0.21])
    found = paired_t(x, x + 0.20)
    assert np.ptp(x - (x + 0.20)) > 0, "the differences must carry rounding noise for this test to say something"
    assert (float(found.t), float(found.p), float(found.effect_size)) == (-np.inf, 2.0**-6, -np.inf)
    assert found.low == found.high == pytest.approx(-0.20)


def test_differences_that_are_only_rounding_noise_are_no_differences():
    x = np.array([0.1 + 0.2, 0.5, 0.7])
    found = paired_t(x, np.array([0.3, 0.5, 0.7]))
    assert (float(found.t), float(found.p)) == (0.0, 1.0)


def test_one_topic_tells_nothing():
    found = compare(np.array([[0.2], [0.9]]), all_pairs(2), "t")
    assert found.difference.tolist() == pytest.approx([-0.7])
    assert (found.p.tolist(), found.low.tolist()) == ([1.0], [-np.inf])
    assert [bound.tolist() for bound in mean_interval(np.array([[0.2]]))] == [[-np.inf], [np.inf]]


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (3, 2), (4, 0)])
def test_only_an_effect_size_from_too_few_topics_and_a_difference_without_one_are_not_a_number_and_nothing_warns(shape):
    matrices = [np.zeros(shape), np.ones(shape), np.arange(np.prod(shape), dtype=float).reshape(shape)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for matrix in matrices:
            found = compare(matrix, all_pairs(len(matrix)), "t", "holm")
            for values in (found.p, found.p_corrected, *mean_interval(matrix)):
                assert not np.isnan(values).any()
            assert np.isnan(found.difference).all() if not shape[1] else not np.isnan(found.difference).any()
            assert np.isnan(found.effect_size).all() if shape[1] < 2 else not np.isnan(found.effect_size).any()
