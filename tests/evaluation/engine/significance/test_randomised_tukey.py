"""Randomised Tukey HSD against permutations one by one, its level, and its repetition to the last bit."""

import numpy as np
import pytest
from scipy import stats

from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.randomised_tukey import _ranges, randomised_tukey
from tests.evaluation.engine.significance.values import make_matrix


def by_single_permutations(matrix: np.ndarray, resamples: int) -> np.ndarray:
    random = np.random.default_rng(99)
    ranges = np.array(
        [
            np.ptp(np.column_stack([random.permutation(column) for column in matrix.T]).mean(axis=1))
            for _ in range(resamples)
        ]
    )
    means = matrix.mean(axis=1)
    pairs = all_pairs(len(matrix))
    extent = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]])
    return np.array([(1 + (ranges >= one - 1e-12).sum()) / (1 + resamples) for one in extent])


@pytest.mark.parametrize(("n_runs", "n_topics"), [(3, 10), (8, 30)])
def test_shifted_orders_give_the_p_of_free_permutations(n_runs: int, n_topics: int) -> None:
    matrix = make_matrix(n_runs, n_topics, spread=0.12)
    found = randomised_tukey(matrix, all_pairs(n_runs), 20_000, seed=2)
    assert found.p == pytest.approx(by_single_permutations(matrix, 3000), abs=0.035)


def test_the_same_seed_gives_the_same_bytes() -> None:
    matrix = make_matrix(5, 15)
    first, again = (randomised_tukey(matrix, all_pairs(5), 2500, seed=4) for _ in range(2))
    assert first.p.tobytes() == again.p.tobytes()
    assert randomised_tukey(matrix, all_pairs(5), 2500, seed=5).p.tobytes() != first.p.tobytes()


def test_equal_runs_have_p_1() -> None:
    assert randomised_tukey(np.full((3, 5), 0.5), all_pairs(3), 100).p.tolist() == [1.0, 1.0, 1.0]


def test_under_the_null_hypothesis_few_boards_have_any_rejection() -> None:
    boards = 200
    rejected = 0
    for seed in range(boards):
        matrix = np.random.default_rng(seed).normal(0.4, 0.1, (8, 20)) + np.linspace(0, 0.5, 20)
        rejected += bool((randomised_tukey(matrix, all_pairs(8), 400, seed).p < 0.05).any())
    assert stats.binomtest(rejected, boards, 0.05).pvalue > 0.001


@pytest.mark.parametrize("n_topics", [2, 3, 5, 6, 20])
def test_shifted_orders_are_worth_as_many_resamples_as_independent_ones_also_with_few_topics(n_topics: int) -> None:
    matrix, drawn = np.random.default_rng(2).random((20, n_topics)), 10_000
    extreme = randomised_tukey(matrix, all_pairs(20), 200_000, seed=99).half_width
    shares = [(_ranges(matrix, drawn, np.random.default_rng(seed)) > extreme * n_topics).mean() for seed in range(60)]
    assert np.var(shares) < 2.2 * 0.05 * 0.95 / drawn
