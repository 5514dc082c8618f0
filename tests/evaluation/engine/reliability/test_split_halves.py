"""Halves of topics: against all ways of halving few topics, and the properties of a draw."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest, kendalltau

from benchmarks.intervals import halves_hold
from evaluation.engine.analyses.rank_correlation import kendall_tau
from evaluation.engine.analyses.tau_interval import widened
from evaluation.engine.reliability.split_halves import split_halves
from tests.evaluation.engine.reliability.far_values import values_with_a_tail


def test_many_draws_come_to_the_mean_over_all_halvings() -> None:
    scores = np.random.default_rng(3).random((5, 6)).round(1)
    every = []
    for half in combinations(range(6), 3):
        rest = [topic for topic in range(6) if topic not in half]
        means = [[round(sum(row[topic] for topic in of) / 3, 12) for row in scores] for of in (half, rest)]
        every.append(kendalltau(*means).statistic)
    drawn = split_halves(scores, draws=4000, seed=2).known
    assert {round(tau, 9) for tau in drawn} == {round(tau, 9) for tau in every if not np.isnan(tau)}
    assert drawn.mean() == pytest.approx(np.nanmean(every), abs=0.02)


def test_of_an_odd_number_of_topics_one_is_in_neither_half() -> None:
    scores = np.random.default_rng(3).random((4, 3))
    found = split_halves(scores, draws=50)
    single = {round(kendalltau(scores[:, a], scores[:, b]).statistic, 9) for a, b in combinations(range(3), 2)}
    assert found.topics == 1
    assert {round(tau, 9) for tau in found.tau} == single


def test_the_same_seed_draws_the_same_halves() -> None:
    scores = np.random.default_rng(3).random((8, 9))
    assert split_halves(scores, seed=4).tau.tolist() == split_halves(scores, seed=4).tau.tolist()
    assert split_halves(scores, seed=4).tau.tolist() != split_halves(scores, seed=5).tau.tolist()


def test_equal_runs_have_no_order_to_compare() -> None:
    assert not len(split_halves(np.tile(np.array([0.1, 0.2, 0.7]), (3, 1)), draws=5).known)


@pytest.mark.parametrize("shape", [(1, 5), (5, 1)])
def test_one_run_or_one_topic_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="two runs and two topics"):
        split_halves(np.zeros(shape))


@pytest.mark.parametrize("noise", ["normal", "skewed"])
def test_the_tau_of_two_new_sets_of_topics_lies_in_the_interval_in_about_19_of_20_collections(noise: str) -> None:
    random = np.random.default_rng(8)
    found = [halves_hold(random, 20, 25, noise) for _ in range(150)]
    missed = sum(not held for held, _ in found)
    assert binomtest(missed, len(found), 0.07, alternative="greater").pvalue > 1e-3
    assert sum(not held for _, held in found) > missed + 5, "the range of the draws is too narrow"


@pytest.mark.parametrize("tail", [1.0, 1.5])
def test_where_a_few_values_lie_far_from_all_others_the_interval_holds_in_7_to_9_of_10_cases(tail: float) -> None:
    random, held = np.random.default_rng(3), 0
    for _ in range(100):
        quality = random.normal(0, 0.05, 20)
        now, *new = (values_with_a_tail(random, quality, topics, tail) for topics in (20, 10, 10))
        drawn = split_halves(now, draws=400).known
        low, high = widened(float(drawn.mean()), drawn, 20)
        held += low <= kendall_tau(*(values.mean(axis=1) for values in new)) <= high
    assert 60 <= held <= 95


def test_where_runs_differ_on_few_topics_the_interval_holds_in_about_8_of_10_cases() -> None:
    random = np.random.default_rng(4)
    assert 65 <= sum(halves_hold(random, 5, 20, "few topics")[0] for _ in range(100)) <= 93
