"""What the tests of a board assume: the sentences, and the page that has them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from evaluation.analysis.assumptions.words import in_words
from evaluation.boards.board import Board, RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.computing import compute_board
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.diagnostics import diagnostics
from evaluation.engine.significance.families import all_pairs
from evaluation.services.leaderboards import leaderboard_publish
from tests.evaluation.analysis.makers import make_scored_task, page, status
from tests.evaluation.page_of_simulations import boards_with_a_wrong_difference
from tests.factories import Cast

DEFAULT = Choice()


def told(values: np.ndarray, choice: Choice = DEFAULT, n_measures: int = 1) -> dict[str, str]:
    facts = [RunFacts(str(place), "team", "automatic", values.shape[1]) for place in range(len(values))]
    topics = [str(topic) for topic in range(values.shape[1])]
    board: Board = compute_board(facts, ["AP"], topics, values[:, np.newaxis], choice).board
    found = diagnostics(values, all_pairs(len(values)), choice.test, choice.correction, seed=choice.seed)
    return {title: " ".join(sentences) for title, sentences in in_words(found, board.columns[0], choice, n_measures)}


DRAW = np.random.default_rng(11)
ALIKE = DRAW.normal(0.5, 0.05, (6, 40))
UNLIKE = ALIKE + np.vstack([np.zeros((5, 40)), DRAW.normal(0, 0.4, (1, 40))])
SKEWED = DRAW.exponential(0.1, (6, 40)) * np.array([[1], [1], [1], [9], [9], [9]])


def test_a_test_that_needs_runs_alike_is_cautioned_where_they_are_not() -> None:
    caution = (
        "This test assumes that all pairs vary alike. Here they do not: it can show differences that are not there."
    )
    for test in ("tukey", "randomised-tukey"):
        assert caution in told(UNLIKE, Choice(test, "none", resamples=100))["Spread"]
        assert caution not in told(ALIKE, Choice(test, "none", resamples=100))["Spread"]
    for choice in (Choice(), Choice("t", "holm")):
        assert caution not in told(UNLIKE, choice)["Spread"]


def test_skewed_pairs_are_counted_and_what_follows_is_said_by_the_kind_of_the_test() -> None:
    for choice, said in ((Choice(), "can still be too small"), (Choice("t", "holm"), "can be too small or too large")):
        assert said in told(SKEWED, choice)["Symmetry"]
        assert "can" not in told(ALIKE, choice)["Symmetry"]
    shares = boards_with_a_wrong_difference("half and half, skewed")
    assert (
        f"{shares[10]:.0f} % of boards of 10 topics, {shares[20]:.0f} % of 20 and {shares[50]:.0f} % of 50"
        in (told(SKEWED)["Symmetry"])
    )
    assert "favour different runs" in told(SKEWED, Choice("wilcoxon", "holm"))["Symmetry"]
    assert "Symmetry" not in told(SKEWED[:, :4]), "of 4 topics no skewness is beyond the limit"


def test_ties_draws_measures_and_too_few_topics_are_told() -> None:
    twins = np.vstack([ALIKE[:3], ALIKE[:1]])
    assert told(twins)["Ties"] == "1 pair has equal values on every topic: no test tells such runs apart."
    assert "Ties" not in told(ALIKE)
    assert told(ALIKE)["Resampling"].startswith(
        "10,000 resamples: at least 19 times in 20 other draws would give a p of 0.05 within ± 0.0043"
    )
    assert "resamples: mostly other draws would give" in told(ALIKE, Choice("randomised-tukey"))["Resampling"]
    assert "Resampling" not in told(ALIKE, Choice("t", "holm"))
    assert "up to 7 times as probable" in told(ALIKE, n_measures=7)["Several measures"]
    assert "Several measures" not in told(ALIKE)
    assert told(ALIKE[:, :4])["Smallest difference"] == "With 4 topics no difference can be shown, however large."
    assert "Smallest difference" not in told(ALIKE, Choice("sign", "holm"))


def test_exact_tests_are_said_to_be_exact() -> None:
    for choice in (Choice(), Choice("randomisation", "holm")):
        assert told(ALIKE[:, :8], choice)["Resampling"] == "All flips of topics are counted: p has no error of drawing."


def test_the_error_of_a_drawn_p_is_that_of_the_corrected_one() -> None:
    """Of the smallest p after Holm, near the level, over many seeds."""
    values = DRAW.normal(0, 1, (6, 30))
    values[0] += np.round(2.05 * values.std() / 5, 2)
    choice = Choice("randomisation", "holm", resamples=2_000)
    error = float(told(values, choice)["Resampling"].rpartition("± ")[2].rstrip("."))
    assert error == pytest.approx(1.96 * np.sqrt(15 * 0.05 * (1 - 0.05 / 15) / 2_000), rel=0.05)
    drawn = [
        compare(values, all_pairs(6), "randomisation", "holm", seed=seed, resamples=2_000).p_corrected.min()
        for seed in range(60)
    ]
    centre = float(np.median(drawn))
    scaled = error * np.sqrt(centre / 0.05)
    assert np.mean(np.abs(np.array(drawn) - centre) <= scaled) > 0.85


def test_of_teams_the_smallest_difference_goes_by_all_pairs_that_were_tested() -> None:
    pairs, values = np.array([[0, 1]]), DRAW.normal(0, 1, (20, 25))
    alone, among_all = (diagnostics(values, pairs, family=family).least_shown for family in (None, all_pairs(20)))
    assert among_all > 1.3 * alone


@pytest.mark.parametrize(("n_runs", "n_topics"), [(6, 5), (10, 15), (30, 25)])
def test_runs_that_vary_alike_are_called_unlike_on_few_boards(n_runs: int, n_topics: int) -> None:
    found = [diagnostics(DRAW.normal(0, 1, (n_runs, n_topics)), all_pairs(n_runs), "tukey") for _ in range(60)]
    assert np.mean([one.most_deviation > one.alike_up_to * one.least_deviation for one in found]) < 0.15


@pytest.mark.parametrize("test", TESTS)
def test_every_test_says_what_it_assumes_and_what_a_board_leaves_open(test: str) -> None:
    correction = "none" if TESTS[test].holds_together else "holm"
    said = told(
        ALIKE, replace(Choice(), test=test, correction=correction, resamples=200 if TESTS[test].resamples else None)
    )
    assert said["Assumption"] == TESTS[test].assumes
    assert said["Not significantly different"].startswith("This is no evidence that two runs are equal")
    assert ("p and intervals are about the means" in said["Conditions"]) == TESTS[test].of_means
    assert "Documents without a judgment count as not relevant." in said["Conditions"]


def test_equivalence_is_told_by_the_margin_of_the_measure_or_that_none_was_named() -> None:
    assert told(ALIKE)["Equivalence"] == "No equivalence margin was named before there were scores."
    named = replace(DEFAULT, margin=0.02, margin_measure="AP", margin_named_at="2026-11-28T09:30:00+00:00")
    assert "within ± 0.02" in told(ALIKE, named)["Equivalence"]
    of_another = told(ALIKE, replace(named, margin_measure="RR"))["Equivalence"]
    assert of_another == (
        "Equivalence margin: 0.02 by RR, named on 2026-11-28 at 09:30 UTC, before there were scores. By AP none was named."
    )


@pytest.mark.django_db
def test_the_page_stands_below_every_board_and_a_board_folds_it(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    for user, name, number in ((cast.organiser, "scores", {}), (None, "leaderboard", {"number": 1})):
        shown = page(user, cast.task.url(f"{name}_assumptions", **number), measure="RR")
        assert "With 3 topics no difference can be shown, however large." in shown
        assert "The board has 2 measures" in shown
    assert status(cast.member, cast.task.url("scores_assumptions")) == 403
    assert "What the tests assume" in page(None, cast.task.url("leaderboard_detail", number=1))
