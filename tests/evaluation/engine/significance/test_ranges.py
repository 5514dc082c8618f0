"""Intervals end where the measure does, and lose no coverage by that."""

import numpy as np
import pytest

from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.significance.compare import RUN, compare
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.paired_t import mean_interval
from evaluation.engine.significance.ranges import interval_of_summary, most_apart, possible_range

RECALL = parse_measure("R@100")


def of_few_topics(seed: int, n_runs: int = 500, n_topics: int = 6) -> np.ndarray:
    """Near the upper end, as recall is: intervals that know no end pass it."""
    return np.random.default_rng(seed).beta(4.0, 0.3, size=(n_runs, n_topics))


def test_an_interval_ends_where_the_measure_does_and_holds_each_possible_mean_as_before() -> None:
    values = of_few_topics(1)
    wide_low, wide_high = mean_interval(values)
    low, high = interval_of_summary(values, RECALL, 0.95)
    assert (wide_high > 1).mean() > 0.5
    assert high.max() == 1
    means = values.mean(axis=1)
    assert ((low <= means) & (means <= high)).all()
    for mean in np.linspace(0, 1, 101):
        np.testing.assert_array_equal((low <= mean) & (mean <= high), (wide_low <= mean) & (mean <= wide_high))
    np.testing.assert_allclose(interval_of_summary(1 - values, RECALL, 0.95), (1 - high, 1 - low), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("DCG@10", (0.0, np.inf)),
        ("nDCG(gain=1:4)@10", (0.0, 1.0)),
        ("nDCG(gain=0:-1)@10", (-np.inf, np.inf)),
        ("MeanRankFirstRel", (1.0, np.inf)),
        ("utility", (-np.inf, np.inf)),
    ],
)
def test_only_an_end_that_no_value_can_pass_cuts(name: str, ends: tuple[float, float]) -> None:
    measure = parse_measure(name)
    assert possible_range(measure) == ends
    values = np.array([[1.0, 1.0, 1.0, 6.0]])
    low, high = interval_of_summary(values, measure, 0.95)
    wide_low, wide_high = mean_interval(values)
    assert (low[0], high[0]) == (max(wide_low[0], ends[0]), min(wide_high[0], ends[1]))


def test_a_geometric_mean_ends_at_its_range_too() -> None:
    low, high = interval_of_summary(np.log([[0.4, 0.9, 1.0]]), parse_measure("GMAP"), 0.95)
    assert (low[0] > 0, high[0]) == (True, 1.0)


@pytest.mark.parametrize("name", ["R@100", "GMAP", "num_ret", "RankFirstRel"])
def test_no_interval_is_none_and_not_the_whole_range(name: str) -> None:
    measure = parse_measure(name)
    topics = 3 if measure.definition.summary in ("sum", "median") else 1
    low, high = interval_of_summary(np.full((1, topics), -0.5), measure, 0.95)
    assert (low[0], high[0]) == (-np.inf, np.inf)


@pytest.mark.parametrize("test", RUN)
def test_an_interval_of_a_difference_ends_at_the_range_of_differences(test: str) -> None:
    values = np.array([[1.0, 1.0, 1.0, 0.9, 1.0, 0.0], [0.0, 0.1, 0.0, 0.0, 0.2, 0.9], [0.3, 0.5, 0.1, 0.2, 0.3, 0.4]])
    wide = compare(values, all_pairs(3), test)
    found = compare(values, all_pairs(3), test, most_apart=most_apart(RECALL))
    infinite = np.isinf(wide.low)
    np.testing.assert_array_equal(found.low, np.where(infinite, -np.inf, np.maximum(wide.low, -1.0)))
    np.testing.assert_array_equal(found.high, np.where(infinite, np.inf, np.minimum(wide.high, 1.0)))
    np.testing.assert_array_equal(found.p_corrected, wide.p_corrected)
    if test == "t":
        assert wide.high[0] > 1 == found.high[0]
