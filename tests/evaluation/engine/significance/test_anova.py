"""Two-way ANOVA, Tukey HSD and comparisons with the best against statsmodels, scipy and simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from evaluation.engine.significance.anova import may_be_best, tukey_hsd, two_way_anova
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.studentized import largest_survival, range_survival
from tests.evaluation.engine.significance.values import make_matrix


def test_the_table_is_that_of_statsmodels() -> None:
    matrix = make_matrix(5, 12)
    runs, topics = np.indices(matrix.shape)
    frame = pd.DataFrame({"value": matrix.ravel(), "run": runs.ravel(), "topic": topics.ravel()})
    expected = anova_lm(ols("value ~ C(run) + C(topic)", frame).fit())
    found = two_way_anova(matrix)
    squares = (found.squares_of_runs, found.squares_of_topics, found.squares_left)
    assert squares == pytest.approx(tuple(expected["sum_sq"]))
    assert (found.f, found.p) == pytest.approx((expected["F"].iloc[0], expected["PR(>F)"].iloc[0]))


@pytest.mark.parametrize(("n_groups", "freedom"), [(2, 3), (3, 10), (20, 931), (100, 4851), (7, np.inf)])
def test_the_studentized_range_is_that_of_scipy(n_groups: int, freedom: float) -> None:
    q = np.array([0.0, 0.3, 1.0, 2.5, 3.7, 5.0, 8.0, 15.0])
    expected = stats.studentized_range.sf(q, n_groups, freedom)
    assert range_survival(q, n_groups, freedom) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 40])
@pytest.mark.parametrize("times", [1, 300])
def test_the_range_of_two_means_is_students_t_however_few_the_degrees_of_freedom(freedom: int, times: int) -> None:
    q = np.array([0.01, 0.5, 3.0, 20.0, 100.0, 1000.0, 1e5])
    found = range_survival(np.repeat(q, times), 2, freedom)[::times]
    assert found == pytest.approx(2 * stats.t.sf(q / np.sqrt(2), freedom), abs=1e-8)


def test_the_largest_of_several_differences_is_that_of_a_simulation() -> None:
    random = np.random.default_rng(1)
    means, error = random.normal(size=(200_000, 6)), np.sqrt(random.chisquare(12, 200_000) / 12)
    largest = (means[:, 1:] - means[:, :1]).max(axis=1) / (np.sqrt(2.0) * error)
    for d in (0.5, 1.5, 2.5):
        assert largest_survival(np.array([d]), 5, 12)[0] == pytest.approx((largest >= d).mean(), abs=0.005)


def test_tukey_of_two_runs_is_the_paired_t_test() -> None:
    matrix = make_matrix(2, 18)
    assert tukey_hsd(matrix, all_pairs(2))[0] == pytest.approx(stats.ttest_rel(*matrix).pvalue, abs=1e-7)


def test_the_best_run_is_among_those_that_may_be_best_at_the_level() -> None:
    means = np.array([0.0, 0.05, 0.1, 0.1, 0.1])
    missed = 0
    for seed in range(250):
        matrix = np.random.default_rng(seed).normal(means[:, np.newaxis], 0.2, (5, 25))
        missed += not may_be_best(matrix)[4]
    assert missed / 250 <= 0.07
    assert may_be_best(-matrix, less_is_better=True).tolist() == may_be_best(matrix).tolist()


def test_one_run_one_topic_equal_and_constantly_different_runs_are_decided() -> None:
    assert two_way_anova(np.array([[0.2, 0.3]])).p == 1.0
    assert two_way_anova(np.array([[0.2], [0.3]])).p == 1.0
    assert tukey_hsd(np.full((3, 4), 0.5), all_pairs(3)).tolist() == [1.0, 1.0, 1.0]
    apart = np.array([[0.1, 0.4, 0.2], [0.3, 0.6, 0.4]])
    assert (two_way_anova(apart).p, tukey_hsd(apart, all_pairs(2)).tolist()) == (0.0, [0.25])
    assert may_be_best(apart).tolist() == [False, True]
    assert may_be_best(np.array([[0.5]])).tolist() == [True]
