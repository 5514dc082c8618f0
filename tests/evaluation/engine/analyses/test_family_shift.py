"""Whether a model favours the runs of its own family."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from evaluation.engine.analyses.family_shift import family_shift

OWN = np.array([True, False, True, False, False])


def scores() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    people = generator.random((5, 30))
    return people, np.clip(people + generator.normal(0.05, 0.1, (5, 30)), 0, 1)


def test_the_shift_and_its_interval_are_those_of_a_t_test_on_differences_of_differences() -> None:
    people, model = scores()
    found = family_shift(people, model, OWN)
    assert found is not None
    raised = model - people
    expected = ttest_1samp(raised[OWN].mean(axis=0) - raised[~OWN].mean(axis=0), 0)
    interval = expected.confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_a_model_that_raises_all_runs_alike_favours_none() -> None:
    people, _ = scores()
    found = family_shift(people, people + 0.2, OWN)
    assert found is not None
    assert (round(found.shift, 12), found.ranks) == (0, 0)


@pytest.mark.parametrize("own", [np.zeros(5, dtype=bool), np.ones(5, dtype=bool)], ids=["none of it", "all of it"])
def test_without_runs_on_both_sides_nothing_is_compared(own: np.ndarray) -> None:
    assert family_shift(*scores(), own) is None


def test_runs_of_equal_means_share_a_rank_in_whatever_order_their_topics_are_added() -> None:
    people = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    found = family_shift(people, np.full((2, 3), 0.2), np.array([True, False]))
    assert found is not None
    assert found.ranks == 0.0
