"""Leaving out topics against scoring the remaining topics anew."""

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

from evaluation.engine.reliability.topics_left_out import topics_left_out


def test_each_row_is_that_of_the_remaining_topics_alone() -> None:
    scores = np.random.default_rng(7).random((6, 8)).round(1)
    left_out = topics_left_out(scores)
    full = scores.mean(axis=1).round(12)
    for topic in range(8):
        rest = np.delete(scores, topic, axis=1).mean(axis=1).round(12)
        falls = rankdata(-rest, method="min") - rankdata(-full, method="min")
        assert left_out.tau[topic] == pytest.approx(kendalltau(full, rest).statistic)
        assert left_out.largest_fall[topic] == falls.max()
        assert falls[left_out.falling_run[topic]] == falls.max()


def test_equal_runs_have_no_order_and_do_not_fall() -> None:
    left_out = topics_left_out(np.tile(np.array([0.1, 0.2, 0.7]), (3, 1)))
    assert np.isnan(left_out.tau).all()
    assert not left_out.largest_fall.any()


@pytest.mark.parametrize("shape", [(1, 5), (5, 1)])
def test_one_run_or_one_topic_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="two runs and two topics"):
        topics_left_out(np.zeros(shape))
