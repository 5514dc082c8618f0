"""What assessors of several topics, other judgments, and other draws add to the uncertainty of a mean."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

from benchmarks.error_budget import assessors_told, boards_hold, draws_told, intervals_hold
from benchmarks.judged_samples import SAMPLED
from evaluation.engine.judgment_kinds import PROBABILITIES, STRATA
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.strata import strata_of
from evaluation.engine.reliability.error_budget import (
    deviation_by_assessors,
    deviation_by_draws,
    half_width,
    half_width_over_groups,
    topics_sharing_nobody,
)
from evaluation.engine.reliability.redrawing import strata_of_one, thinned
from evaluation.engine.significance.paired_t import mean_interval

PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 5)), max_size=20)
SEEDS = st.integers(0, 2**32 - 1)


@given(PAIRS)
def test_groups_of_topics_are_the_connected_ones_and_the_order_of_judgments_changes_nothing(
    pairs: list[tuple[int, int]],
) -> None:
    topics = [str(number) for number in range(8)]
    judged = [(str(topic), f"A{person}") for topic, person in pairs]
    found = topics_sharing_nobody(judged, topics)
    if {topic for topic, _ in judged} != set(topics):
        assert found is None
        return
    ties = sparse.coo_matrix((np.ones(len(pairs)), ([t for t, _ in pairs], [8 + p for _, p in pairs])), (14, 14))
    _, labels = sparse.csgraph.connected_components(ties, directed=False)
    same = labels[:8, np.newaxis] == labels[np.newaxis, :8]
    assert found is not None
    assert ((found[:, np.newaxis] == found[np.newaxis]) == same).all()
    assert set(found.tolist()) == set(range(found.max() + 1))
    for other in (judged[::-1], judged[1:] + judged[:1], set(judged)):
        assert np.array_equal(topics_sharing_nobody(other, topics), found)


def plain_half_width(values: np.ndarray, groups: list[int]) -> float:
    """One row by loops."""
    mean, names = values.mean(), sorted(set(groups))
    without = [np.mean([v for v, g in zip(values, groups, strict=True) if g != name]) for name in names]
    variance = (len(names) - 1) / len(names) * sum((one - mean) ** 2 for one in without)
    share = [groups.count(name) / len(groups) for name in names]
    trace, squares = 0.0, 0.0
    for a, of_a in enumerate(share):
        for b, of_b in enumerate(share):
            element = ((a == b) * of_a - of_a * of_b) / ((1 - of_a) * (1 - of_b))
            trace, squares = trace + (a == b) * element, squares + element**2
    by_groups = stats.t.ppf(0.975, trace**2 / squares) * np.sqrt(variance)
    by_topics = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return float(max(by_groups, by_topics))


@given(SEEDS, st.lists(st.integers(1, 6), min_size=5, max_size=9))
def test_the_interval_over_groups_equals_plain_loops_whatever_the_order_and_is_never_narrower(
    seed: int, sizes: list[int]
) -> None:
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    values = random.random((3, len(groups)))
    found = half_width_over_groups(values, groups)
    assert found is not None
    assert found == pytest.approx([plain_half_width(row, groups.tolist()) for row in values], rel=1e-9)
    assert (found >= half_width(values)).all()
    topics, runs, names = (random.permutation(n) for n in (len(groups), 3, len(sizes)))
    turned = half_width_over_groups(values[runs][:, topics], names[groups][topics])
    assert turned == pytest.approx(found[runs], rel=1e-9)


def test_with_an_assessor_for_each_topic_it_is_the_interval_of_the_board_and_of_equal_groups_that_of_their_means() -> (
    None
):
    values = np.random.default_rng(3).random((4, 30))
    low, high = mean_interval(values)
    assert half_width(values) == pytest.approx((high - low) / 2, rel=1e-12)
    assert half_width_over_groups(values, np.arange(30)).tolist() == half_width(values).tolist()
    shifted = values + np.repeat(np.arange(6.0), 5)
    of_means = stats.t.ppf(0.975, 5) * stats.sem(shifted.reshape(4, 6, 5).mean(axis=2), axis=1)
    assert half_width_over_groups(shifted, np.repeat(np.arange(6), 5)) == pytest.approx(of_means, rel=1e-9)


def test_of_few_groups_there_is_no_interval() -> None:
    values = np.random.default_rng(3).random((2, 50))
    assert half_width_over_groups(values, np.zeros(50, dtype=np.int64)) is None
    assert half_width_over_groups(values, np.arange(50) % 4) is None
    assert half_width_over_groups(values[:, :4], np.arange(4)).tolist() == half_width(values[:, :4]).tolist()
    assert half_width_over_groups(values, np.arange(50) % 5) is not None


@pytest.mark.parametrize("leaning", ["normal", "skewed"])
def test_the_interval_of_boards_holds_what_assessors_add_to_one_topic_and_that_over_groups_what_they_add_to_several(
    leaning: str,
) -> None:
    def held(sizes: list[int]) -> tuple[float, float, float]:
        return intervals_hold(np.random.default_rng(1), 2000, sizes, 0.3, leaning)

    own, shared, few, one = held([1] * 50), held([5] * 10), held([10] * 5), held([50])
    assert own[0] == own[1] > 0.92
    assert shared[0] < 0.85
    assert shared[1] > 0.92
    assert few[0] < 0.75
    assert few[1] > 0.91
    assert one[0] < 0.4
    assert held([30, 10, 5, 3, 2])[1] > 0.95


def test_where_one_assessor_in_five_leans_the_interval_over_groups_holds_less_often_and_as_often_as_pages_say() -> None:
    held = [
        intervals_hold(np.random.default_rng(1), 4000, [50 // n] * n, share, "one in five leans")[1]
        for share, n in ((0.6, 5), (0.3, 5), (0.3, 10))
    ]
    assert 0.68 < held[0] < 0.75
    assert 0.85 < held[1] < 0.91 < held[2] < 0.95


def test_what_assessors_and_draws_move_equals_plain_loops() -> None:
    values = np.random.default_rng(5).random((2, 3, 7))
    half_squares = [[(a - b) ** 2 / 2 for a, b in zip(*of_row, strict=True)] for of_row in values.swapaxes(0, 1)]
    expected = [np.sqrt(sum(row) / 7 / 50) for row in half_squares]
    assert deviation_by_assessors(values, 50) == pytest.approx(expected)
    draws = np.random.default_rng(6).random((9, 3, 7))
    plain = [np.sqrt(sum(np.var(draws[:, row, topic], ddof=1) for topic in range(7))) / 7 for row in range(3)]
    assert deviation_by_draws(draws) == pytest.approx(plain)


def test_topics_judged_twice_tell_what_assessors_of_their_own_add_and_little_of_what_two_people_add_to_all() -> None:
    for leaning in ("normal", "skewed"):
        own, two = (
            assessors_told(np.random.default_rng(1), 3000, leaning, two_people=shared) for shared in (False, True)
        )
        assert own == pytest.approx(1.0, abs=0.05)
        assert two < 0.5


def sample(grades: list[int], pooled: int, topics: int) -> Judgments:
    """The same stratum in so many topics: the first documents are judged."""
    n = topics * pooled
    topic, codes = np.repeat(np.arange(topics), pooled), np.arange(n)
    grade = np.tile(grades + [-1] * (pooled - len(grades)), topics)
    names = tuple(f"{number:06d}" for number in range(topics))
    docno = np.array([f"d{number:09d}" for number in range(n)], dtype=object)
    return Judgments(names, docno, topic, grade, codes, topic, grade, topics, stratum=np.zeros(n, dtype=np.int64))


@pytest.mark.parametrize(
    ("grades", "pooled"), [([1, 0], 30), ([1, 0, 0, 1, 1], 20), ([1, 0, 0, 1, 1, 1, 0], 9), ([1, 0, 0], 4)]
)
def test_means_of_thinned_strata_vary_as_the_mean_of_the_sample_does_by_theory(grades: list[int], pooled: int) -> None:
    topics, n = 20_000, len(grades)
    grade = thinned(sample(grades, pooled, topics), STRATA, np.random.default_rng(2)).grade.reshape(topics, pooled)
    kept = grade >= 0
    assert kept.sum(axis=1).min() >= 1
    assert not kept[:, n:].any()
    means = np.where(kept, grade, 0).sum(axis=1) / kept.sum(axis=1)
    by_theory = (1 / n - 1 / pooled) * np.var(grades, ddof=1)
    assert np.square(means - np.mean(grades)).mean() == pytest.approx(by_theory, rel=0.05)


def test_totals_of_thinned_probabilities_vary_as_that_of_the_sample_does_by_theory() -> None:
    topics, p = 40_000, np.array([1.0, 0.8, 0.3, 0.05, np.nan])
    judgments = replace(sample([1, 1, 1, 1], 5, topics), stratum=None, probability=np.tile(p, topics))
    found = thinned(judgments, PROBABILITIES, np.random.default_rng(2)).probability.reshape(topics, 5)
    assert (found[:, 0] == 1.0).all()
    assert np.isnan(found[:, 4]).all()
    totals = np.nansum(1 / found, axis=1)
    known = p[:4]
    assert totals.mean() == pytest.approx((1 / known).sum(), rel=0.01)
    assert totals.var() == pytest.approx(((1 - known) / known**2).sum(), rel=0.04)


def test_what_is_judged_whole_is_not_thinned_and_strata_of_one_are_counted() -> None:
    whole = sample([1, 0, 2], 3, 4)
    assert thinned(whole, STRATA, np.random.default_rng(1)).grade.tolist() == whole.grade.tolist()
    assert strata_of_one(whole) == 0
    single = sample([1], 3, 4)
    assert thinned(single, STRATA, np.random.default_rng(1)).grade.tolist() == single.grade.tolist()
    assert strata_of_one(single) == 4
    assert strata_of(whole).sampled.tolist() == [3] * 4


@pytest.mark.parametrize("sampled", [SAMPLED[2], SAMPLED[3], SAMPLED[6]], ids=lambda one: one.measure)
def test_estimates_from_thinned_samples_vary_nearly_as_those_of_other_draws_do(sampled: object) -> None:
    true, told = draws_told(np.random.default_rng(1), sampled, 8, 30)
    assert (told / true) == pytest.approx(np.ones(2), abs=0.35)


def test_the_interval_of_boards_holds_what_a_draw_for_each_topic_adds() -> None:
    held = boards_hold(np.random.default_rng(1), SAMPLED[6], 60)
    assert (held > 0.9).all()


def test_no_interval_holds_the_bias_of_an_estimate() -> None:
    of_means, _ = boards_hold(np.random.default_rng(1), SAMPLED[0], 40)
    assert of_means[0] < 0.8 < 0.9 < of_means[1]
