"""What the tests of a board promise, by simulation: docs/reference/significance.md has more of it."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.kinds_of_boards import KINDS, outcome
from benchmarks.significance import (
    FAMILY_WISE,
    FEW_TOPICS,
    OF_MARGINS,
    SPREADS,
    alike_in_tenths,
    any_rejection,
    at_margin,
    called_equivalent,
    close,
    equal,
    rank_ranges_hold,
    rank_sets_hold,
    smallest_p,
    spaced,
    unlike,
)
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.equivalence import equivalence
from evaluation.engine.significance.families import all_pairs
from tests.evaluation.page_of_simulations import boards_with_a_wrong_difference

TIMES = {"max-t": 200, "t": 600, "wilcoxon": 300, "sign": 600, "tukey": 150, "randomised-tukey": 100}
LEVELS = (0.05, 0.2, 0.5)
"""A board with equal runs says whether they differ at each: p that are too small show on fewer boards at the higher ones."""


@pytest.mark.parametrize(("test", "correction"), FAMILY_WISE)
def test_equal_runs_are_said_to_differ_on_no_more_boards_than_the_level_allows(test: str, correction: str) -> None:
    random = np.random.default_rng(8)
    smallest = np.array([smallest_p(equal(random), test, correction) for _ in range(TIMES[test])])
    for level in LEVELS:
        wrong = int((smallest < level).sum())
        assert stats.binomtest(wrong, TIMES[test], level, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize(("test", "correction"), FAMILY_WISE)
def test_the_rank_sets_of_close_runs_hold_all_true_ranks_on_19_of_20_boards(test: str, correction: str) -> None:
    random = np.random.default_rng(9)
    held = [rank_sets_hold(*spaced(random), test, correction) for _ in range(TIMES[test])]
    missed = sum(not all_ranks for all_ranks, _ in held)
    assert stats.binomtest(missed, TIMES[test], 0.05, alternative="greater").pvalue > 1e-3
    assert np.mean([found for _, found in held]) > 0.01, "some differences are found"


def test_without_a_correction_equal_runs_differ_on_most_boards() -> None:
    random = np.random.default_rng(10)
    assert sum(any_rejection(equal(random), "t", "none") for _ in range(50)) > 40


@pytest.mark.parametrize("kind", SPREADS)
def test_the_default_keeps_its_level_and_its_intervals_where_some_runs_vary_more_than_others(kind: str) -> None:
    random = np.random.default_rng(11)
    found = np.array([outcome(unlike(random, kind)) for _ in range(200)])
    for count in (int(found[:, 0].sum()), int((~found[:, 1]).sum())):
        assert stats.binomtest(count, len(found), 0.05, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize("topics", [10, 20, 50])
def test_the_default_is_wrong_no_more_often_than_pages_say_where_unlike_runs_are_skewed(topics: int) -> None:
    kind = "half and half, skewed"
    random, said = np.random.default_rng(21), boards_with_a_wrong_difference(kind)[topics] / 100
    wrong = sum(outcome(KINDS[kind](random, topics))[0] for _ in range(120))
    assert stats.binomtest(wrong, 120, said, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize(
    ("apart", "topics"), [((0.0, 1.0, 2.0, 3.0, 4.0), 10), ((0.0, 2.8), 10), ((0.0, 1.0, 2.0, 3.0, 4.0), 25)]
)
def test_intervals_of_the_default_hold_all_differences_also_where_runs_differ(
    apart: tuple[float, ...], topics: int
) -> None:
    """In standard deviations of the differences: flips of what differs say too little of how far an interval must go."""
    random, pairs, held = np.random.default_rng(22), all_pairs(len(apart)), 0
    true = np.array(apart) * np.sqrt(2)
    for _ in range(300):
        found = compare(true[:, np.newaxis] + random.normal(0, 1, (len(apart), topics)), pairs, "max-t", resamples=999)
        difference = true[pairs[:, 0]] - true[pairs[:, 1]]
        held += bool(((found.low <= difference) & (difference <= found.high)).all())
    assert stats.binomtest(held, 300, 0.95, alternative="less").pvalue > 1e-3


@pytest.mark.parametrize("test", ["randomised-tukey", "tukey"])
def test_a_test_that_needs_runs_that_vary_alike_finds_what_is_not_there_where_two_are_unlike(test: str) -> None:
    random = np.random.default_rng(12)
    assert sum(any_rejection(unlike(random, "18 alike, 2 wild"), test, "none") for _ in range(60)) > 9


def test_rank_ranges_hold_by_tests_of_means_where_runs_are_skewed_and_by_the_sign_test_they_do_not() -> None:
    missed = {}
    for test in ("t", "sign"):
        random = np.random.default_rng(14)
        boards = (close(random, "half and half", skewed=True) for _ in range(300))
        missed[test] = sum(not rank_ranges_hold(*board, test, "holm") for board in boards)
    assert stats.binomtest(missed["t"], 300, 0.05, alternative="greater").pvalue > 1e-3
    assert stats.binomtest(missed["sign"], 300, 0.05, alternative="greater").pvalue < 1e-3


@pytest.mark.parametrize(("test", "correction"), [("max-t", "none"), ("t", "holm")])
@pytest.mark.parametrize("topics", FEW_TOPICS)
def test_nothing_is_said_by_differences_that_few_topics_share(test: str, correction: str, topics: int) -> None:
    random = np.random.default_rng(13)
    wrong = sum(any_rejection(alike_in_tenths(random, topics), test, correction) for _ in range(200))
    assert stats.binomtest(wrong, 200, 0.05, alternative="greater").pvalue > 1e-3


KEPT = [*((kind, False) for kind in OF_MARGINS), *((kind, True) for kind in ("alike", *[*SPREADS][:2]))]


@pytest.mark.parametrize("topics", [5, 8, 25])
@pytest.mark.parametrize(("kind", "skewed"), KEPT)
def test_runs_that_differ_by_the_margin_are_called_equivalent_on_one_of_20_boards_at_most(
    kind: str, skewed: bool, topics: int
) -> None:
    random = np.random.default_rng(15)
    wrong = sum(called_equivalent(at_margin(random, kind, topics, skewed=skewed))[0] for _ in range(200))
    assert wrong / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize("topics", [5, 8, 25])
@pytest.mark.parametrize(("kind", "skewed"), [("alike", False), ("alike", True), ("half near, half wide", False)])
def test_so_are_two_runs_alone(kind: str, skewed: bool, topics: int) -> None:
    random = np.random.default_rng(16)
    boards = (at_margin(random, kind, topics, skewed=skewed)[[0, -1]] for _ in range(1_000))
    wrong = sum(called_equivalent(values)[0] for values in boards)
    assert wrong / 1_000 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1_000)


def test_pairs_that_are_skewed_to_one_side_are_called_equivalent_too_often_and_by_no_more_than_pages_say() -> None:
    for topics in (8, 15):
        random = np.random.default_rng(17)
        boards = (at_margin(random, "half near, half wide", topics, skewed=True)[[0, -1]] for _ in range(1_000))
        wrong = sum(called_equivalent(values)[0] for values in boards)
        assert stats.binomtest(wrong, 1_000, 0.05, alternative="greater").pvalue < 1e-3
        assert stats.binomtest(wrong, 1_000, 0.10, alternative="greater").pvalue > 1e-3
    random = np.random.default_rng(20)
    of_twenty = (at_margin(random, "half near, half wide", 15, skewed=True) for _ in range(400))
    wrong = sum(called_equivalent(values)[0] for values in of_twenty)
    assert stats.binomtest(wrong, 400, 0.05, alternative="greater").pvalue < 1e-2
    assert stats.binomtest(wrong, 400, 0.10, alternative="greater").pvalue > 1e-3


def test_runs_that_differ_on_few_topics_but_by_much_are_called_equivalent_more_often_still() -> None:
    random = np.random.default_rng(19)
    differences = random.normal(0, 0.001, (500, 25)) + (random.random((500, 25)) < 0.05)
    p = [equivalence(np.vstack([of_pair, np.zeros(25)]), all_pairs(2), 0.05).p[0] for of_pair in differences]
    assert np.mean(np.array(p) < 0.05) > 0.2


def test_equal_runs_are_called_equivalent_from_25_topics_on_where_the_margin_is_wide_for_them() -> None:
    random = np.random.default_rng(18)
    assert np.mean([called_equivalent(at_margin(random, "alike", 25, skewed=False))[1] for _ in range(50)]) > 0.8
