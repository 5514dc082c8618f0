"""Equivalence within a margin: two one-sided t-tests, beside scipy and statsmodels."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from evaluation.engine.significance.equivalence import EQUIVALENT, NOT_SHOWN, UNKNOWN, equivalence
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.paired_t import paired_t
from tests.evaluation.statsmodels_oracle import holm_of_statsmodels

DRAW = np.random.default_rng(5)
ONE_PAIR = np.array([[0, 1]])


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("n_topics", [2, 6, 30])
def test_p_is_the_larger_one_of_two_one_sided_tests_by_scipys_t_and_by_halls_formula(
    margin: float, n_topics: int
) -> None:
    values = DRAW.normal(0.5, 0.1, (5, n_topics)) + np.arange(5)[:, np.newaxis] * 0.02
    pairs = all_pairs(5)
    found = equivalence(values, pairs, margin)
    expected = []
    for one, other in pairs.tolist():
        differences = values[one] - values[other]
        a = float(stats.skew(differences)) / np.sqrt(n_topics)
        above, below = (float(stats.ttest_1samp(differences, at).statistic) for at in (-margin, margin))
        adjusted = [t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6 for t in (above, below)]
        of_all = [
            (stats.t.sf(up, n_topics - 1), stats.t.cdf(low, n_topics - 1)) for up, low in ((above, below), adjusted)
        ]
        expected.append(max(*of_all[0], *of_all[1], 2.0 ** (1 - n_topics)))
    assert found.p == pytest.approx(np.array(expected), rel=1e-4)
    assert found.p_corrected == pytest.approx(holm_of_statsmodels(found.p))


def test_p_of_symmetric_differences_is_that_of_statsmodels() -> None:
    for margin in (0.01, 0.05, 0.1):
        half = DRAW.normal(0, 0.1, 10)
        values = np.vstack([0.5 + np.concatenate([half, -half]), np.full(20, 0.49)])
        p = ttost_paired(values[0], values[1], -margin, margin)[0]
        assert equivalence(values, ONE_PAIR, margin).p[0] == pytest.approx(max(p, 2.0**-19))


def test_a_topic_that_a_run_lacks_is_left_out_of_its_pairs_alone() -> None:
    values = DRAW.normal(0.5, 0.1, (3, 20))
    values[2, :4] = np.nan
    found, of_all = equivalence(values, all_pairs(3), 0.1), equivalence(values[:, 4:], all_pairs(3), 0.1)
    assert found.p[1:] == pytest.approx(of_all.p[1:])
    assert found.p[0] != pytest.approx(of_all.p[0])


@pytest.mark.parametrize(
    "values",
    [
        np.array([[0.3], [0.3]]),
        np.full((2, 50), 0.5),
        np.array([[0.1, 0.2, 0.3, 0.4, 0.7], [0.2, 0.3, 0.4, 0.5, 0.8]]),
        np.array([[0.1, np.nan, 0.3], [np.nan, 0.3, np.nan]]),
        np.array([[0.1, np.nan, np.nan], [0.1, 0.3, np.nan]]),
        np.empty((2, 0)),
    ],
    ids=["one topic", "equal runs", "constant in tenths", "no topic in common", "one in common", "no topics"],
)
def test_where_nothing_can_be_told_there_is_no_number(values: np.ndarray) -> None:
    found = equivalence(values, ONE_PAIR, 0.2)
    assert np.isnan(found.p).all()
    assert np.isnan(found.p_corrected).all()
    assert found.in_words(0.05) == [UNKNOWN]


def test_pairs_of_which_nothing_can_be_told_count_among_those_that_are_corrected_for() -> None:
    values = DRAW.normal(0.5, 0.01, (4, 20))
    values[3] = values[2]
    found = equivalence(values, all_pairs(4), 0.01)
    assert np.isnan(found.p).sum() == 1
    assert np.nanmin(found.p_corrected) == pytest.approx(6 * np.nanmin(found.p))


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=12), st.sampled_from([0.05, 0.1, 1.0, 100.0]))
def test_no_p_is_below_what_the_signs_of_so_few_topics_can_give(tenths: list[int], margin: float) -> None:
    differences = np.array(tenths) / 10
    [p] = equivalence(np.array([differences, np.zeros(len(tenths))]), ONE_PAIR, margin).p
    assert np.isnan(p) == (len(set(tenths)) == 1)
    assert np.isnan(p) or 2.0 ** (1 - len(tenths)) <= p <= 1


def test_a_wider_margin_never_gives_a_larger_p_and_order_and_sign_do_not_matter() -> None:
    values, pairs = DRAW.normal(0.5, 0.1, (5, 12)), all_pairs(5)
    by_margin = [equivalence(values, pairs, margin).p for margin in (0.01, 0.02, 0.05, 0.2)]
    assert all((wider <= narrower).all() for narrower, wider in pairwise(by_margin))
    assert equivalence(values, pairs[:, ::-1], 0.05).p == pytest.approx(by_margin[2])
    assert equivalence(-values, pairs, 0.05).p == pytest.approx(by_margin[2])


def test_a_difference_beyond_the_margin_is_not_shown_to_be_equivalent() -> None:
    values = np.vstack([np.zeros(50), DRAW.normal(0.1, 0.01, 50), DRAW.normal(0.0, 0.01, 50)])
    assert equivalence(values, all_pairs(3), 0.05).in_words(0.05) == [NOT_SHOWN, EQUIVALENT, NOT_SHOWN]


def test_equivalent_runs_can_be_shown_to_differ_as_well() -> None:
    values = np.vstack([np.zeros(50), DRAW.normal(0.01, 0.005, 50)])
    assert equivalence(values, ONE_PAIR, 0.05).in_words(0.05) == [EQUIVALENT]
    assert paired_t(values[0], values[1]).p < 0.001


@pytest.mark.parametrize("margin", [0.0, -0.1, np.nan, np.inf])
def test_a_margin_is_a_number_above_0(margin: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        equivalence(np.zeros((2, 5)), ONE_PAIR, margin)
