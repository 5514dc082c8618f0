"""The sign test and Wilcoxon's signed-rank test, against scipy and the field's worked examples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.engine.arrays import FloatArray
from evaluation.engine.significance import sign, wilcoxon
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.paired_t import paired_t
from tests.draws import examples

A = np.array([0.02, 0.39, 0.16, 0.58, 0.04, 0.09, 0.12])
B = np.array([0.76, 0.07, 0.37, 0.21, 0.02, 0.91, 0.46])
C = np.array([0.20, 0.21, 0.22, 0.19, 0.17, 0.20, 0.21])
FOUR_DECIMALS = {"abs": 0.5e-4, "rel": 0}
ONE_PAIR = np.array([[0, 1]])


def sign_test(x: FloatArray, y: FloatArray) -> float:
    return float(sign.sign_test(np.array([x, y]), ONE_PAIR)[0])


def wilcoxon_signed_rank(x: FloatArray, y: FloatArray, zeros: str = "drop") -> float:
    return float(wilcoxon.wilcoxon(np.array([x, y]), ONE_PAIR, zeros)[0])


def test_the_worked_example_of_two_unlike_systems():
    assert (A.mean().round(2), B.mean().round(2)) == (0.20, 0.40)
    assert sign_test(A, B) == pytest.approx(1.0, **FOUR_DECIMALS)
    assert wilcoxon_signed_rank(A, B) == pytest.approx(0.4688, **FOUR_DECIMALS)
    assert float(paired_t(A, B).p) == pytest.approx(0.3056, **FOUR_DECIMALS)


def test_the_worked_example_of_a_system_better_on_every_topic():
    assert sign_test(C, C + 0.20) == pytest.approx(0.0156, **FOUR_DECIMALS)
    assert wilcoxon_signed_rank(C, C + 0.20) == pytest.approx(0.0156, **FOUR_DECIMALS)


def test_runs_that_are_equal_everywhere_do_not_differ():
    assert (sign_test(A, A), wilcoxon_signed_rank(A, A)) == (1.0, 1.0)
    empty = np.array([])
    assert (sign_test(empty, empty), wilcoxon_signed_rank(empty, empty)) == (1.0, 1.0)


def test_differences_that_are_equal_but_for_their_last_digits_share_a_rank():
    x, y = np.array([0.3, 0.4, 0.9, 0.1]), np.array([0.2, 0.3, 0.8, 0.3])
    assert len(np.unique(np.abs(x - y)[:3])) == 2
    # Ranks 2, 2, 2 and, for the negative difference, 4: w = 6, and 7 of the 16 drawings come to 6 or more.
    drawings = [sum(2 * bit for bit in bits) + 4 * last for bits in np.ndindex(2, 2, 2) for last in (0, 1)]
    as_large, as_small = sum(w >= 6 for w in drawings) / 16, sum(w <= 6 for w in drawings) / 16
    assert wilcoxon_signed_rank(x, y) == pytest.approx(min(1.0, 2 * min(as_large, as_small)))


grades = st.integers(0, 12).map(lambda twelfths: twelfths / 12)


@given(st.lists(st.tuples(grades, grades), min_size=1, max_size=20))
@examples(100)
def test_the_sign_test_equals_the_binomial_test(pairs):
    x, y = np.array(pairs).T
    above, below = int((x > y).sum()), int((x < y).sum())
    expected = stats.binomtest(above, above + below).pvalue if above + below else 1.0
    assert sign_test(x, y) == pytest.approx(expected, abs=1e-12)


@given(
    st.lists(
        st.floats(-1, 1).filter(lambda d: abs(d) > 1e-3), min_size=1, max_size=25, unique_by=lambda d: round(abs(d), 9)
    )
)
@examples(100)
def test_wilcoxons_test_without_ties_equals_scipys_exact_one(differences):
    x = np.array(differences)
    expected = stats.wilcoxon(x, method="exact").pvalue
    assert wilcoxon_signed_rank(x, np.zeros(len(x))) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.tuples(grades, grades), min_size=1, max_size=10))
@examples(40)
def test_wilcoxons_test_with_ties_counts_all_drawings_of_signs(pairs):
    x, y = np.array(pairs).T
    d = np.round((x - y) * 12)
    d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    signs = np.array(list(np.ndindex(*[2] * len(d))))
    sums = signs @ ranks if len(d) else np.zeros(1)
    w = ranks[d > 0].sum()
    expected = min(1.0, 2 * min((sums <= w + 1e-9).mean(), (sums >= w - 1e-9).mean()))
    assert wilcoxon_signed_rank(x, y) == pytest.approx(expected, abs=1e-9)


def test_of_many_topics_the_ranks_are_taken_as_normal():
    rng = np.random.default_rng(3)
    x, y = rng.random(600), rng.random(600) + 0.03
    expected = stats.wilcoxon(x, y, method="asymptotic").pvalue
    assert wilcoxon_signed_rank(x, y) == pytest.approx(expected, abs=1e-12)
    few = slice(0, 50)
    exact = wilcoxon_signed_rank(x[few], y[few])
    assert exact == pytest.approx(stats.wilcoxon(x[few], y[few], method="exact").pvalue, abs=1e-9)


def test_one_large_value_does_not_hide_the_differences_of_the_others():
    x, y = np.array([1e13, 1, 1, 1, 1, 1, 1, 1]), np.array([1e13, 0, 0, 0, 0, 0, 0, 0])
    assert sign_test(x, y) == wilcoxon_signed_rank(x, y) == pytest.approx(2 / 2**7)


@given(st.lists(st.tuples(grades, grades), min_size=1, max_size=10))
@examples(40)
def test_by_pratt_equal_topics_are_ranked_and_then_left_out(pairs):
    x, y = np.array(pairs).T
    d = np.round((x - y) * 12)
    ranks = stats.rankdata(np.abs(d))[d != 0]
    sums = np.array(list(np.ndindex(*[2] * len(ranks)))) @ ranks if len(ranks) else np.zeros(1)
    w = ranks[d[d != 0] > 0].sum()
    expected = min(1.0, 2 * min((sums <= w + 1e-9).mean(), (sums >= w - 1e-9).mean()))
    assert wilcoxon_signed_rank(x, y, "pratt") == pytest.approx(expected, abs=1e-9)


def test_all_pairs_at_once_give_what_each_pair_gives_alone_also_where_a_run_lacks_topics():
    rng = np.random.default_rng(5)
    matrix = rng.integers(0, 11, (12, 30)) / 10
    matrix[3, 4:9] = np.nan
    matrix[4] = np.nan
    pairs = all_pairs(12)
    for test, alone in ((sign.sign_test, sign_test), (wilcoxon.wilcoxon, wilcoxon_signed_rank)):
        for (one, other), p in zip(pairs, test(matrix, pairs), strict=True):
            known = ~np.isnan(matrix[one] - matrix[other])
            assert p == pytest.approx(alone(matrix[one, known], matrix[other, known]), abs=1e-12)


def test_under_the_null_neither_test_rejects_more_often_than_its_level():
    rng = np.random.default_rng(11)
    matrix = rng.random((2 * 4000, 25))
    pairs = np.arange(2 * 4000).reshape(-1, 2)
    for p in (sign.sign_test(matrix, pairs), wilcoxon.wilcoxon(matrix, pairs)):
        assert stats.binomtest(int((p < 0.05).sum()), len(p), 0.05, alternative="greater").pvalue > 1e-4
