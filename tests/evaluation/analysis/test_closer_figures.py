"""Figures about all runs of a board by brute force: pairs, cells, frontier; and pictures that are the same on each drawing."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.analysis.cells import stripes
from evaluation.analysis.efficiency.figures import costs_in, on_frontier
from evaluation.analysis.efficiency.picture import efficiency_picture
from evaluation.analysis.heatmap.figures import levels_of, topics_by_median
from evaluation.analysis.heatmap.picture import heat_picture
from evaluation.analysis.measure_correlation.figures import (
    COEFFICIENTS,
    agreement_of,
    agreement_of_all,
    intervals_of_tau,
)
from evaluation.analysis.measure_correlation.picture import scatter_picture
from evaluation.analysis.pairwise_tests.figures import (
    CLEARLY,
    ITSELF,
    NOT_SHOWN,
    NOT_TESTED,
    SHOWN,
    groups_of_letters,
    kinds_of_pairs,
    shown_better,
    square_of_p,
)
from evaluation.analysis.pairwise_tests.picture import groups_picture, pairs_picture
from evaluation.boards.computing import pair_place
from evaluation.engine.analyses.tau_interval import tau_interval
from evaluation.engine.significance.groups import letter_groups, letters
from tests.draws import examples

HOSTILE = "$x_{1}$</svg>\x07"


@given(st.permutations(range(5)))
@examples(20)
def test_the_square_holds_each_pair_at_both_of_its_places(order: list[int]) -> None:
    p = np.arange(10) / 10
    square = square_of_p(p, np.array(order))
    for one, other in itertools.permutations(range(5), 2):
        assert square[one, other] == p[pair_place(order[one], order[other], 5)]
    assert np.isnan(np.diag(square)).all()


def test_pairs_are_sorted_by_their_p_and_the_better_mean_wins() -> None:
    square = square_of_p(np.array([0.009, 0.049, np.nan, 0.05, 0.01, 0.5]), np.arange(4))
    kinds = kinds_of_pairs(square, 0.05)
    assert kinds[np.triu_indices(4, 1)].tolist() == [CLEARLY, SHOWN, NOT_TESTED, NOT_SHOWN, SHOWN, NOT_SHOWN]
    assert set(np.diag(kinds).tolist()) == {ITSELF}
    means = np.array([0.1, 0.2, 0.3, 0.4])
    more, less = (shown_better(square, means, 0.05, lower_is_better=turned) for turned in (False, True))
    assert sorted(zip(*np.nonzero(more), strict=True)) == [(1, 0), (2, 0), (3, 1)]
    assert (less == more.T).all()
    agreeing = np.sign(means[:, np.newaxis] - means).astype(np.int64)
    assert (shown_better(square, means, 0.05, directions=agreeing) == more).all()
    assert (shown_better(square, means, 0.05, directions=agreeing, lower_is_better=True) == less).all()
    assert not shown_better(square, means, 0.05, directions=-agreeing).any()


@given(st.integers(2, 8).flatmap(lambda n: st.lists(st.booleans(), min_size=n * n, max_size=n * n)))
@examples(50)
def test_groups_read_from_letters_are_those_that_the_letters_were_made_of(cells: list[bool]) -> None:
    n = int(len(cells) ** 0.5)
    differs = np.triu(np.array(cells).reshape(n, n), 1)
    groups = letter_groups(differs | differs.T)
    assert list(groups_of_letters(letters(groups, n)).values()) == [group for group in groups if len(group) > 1]


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=4))
@examples(50)
def test_stripes_cover_every_cell_once_with_its_kind(rows: list[list[int]]) -> None:
    kinds = np.array(rows)
    painted = np.full(kinds.shape, -1)
    for row, start, stop, kind in zip(*stripes(kinds), strict=True):
        assert (painted[row, start:stop] == -1).all()
        painted[row, start:stop] = kind
    assert (painted == kinds).all()


def test_levels_are_equal_in_width_and_turned_where_less_is_better() -> None:
    values = np.array([[0.0, 1.0, np.nan], [0.5, 0.11, 0.12]])
    assert levels_of(values).tolist() == [[0, 8, -1], [4, 0, 1]]
    assert levels_of(values, lower_is_better=True).tolist() == [[8, 0, -1], [4, 8, 7]]
    assert topics_by_median(values).tolist() == [1, 0, 2]
    assert levels_of(np.full((1, 2), np.nan)).tolist() == [[-1, -1]]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8))
@examples(80)
def test_a_run_is_on_the_frontier_unless_another_beats_it(runs: list[tuple[int, int]]) -> None:
    cost, goodness = np.array(runs, dtype=float).T
    expected = [not any(c <= own and g >= good and (c, g) != (own, good) for c, g in runs) for own, good in runs]
    assert on_frontier(cost, goodness).tolist() == expected


def test_costs_are_read_with_their_units_and_other_metadata_are_left_out() -> None:
    metadata = {
        "resources": {"runtime": {"wallclock": "2 min", "user": 90}, "RAM": "3.5 GB", "timestamp": "2024"},
        "cost": {"price": 1e400, "energy": -1, "latency": [1, 2], "memory": True},
        "method": {"parameters": 12, "time": "soon"},
    }
    assert costs_in(metadata) == {
        "resources runtime wallclock (s)": 120.0,
        "resources runtime user": 90.0,
        "resources RAM (GB)": 3.5,
    }
    assert costs_in([1]) == {}


def test_measures_that_order_alike_agree_fully_and_too_few_runs_say_nothing() -> None:
    scores = np.array([[3.0, 2.0, 1.0, np.nan], [30.0, 20.0, 10.0, 5.0], [1.0, 1.0, 1.0, 1.0]])
    found = agreement_of_all(scores)
    assert all(found[name][0, 1] == pytest.approx(1.0) for name in COEFFICIENTS)
    assert np.isnan(found["tau"][0, 2])
    assert all(np.isnan(value) for value in agreement_of(scores[0, :1], scores[1, :1]).values())


def test_pictures_are_the_same_on_each_drawing_and_bear_hostile_and_missing_input() -> None:
    tags, means = [HOSTILE, "b", "c"], np.array([0.3, 0.2, np.nan])
    square = square_of_p(np.array([0.001, np.nan, 0.03]), np.arange(3))
    values = np.array([[0.1, np.nan], [0.2, 0.5], [np.nan, np.nan]])
    drawings = [
        lambda: pairs_picture(tags, kinds_of_pairs(square, 0.05), "AP", 0.05),
        lambda: groups_picture(tags, means, ["a", "ab", "b"], "AP"),
        lambda: heat_picture(tags, [HOSTILE, "2"], values, "AP", theme="dark"),
        lambda: scatter_picture(tags, means, means, ("AP", "RR"), "tau 1"),
        lambda: efficiency_picture(
            tags[:2], np.array([1.0, 90.0]), means[:2], np.array([True, False]), (HOSTILE, "AP")
        ),
    ]
    for draw in drawings:
        picture = draw()
        assert picture == draw()
        assert picture.startswith(b"<svg")
        assert b"style=" not in picture
        assert b"nan" not in picture.lower()
    assert pairs_picture(["a"], np.array([[ITSELF]]), "AP", 0.05).startswith(b"<svg")
    assert groups_picture(["a"], means[:1], [""], "AP").startswith(b"<svg")


def test_a_board_of_very_many_runs_and_measures_has_no_intervals_of_tau() -> None:
    values, all_of_them = np.random.default_rng(2).random((320, 2, 6)), np.ones(2, dtype=np.bool_)
    assert np.isnan(intervals_of_tau(values, all_of_them, all_of_them)).all()
    few = intervals_of_tau(values[:5], all_of_them, np.array([True, False]))
    assert few[:, 0, 1].tolist() == list(tau_interval(-values[:5, 0], values[:5, 1]) or ())
