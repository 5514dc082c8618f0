"""The curve of relevant documents found against all choices of runs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.reliability.saturation import last_gain, saturation

found = st.integers(1, 5).flatmap(
    lambda runs: st.lists(st.lists(st.booleans(), min_size=runs, max_size=runs), min_size=1, max_size=6)
)


@given(found)
def test_the_share_is_the_mean_over_all_choices_of_runs(table: list[list[bool]]) -> None:
    by_run = np.array(table)
    runs = by_run.shape[1]
    expected = [
        np.mean([by_run[:, list(chosen)].any(axis=1).mean() for chosen in combinations(range(runs), m)])
        for m in range(1, runs + 1)
    ]
    shares = saturation(by_run.sum(axis=1), runs)
    assert shares == pytest.approx(expected)
    unique = (by_run.sum(axis=1) == 1).sum()
    assert last_gain(shares, len(by_run)) == pytest.approx(unique / runs)


def test_many_runs_overflow_nothing() -> None:
    shares = saturation(np.array([1, 500, 1000]), 1000)
    assert np.isfinite(shares).all()
    assert shares[-1] == pytest.approx(1)


def test_no_relevant_document_gives_no_share() -> None:
    assert np.isnan(saturation(np.array([], dtype=np.int64), 2)).all()


@pytest.mark.parametrize(("finders", "runs"), [([3], 2), ([-1], 2), ([], 0)])
def test_impossible_counts_are_refused(finders: list[int], runs: int) -> None:
    with pytest.raises(ValueError, match="run"):
        saturation(np.array(finders, dtype=np.int64), runs)
