"""A fixed number of judgments over all topics."""

from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pooling.core.preview.coverage import whole_depth
from pooling.core.strategies.budget import uniform_depth
from pooling.core.strategies.declaration import appearances
from pooling.core.strategies.drawing import draw_pool, pool_file
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec
from tests.pooling.core.strategies import plain
from tests.pooling.core.strategies.test_best_documents import by_topic
from tests.pooling.makers import Scores, make_pooled_run, pooled
from tests.pooling.test_depth_k import TOPICS, make_runs, many_runs, seeds


def budget(total: int, seed: int = 0, **parameters: Any) -> PoolSpec:
    return PoolSpec.with_defaults("budget", {"total": total, **parameters}, order="strategy", seed=seed)


@given(
    many_runs,
    st.integers(1, 25),
    st.integers(1, 8),
    st.integers(1, 8),
    st.sampled_from([0.5, 0.8]),
    seeds,
    st.randoms(use_true_random=False),
)
def test_the_pool_and_its_order_are_those_of_plain_loops_whatever_the_order_of_the_runs(
    all_scores: list[Scores], total: int, size: int, depth: int, p: float, seed: int, random: Any
) -> None:
    runs, spec = make_runs(all_scores), budget(total, seed, size=size, depth=depth, p=p)
    assume(total >= len({topic for held in all_scores for topic in held}))
    entries = draw_pool(random.sample(runs, len(runs)), TOPICS, spec).entries
    expected = plain.budget(runs, dict(spec.parameters), TOPICS, seed)
    assert by_topic(entries) == {topic: expected[topic] for topic in TOPICS if topic in expected}
    assert pool_file(entries) == pool_file(draw_pool(runs, TOPICS, spec).entries)
    within = appearances(runs, TOPICS, depth)
    most = sum(min(size, part["docno"].n_unique()) for part in within.partition_by("topic"))
    assert entries.height == min(total, most)


@given(st.lists(st.lists(st.integers(1, 6), min_size=1), max_size=4), st.integers(1, 12), st.integers(1, 5))
def test_the_depth_of_all_topics_is_the_largest_that_fits(held: list[list[int]], total: int, size: int) -> None:
    rows = [(str(topic), f"d{number}", best) for topic, of in enumerate(held) for number, best in enumerate(of)]
    pairs = pl.DataFrame(
        rows, schema={"topic": pl.String, "docno": pl.String, "best_position": pl.UInt32}, orient="row"
    )
    fits = [k for k in range(1, 5) if sum(min(size, sum(best <= k for best in of)) for of in held) <= total]
    assert uniform_depth(pairs, total, size, deepest=4) == max(fits, default=0)


def test_what_one_depth_leaves_over_goes_to_the_documents_that_weigh_most() -> None:
    alike = {"b": 8.0, "c": 7.0}
    runs = [
        make_pooled_run({"9": {"a": 9.0, **alike}, "10": {"x": 9.0, "y": 8.0, "z": 7.0}}, "one"),
        make_pooled_run({"9": {"a": 9.0, **alike}}, "two"),
    ]
    entries = draw_pool(runs, TOPICS, budget(3)).entries
    assert pooled(entries) == {("9", "a"), ("10", "x"), ("9", "b")}
    assert whole_depth(appearances(runs, TOPICS, None), entries) == 1


def test_a_budget_below_the_first_documents_of_all_runs_gives_each_topic_its_best_one_first() -> None:
    runs = [make_pooled_run({"9": {docno: 1.0}, "10": {"x": 1.0}}, f"run{docno}") for docno in "abc"]
    spec = budget(2)
    assert pooled(draw_pool(runs, TOPICS, spec).entries) >= {("10", "x")}
    assert len(by_topic(draw_pool(runs, TOPICS, spec).entries)) == 2


def test_a_budget_smaller_than_the_number_of_topics_is_refused_with_what_to_change() -> None:
    runs = [make_pooled_run({"9": {"a": 1.0}, "10": {"x": 1.0}})]
    with pytest.raises(PoolSpecError, match="too small for 2 topics: set total to at least 2"):
        draw_pool(runs, TOPICS, budget(1))


def test_without_runs_the_pool_is_empty() -> None:
    assert draw_pool([], TOPICS, budget(1)).entries.height == 0


def test_the_most_per_topic_need_not_be_given_and_is_then_not_stored() -> None:
    assert budget(7).to_json()["parameters"] == {"total": 7, "depth": 100, "p": 0.8}
    assert budget(7).drawn_by == "judgment budget, total = 7, depth = 100, p = 0.8"
