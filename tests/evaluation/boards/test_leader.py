"""The sentence above a board says of the first run what the tests of all pairs say, and nothing where they say nothing."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.boards.board import RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.computing import Computed, compute_board
from evaluation.boards.leader import leader_in_words
from evaluation.boards.live import untested
from tests.draws import examples


def computed(levels: list[float], seed: int = 1, measure: str = "AP", choice: Choice | None = None) -> Computed:
    rng = np.random.default_rng(seed)
    values = rng.normal(np.array(levels)[:, None], 0.08, (len(levels), 40)).clip(0, 1)
    runs = [RunFacts(f"run{place}", "Alba", "automatic", 40) for place in range(len(levels))]
    return compute_board(
        runs, [measure], [str(topic) for topic in range(40)], values[:, None], choice or Choice("t", "holm")
    )


def said(found: Computed) -> str:
    return leader_in_words(found.board.columns[0], [run.tag for run in found.board.runs])


@given(st.lists(st.sampled_from([0.3, 0.34, 0.36, 0.5, 0.7]), min_size=2, max_size=7), st.integers(0, 5))
@examples(40)
def test_the_counts_are_those_of_plain_loops_over_all_pairs(levels: list[float], seed: int) -> None:
    found = computed(levels, seed)
    mean, n_runs = found.board.columns[0].mean, len(levels)
    better = np.zeros((n_runs, n_runs), dtype=bool)
    place = 0
    for one in range(n_runs):
        for other in range(one + 1, n_runs):
            if found.p[0, place] < 0.05:
                high, low = (one, other) if mean[one] > mean[other] else (other, one)
                better[high, low] = True
            place += 1
    first, text = int(mean.argmax()), said(found)
    may_be_best = int((~better.any(axis=0)).sum())
    assert text.startswith(f"run{first} has the highest AP")
    if not better.any():
        assert text.endswith("no run is shown to be better than another.")
        return
    if better[first].sum() == n_runs - 1:
        assert text.endswith("better than all other runs.")
        return
    counts = list(map(int, re.findall(r"\d+", text.partition("AP")[2].partition(" (rank")[0])))
    expected = [int(better[first].sum()), n_runs - 1] if better[first].any() else []
    assert counts == [*expected, *([may_be_best] if may_be_best > 1 else [])]


def test_equal_runs_lead_together_and_measures_where_low_is_good_say_so() -> None:
    twins = computed([0.7, 0.3, 0.2])
    values = np.tile([0.5, 0.2, 0.2], (40, 1)).T + np.random.default_rng(2).normal(0, 0.01, 40)
    values[1] = values[0]
    runs = [RunFacts(tag, "Alba", "automatic", 40) for tag in ("a", "b", "c")]
    board = compute_board(runs, ["AP"], list(map(str, range(40))), values[:, None], Choice("t", "holm")).board
    text = leader_in_words(board.columns[0], ["a", "b", "c"])
    assert text == "2 runs have the highest AP. 2 runs may be the best (rank range from 1, in bold)."
    assert said(twins) == "run0 has the highest AP, and is shown to be better than all other runs."
    assert said(computed([0.7, 0.2], measure="unj@10")) == "", "how much is unjudged is no merit"


@pytest.mark.parametrize(
    "levels_and_choice",
    [([0.5], Choice("t", "holm")), ([0.7, 0.2], Choice("wilcoxon", "holm")), ([0.7, 0.2], Choice("t", "none"))],
)
def test_nothing_is_said_of_one_run_and_by_tests_from_which_no_ranks_follow(
    levels_and_choice: tuple[list[float], Choice],
) -> None:
    assert said(computed(levels_and_choice[0], choice=levels_and_choice[1])) == ""


def test_a_live_board_without_tests_has_no_leader() -> None:
    board = untested(computed([0.7, 0.2, 0.1]).board)
    assert leader_in_words(board.columns[0], ["a", "b", "c"]) == ""
