"""Depth-k with an own depth for runs of a priority."""

from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.preview.pool_sizes import compared_sizes, depth_read
from pooling.core.strategies.declaration import PooledRun, candidates
from pooling.core.strategies.depth_k import STRATEGY
from pooling.core.strategies.drawing import draw_pool
from pooling.core.strategies.spec import PoolSpec
from tests.draws import examples
from tests.pooling.makers import Scores, depth_k, make_pooled_run, pooled
from tests.pooling.test_depth_k import TOPICS, first, many_runs

own_depths = st.dictionaries(st.integers(1, 3), st.integers(1, 8)).map(lambda held: tuple(held.items()))


def with_depths(depth: int, depths: Any) -> PoolSpec:
    return PoolSpec("depth-k", {"depth": depth, "depths": depths})


def runs_of_priorities(all_scores: list[Scores], priorities: list[int]) -> list[PooledRun]:
    return [
        make_pooled_run(held, f"run{index}", priority=priority)
        for index, (held, priority) in enumerate(zip(all_scores, priorities, strict=False))
    ]


five_priorities = st.lists(st.integers(1, 4), min_size=5, max_size=5)


@given(many_runs, five_priorities, st.integers(1, 8), own_depths)
def test_each_run_is_pooled_to_the_depth_of_its_priority(
    all_scores: list[Scores], priorities: list[int], depth: int, depths: tuple[tuple[int, int], ...]
) -> None:
    expected = {
        (topic, docno)
        for held, priority in zip(all_scores, priorities, strict=False)
        for topic, docs in held.items()
        for docno in first(docs, dict(depths).get(priority, depth))
    }
    spec, runs = with_depths(depth, depths), runs_of_priorities(all_scores, priorities)
    assert pooled(draw_pool(runs, TOPICS, spec).entries) == expected
    whole = spec.method.judged_whole(spec.parameters)
    assert expected >= pooled(draw_pool(runs, TOPICS, depth_k(whole)).entries)


@examples(30)
@given(many_runs, five_priorities, st.integers(1, 2), own_depths.filter(bool))
def test_sizes_of_other_depths_are_those_of_pools_with_the_same_depths_by_priority(
    all_scores: list[Scores], priorities: list[int], depth: int, depths: tuple[tuple[int, int], ...]
) -> None:
    spec, runs = with_depths(depth, depths), runs_of_priorities(all_scores, priorities)
    known = pl.DataFrame(schema={"topic": pl.String, "docno": pl.String})
    for size in compared_sizes(candidates(runs, TOPICS, depth_read(spec)), spec, known, known):
        assert size.pairs == draw_pool(runs, TOPICS, with_depths(size.value, depths)).entries.height


def test_without_own_depths_the_spec_stores_none_and_is_read_without() -> None:
    spec = with_depths(3, ())
    assert spec.to_json()["parameters"] == {"depth": 3}
    assert PoolSpec.from_json({"strategy": "depth-k", "parameters": {"depth": 3}}) == spec
    deeper = with_depths(3, [[2, 5], [1, 100]])
    assert deeper.to_json()["parameters"] == {"depth": 3, "depths": [[1, 100], [2, 5]]}
    assert PoolSpec.from_json(deeper.to_json()) == deeper
    assert (spec.drawn_by, deeper.drawn_by) == ("depth-k, k = 3", "depth-k, k = 3, depths = 1:100 2:5")


def test_only_the_smallest_depth_of_any_priority_is_called_exact() -> None:
    spec = with_depths(20, ((1, 100), (2, 10)))
    told = " ".join(STRATEGY.covers(spec.parameters))
    assert "The first 100 of runs of priority 1." in told
    assert "The first 20 of runs of other priorities." in told
    assert STRATEGY.judged_whole(spec.parameters) == 10
    assert STRATEGY.reads(spec.parameters) == 100
