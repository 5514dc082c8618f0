"""The sentence above a board says of the first run what the tests of all pairs say, and nothing where they say nothing."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.text.plurals import number_of
from evaluation.boards.beaten import MOST_SPANS, Beaten
from evaluation.boards.board import Column, RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.computing import Computed, compute_board
from evaluation.boards.leader import leader_in_words
from evaluation.boards.live import untested
from evaluation.engine.arrays import BoolArray, FloatArray
from tests.draws import examples


def computed(levels: list[float], seed: int = 1, measure: str = "AP", choice: Choice | None = None) -> Computed:
    rng = np.random.default_rng(seed)
    return computed_of(rng.normal(np.array(levels)[:, None], 0.08, (len(levels), 40)).clip(0, 1), measure, choice)


def computed_of(values: FloatArray, measure: str = "AP", choice: Choice | None = None) -> Computed:
    """`values`: float64 (n_runs, 40)."""
    runs = [RunFacts(f"run{place}", "Alba", "automatic", 40) for place in range(len(values))]
    return compute_board(
        runs, [measure], [str(topic) for topic in range(40)], values[:, None], choice or Choice("t", "holm")
    )


def said(found: Computed) -> str:
    return leader_in_words(found.board.columns[0], [run.tag for run in found.board.runs])


@given(st.lists(st.sampled_from([0.3, 0.34, 0.36, 0.5, 0.7]), min_size=2, max_size=7), st.integers(0, 5))
@examples(40)
def test_who_is_beaten_in_sentence_and_rows_is_what_plain_loops_over_all_pairs_find(
    levels: list[float], seed: int
) -> None:
    found = computed(levels, seed)
    mean, n_runs, better = found.board.columns[0].mean, len(levels), shown_better(found)
    beaten, ranks = Beaten(found.board.columns[0]), found.board.columns[0].rank_first
    for run in range(n_runs):
        of_run = np.flatnonzero(better[run])
        assert set(beaten.which(run) or []) == set(of_run.tolist())
        assert ranks_named(beaten.in_words(run)) == set(ranks[of_run].tolist())
    first, text = int(mean.argmax()), said(found)
    may_be_best = int((~better.any(axis=0)).sum())
    assert text.startswith(f"run{first} has the highest AP")
    if not better.any():
        assert text.endswith("no run is shown to be better than another.")
        return
    if better[first].sum() == n_runs - 1:
        assert text.endswith("better than all other runs.")
        return
    shown, _, rest = text.partition(". ")
    assert rest.startswith(f"{may_be_best} runs may be the best" if may_be_best > 1 else "For each of the other runs")
    named = {int(tag) for tag in re.findall(r"run(\d)", shown)} - {first}
    if "all other runs but" in shown:
        named = set(range(n_runs)) - named - {first}
    assert named == set(np.flatnonzero(better[first]).tolist())


def shown_better(found: Computed) -> BoolArray:
    """Bool (n_runs, n_runs): by plain loops over the p-values of all pairs."""
    mean = found.board.columns[0].mean
    better = np.zeros((len(mean), len(mean)), dtype=bool)
    for (one, other), p in zip(combinations(range(len(mean)), 2), found.p[0], strict=True):
        if p < 0.05:
            high, low = (one, other) if mean[one] > mean[other] else (other, one)
            better[high, low] = True
    return better


@given(st.lists(st.sampled_from([0.3, 0.33, 0.36, 0.4, 0.43]), min_size=9, max_size=24), st.integers(0, 3), st.data())
@examples(40)
def test_a_run_is_better_than_those_that_its_row_names_and_no_others_unless_the_row_counts_for_ties_or_many_ranks(
    levels: list[float], seed: int, data: st.DataObject
) -> None:
    """Two runs have the values of the first in another order of topics, and one beats the first alone of these on every topic.

    Every second run varies little, so that worse runs which vary much are not shown to be worse, and ranks come in stretches.
    """
    spread = np.where(np.arange(len(levels)) % 2, 0.02, 0.2)[:, None]
    values = np.random.default_rng(seed).normal(np.array(levels)[:, None], spread, (len(levels), 40)).clip(0, 1)
    values[1] = values[0] + 0.02
    values[-2], values[-1] = values[0][::-1], np.roll(values[0], data.draw(st.integers(0, 39)))
    found = computed_of(values)
    better, column = shown_better(found), found.board.columns[0]
    spans = list(zip(column.rank_first.tolist(), column.rank_last.tolist(), strict=True))
    for run, words in enumerate(map(Beaten(column).in_words, range(len(levels)))):
        of_run = set(np.flatnonzero(better[run]).tolist())
        ranks = {rank for place in of_run for rank in range(spans[place][0], spans[place][1] + 1)}
        if words == number_of(len(of_run), "run"):
            assert any(spans[one] == spans[other] for one in of_run for other in set(range(len(levels))) - of_run)
            continue
        shown, _, more = words.removesuffix(" more").partition(" and ")
        named = {place for place, (first, _) in enumerate(spans) if first in ranks_named(shown)}
        assert named <= of_run
        assert len(of_run - named) == int(more or 0)
        assert not more or sum(rank - 1 not in ranks for rank in ranks) > MOST_SPANS
        assert (words == "none") == (not of_run)


def ranks_named(words: str) -> set[int]:
    """Of words such as "ranks 2, 4–6"."""
    spans = [list(map(int, span.split("–"))) for span in re.findall(r"\d+(?:–\d+)?", words)]
    return {rank for span in spans for rank in range(span[0], span[-1] + 1)}


def column_of(letters: str, ranks: tuple[str, str], beaten: list[int]) -> Column:
    """A column of runs with these letters; `ranks`: the first and the last rank of each, as digits."""
    n_runs = len(beaten)
    first, last = ([int(rank) for rank in of_runs] for of_runs in ranks)
    column = computed([0.5] * n_runs).board.columns[0]
    worst = n_runs - np.array(beaten)
    whole = {"rank_first": np.array(first), "rank_last": np.array(last), "rank_worst": worst}
    best = np.where(np.array(beaten) == max(beaten), 1, 2)
    return replace(column, **whole, rank_best=best, mean=1 - np.array(first) / 9, letters=tuple(letters.split()))


def test_runs_of_equal_means_of_which_one_is_beaten_and_pairs_about_which_test_and_mean_disagree_are_counted() -> None:
    tied = Beaten(column_of("a b ab", ("122", "133"), [1, 0, 0]))
    assert (tied.which(0), tied.in_words(0)) == ([1], "1 run")
    disagree = column_of("a b c", ("123", "123"), [1, 0, 0])
    assert (Beaten(disagree).which(0), Beaten(disagree).in_words(0)) == (None, "1 run")
    assert "shown to be better than 1 of 2 other runs. " in leader_in_words(disagree, ["a", "b", "c"])
    without = replace(disagree, letters=("", "", ""))
    assert (Beaten(without).which(0), Beaten(without).in_words(0), Beaten(without).in_words(1)) == (
        None,
        "1 run",
        "none",
    )
    assert (counted := Beaten(without)).in_words(0) == "1 run"
    assert "_share_a_letter" not in vars(counted), "no table of all pairs where it says nothing"


def test_many_or_long_names_are_told_by_their_ranks_and_many_stretches_of_these_by_a_number() -> None:
    column = column_of("a a b a b a b a b", ("123456789", "123456789"), [4, 3, 0, 2, 0, 1, 0, 0, 0])
    assert Beaten(column).in_words(0) == "ranks 3, 5, 7 and 1 more"
    text = leader_in_words(column, [f"run{place}" for place in range(9)])
    assert "is shown to be better than 4 of 8 other runs (ranks 3, 5, 7 and 1 more)." in text
    few = column_of("a a b", ("123", "123"), [1, 1, 0])
    assert "better than 1 of 2 other runs (rank 3)" in leader_in_words(few, ["x" * 49] * 3)


def test_equal_runs_lead_together_and_measures_where_low_is_good_say_so() -> None:
    twins = computed([0.7, 0.3, 0.2])
    values = np.tile([0.5, 0.2, 0.2], (40, 1)).T + np.random.default_rng(2).normal(0, 0.01, 40)
    values[1] = values[0]
    runs = [RunFacts(tag, "Alba", "automatic", 40) for tag in ("a", "b", "c")]
    board = compute_board(runs, ["AP"], list(map(str, range(40))), values[:, None], Choice("t", "holm")).board
    text = leader_in_words(board.columns[0], ["a", "b", "c"])
    assert text == "2 runs have the highest AP. 2 runs may be the best (●)."
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
