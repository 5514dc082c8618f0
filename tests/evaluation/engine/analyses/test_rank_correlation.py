"""Correlations of orders against slow second implementations."""

import math
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from evaluation.engine.analyses.rank_correlation import kendall_tau, rank_biased_overlap, spearman, tau_ap

few_values = st.integers(0, 3).map(float)
pairs = st.integers(2, 5).flatmap(lambda n: st.tuples(*[st.lists(few_values, min_size=n, max_size=n)] * 2))


def tau_by_pairs(x: list[float], y: list[float]) -> float:
    products = [np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in combinations(range(len(x)), 2)]
    untied = [sum(values[i] != values[j] for i, j in combinations(range(len(x)), 2)) for values in (x, y)]
    return float(sum(products) / math.sqrt(untied[0] * untied[1])) if all(untied) else math.nan


def tau_ap_by_orders(truth: list[float], estimate: list[float]) -> float:
    """The mean over all orders of the runs in which no estimate rises."""
    values = []
    for order in permutations(range(len(truth))):
        if any(estimate[a] < estimate[b] for a, b in pairwise(order)):
            continue
        total = 0.0
        for place in range(1, len(order)):
            better = [(np.sign(truth[above] - truth[order[place]]) + 1) / 2 for above in order[:place]]
            total += sum(better) / place
        values.append(2 * total / (len(truth) - 1) - 1)
    return float(np.mean(values))


@given(pairs)
def test_both_equal_their_slow_implementations_with_ties_on_either_side(
    scores: tuple[list[float], list[float]],
) -> None:
    x, y = scores
    assert kendall_tau(np.array(x), np.array(y)) == pytest.approx(tau_by_pairs(x, y), nan_ok=True)
    assert tau_ap(np.array(x), np.array(y)) == pytest.approx(tau_ap_by_orders(x, y))


def test_without_ties_an_exchange_at_the_top_costs_more_than_one_at_the_bottom() -> None:
    truth = np.arange(10.0)
    top, bottom = truth.copy(), truth.copy()
    top[[9, 8]], bottom[[0, 1]] = [8.0, 9.0], [1.0, 0.0]
    assert tau_ap(truth, top) < tau_ap(truth, bottom) < tau_ap(truth, truth) == 1.0
    assert tau_ap(truth, -truth) == -1.0
    assert kendall_tau(truth, top) == kendall_tau(truth, bottom)


def test_one_run_has_no_order() -> None:
    assert math.isnan(tau_ap(np.array([1.0]), np.array([1.0])))


def overlap_by_sets(x: list[float], y: list[float], p: float) -> float:
    """Agreement of sets at each depth; beyond the last rank both hold all runs, however far one goes on."""
    n, total = len(x), 0.0
    ranks = [[1 + sum(other > own for other in scores) for own in scores] for scores in (x, y)]
    for depth in range(1, 500):
        first, second = ({run for run in range(n) if of[run] <= depth} for of in ranks)
        total += (1 - p) * p ** (depth - 1) * 2 * len(first & second) / (len(first) + len(second))
    return total


@given(pairs)
def test_overlap_and_rank_correlation_equal_their_oracles_with_ties(scores: tuple[list[float], list[float]]) -> None:
    x, y = scores
    assert rank_biased_overlap(np.array(x), np.array(y)) == pytest.approx(overlap_by_sets(x, y, 0.9))
    expected = math.nan if len(set(x)) == 1 or len(set(y)) == 1 else spearmanr(x, y).statistic
    assert spearman(np.array(x), np.array(y)) == pytest.approx(expected, nan_ok=True)
