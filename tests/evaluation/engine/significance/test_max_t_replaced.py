"""The max-T test where one run at a time has other values has the bits of the test of each family by itself."""

import numpy as np
import pytest

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.corners import corners
from evaluation.engine.significance.families import against_baseline, all_pairs
from evaluation.engine.significance.max_t import max_t
from evaluation.engine.significance.max_t_replaced import max_t_replaced


def made_up(n_runs: int, n_topics: int, seed: int, decimals: int, scale: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Some runs clearly apart, some close together; few decimals make many ties."""
    draw = np.random.default_rng(seed)
    judged = np.linspace(0.2, 0.5, n_runs)[:, np.newaxis] + draw.normal(0, 0.1, (n_runs, n_topics))
    other = judged + draw.uniform(0, 0.3, (n_runs, n_topics)) * (draw.random((n_runs, n_topics)) < 0.5)
    return judged.round(decimals), (other * scale).round(decimals)


def by_itself(
    judged: FloatArray, other: FloatArray, pairs: IntArray, run: int, resamples: int, seed: int
) -> FloatArray:
    values = judged.copy()
    values[run] = other[run]
    return max_t(values, pairs, resamples, seed).p


@pytest.mark.parametrize("decimals", [1, 2, 9])
@pytest.mark.parametrize(
    ("n_runs", "n_topics", "resamples"), [(2, 5, 100), (7, 9, 100), (6, 20, 301), (24, 16, 1_003), (3, 15, 2_049)]
)
def test_each_family_has_the_bits_that_it_has_by_itself(
    n_runs: int, n_topics: int, resamples: int, decimals: int
) -> None:
    judged, other = made_up(n_runs, n_topics, n_runs + decimals, decimals)
    pairs, runs = all_pairs(n_runs), list(range(n_runs))
    found = max_t_replaced(judged, other, pairs, runs, resamples, 5)
    alone = np.array([by_itself(judged, other, pairs, run, resamples, 5) for run in runs])
    assert np.array_equal(found, alone)


@pytest.mark.parametrize("scale", [1.0, 9.0])
def test_missing_topics_and_other_grids_make_families_of_their_own(scale: float) -> None:
    judged, other = made_up(6, 18, 3, 3, scale)
    judged[1, 4] = judged[2, [0, 4]] = other[2, 0] = other[4, 7] = np.nan
    judged[5], other[5] = 0.0, 0.0
    pairs = all_pairs(6)
    found = max_t_replaced(judged, other, pairs, range(6), 400, 2)
    alone = np.array([by_itself(judged, other, pairs, run, 400, 2) for run in range(6)])
    assert np.array_equal(found, alone)


def test_where_nothing_differs_and_without_topics_p_is_that_of_the_test_as_well() -> None:
    for judged, other in (
        (np.zeros((3, 6)), np.zeros((3, 6))),
        (np.zeros((3, 6)), np.ones((3, 6))),
        (np.full((3, 4), np.nan), np.zeros((3, 4))),
    ):
        found = max_t_replaced(judged, other, all_pairs(3), [0, 2], 50)
        alone = np.array([by_itself(judged, other, all_pairs(3), run, 50, 0) for run in (0, 2)])
        assert np.array_equal(found, alone)


def test_some_runs_and_some_pairs_in_any_order_are_enough() -> None:
    judged, other = made_up(7, 20, 8, 2)
    for pairs in (against_baseline(3, 7), all_pairs(7)[[4, 0, 17, 9]], all_pairs(7)[::-1, ::-1]):
        found = max_t_replaced(judged, other, pairs, [5, 0, 3], 200, 1)
        alone = np.array([by_itself(judged, other, pairs, run, 200, 1) for run in (5, 0, 3)])
        assert np.array_equal(found, alone)
    assert max_t_replaced(judged, other, all_pairs(7), [], 200).shape == (0, 21)


def test_the_corners_of_max_t_are_those_of_each_family_by_itself() -> None:
    judged, other = made_up(6, 12, 4, 2)
    found = corners(judged, other, all_pairs(6), seed=3)
    for place, pair in enumerate(all_pairs(6).tolist()):
        for corner, run in zip((2, 3), pair, strict=True):
            values = judged.copy()
            values[run] = other[run]
            alone = compare(values, all_pairs(6), seed=3)
            assert found.p[corner, place] == alone.p_corrected[place]
            assert found.direction[corner, place] == alone.direction[place]
