"""Groups by letters and sets of ranks follow from the tests of all pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.corrections import CORRECTED, resamples_needed
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.groups import (
    groups_as_ranges,
    letter_groups,
    letters,
    rank_sets,
    run_by_run,
)
from evaluation.engine.significance.randomised_tukey import randomised_tukey
from evaluation.engine.significance.standing import TOO_MANY_GROUPS, standing
from tests.draws import examples


@given(st.integers(1, 8), st.integers(0, 2**28 - 1))
@examples(60)
def test_two_runs_share_a_letter_exactly_if_they_do_not_differ(n_runs: int, bits: int) -> None:
    differs = np.zeros((n_runs, n_runs), dtype=bool)
    for number, (one, other) in enumerate(combinations(range(n_runs), 2)):
        differs[one, other] = differs[other, one] = bits >> number & 1
    groups = letter_groups(differs)
    of_runs = [set(text.split()) if len(groups) > 26 else set(text) for text in letters(groups, n_runs)]
    for one, other in combinations(range(n_runs), 2):
        assert bool(of_runs[one] & of_runs[other]) == (not differs[one, other])
    assert all(of_runs)
    assert not any(set(one) < set(other) for one in groups for other in groups)


@given(st.lists(st.integers(0, 20), max_size=12), st.integers(0, 20))
@examples(60)
def test_with_one_critical_difference_the_groups_are_ranges_found_at_once(places: list[int], critical: int) -> None:
    means = np.sort(np.array(places, dtype=float))
    differs = np.abs(means[:, np.newaxis] - means) > critical
    assert groups_as_ranges(differs) == run_by_run(differs)


def insert_and_absorb(differs: np.ndarray) -> list[list[int]]:
    """Piepho, 2004: split every group by each pair that differs; what another group holds is absorbed."""
    groups = [frozenset(range(len(differs)))]
    for one, other in zip(*np.nonzero(np.triu(differs, 1)), strict=True):
        split = [group - {run} if {one, other} <= group else group for group in groups for run in (one, other)]
        groups = [group for group in set(split) if not any(group < there for there in split)]
    return sorted(sorted(group) for group in groups)


@given(st.integers(1, 9), st.integers(0, 2**36 - 1))
@examples(60)
def test_groups_found_run_by_run_are_those_of_insert_and_absorb(n_runs: int, bits: int) -> None:
    differs = np.zeros((n_runs, n_runs), dtype=bool)
    for number, (one, other) in enumerate(combinations(range(n_runs), 2)):
        differs[one, other] = differs[other, one] = bits >> number & 1
    assert run_by_run(differs) == insert_and_absorb(differs)


def kinds_of_pairs(n_kinds: int, copies: int) -> np.ndarray:
    """Pairs of kinds of runs of which both differ, and each kind so many times: 2 to the number of pairs are the groups."""
    of_kinds = np.kron(np.eye(n_kinds, dtype=bool), np.array([[False, True], [True, False]]))
    return np.kron(of_kinds, np.ones((copies, copies), dtype=bool))


def test_groups_that_would_be_exponentially_many_are_not_looked_for() -> None:
    assert letter_groups(kinds_of_pairs(30, 1)) == []
    assert len(letter_groups(kinds_of_pairs(7, 1))) == 2**7


def test_whether_1000_runs_get_letters_hangs_on_the_number_of_groups_and_not_on_the_order_of_the_runs() -> None:
    """Insert and absorb looks at more than 200 groups on the way, and took 23 seconds of an order in which it did not."""
    differs = kinds_of_pairs(7, 71)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(differs))
        found = letter_groups(differs[np.ix_(order, order)])
        assert (len(found), {len(group) for group in found}) == (2**7, {7 * 71})


def test_the_letters_of_200_runs_by_tests_of_single_pairs_come_to_an_end_and_say_where_there_are_none() -> None:
    """As of `compare --test t`, whose critical difference is another one for each pair."""
    draws = np.random.default_rng(3)
    values = (
        draws.normal(size=(200, 50)) * draws.uniform(0.05, 0.2, (200, 1)) + np.linspace(0.3, 0.5, 200)[:, np.newaxis]
    )
    found = compare(values, all_pairs(200), "t", "holm")
    stands = standing(values.mean(axis=1), found.pairs, found.p_corrected)
    assert stands.letters == [""] * 200
    assert stands.notes == (TOO_MANY_GROUPS,)
    few = standing(values[:5].mean(axis=1), all_pairs(5), np.ones(10))
    assert (few.letters, few.notes) == (["a"] * 5, ())


def test_sets_of_ranks_hold_all_true_ranks_as_often_as_they_should() -> None:
    held, boards = 0, 120
    means = np.linspace(0.3, 0.5, 8)
    for seed in range(boards):
        matrix = np.random.default_rng(seed).normal(means[:, np.newaxis], 0.15, (8, 30))
        p = randomised_tukey(matrix, all_pairs(8), 400, seed).p
        best, worst = rank_sets(p, matrix.mean(axis=1), all_pairs(8))
        true = np.arange(8, 0, -1)
        held += bool(((best <= true) & (true <= worst)).all())
    assert held / boards >= 0.93


@pytest.mark.parametrize(("name", "of_statsmodels"), [("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh")])
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=30))
@examples(30)
def test_corrections_are_those_of_statsmodels(name: str, of_statsmodels: str, p: list[float]) -> None:
    expected = multipletests(p, method=of_statsmodels)[1]
    np.testing.assert_allclose(CORRECTED[name](np.array(p)), expected, rtol=1e-12, atol=1e-300)


def test_enough_resamples_let_the_smallest_p_be_significant_after_correction() -> None:
    assert 1 / (1 + resamples_needed(4950)) * 4950 < 0.05
