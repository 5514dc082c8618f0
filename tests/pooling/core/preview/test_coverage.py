import math
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.preview.coverage import contributions, count_by_topic, pooled_share, topic_sizes, whole_depth
from pooling.core.strategies.declaration import appearances
from pooling.core.strategies.drawing import draw_pool
from tests.pooling.makers import depth_k, make_pooled_run
from tests.pooling.test_depth_k import TOPICS, make_runs, many_runs

ONE = {"9": {"a": 3.0, "b": 2.0}}
TWO = {"9": {"a": 3.0, "c": 2.0}, "10": {"a": 1.0}}
THREE = {"9": {"d": 3.0, "a": 2.0}}


def test_contributions_of_three_runs_of_two_teams_counted_by_hand() -> None:
    runs = [make_pooled_run(held) for held in (ONE, TWO, THREE)]
    counted = contributions(draw_pool(runs, TOPICS, depth_k(depth=2)).selected, [0, 0, 1])
    # Pool: 9 a (all), 9 b (run 0), 9 c (run 1), 10 a (run 1), 9 d (run 2).
    assert counted.runs.rows() == [(0, 2, 1, 1), (1, 3, 2, 2), (2, 2, 1, 1)]
    assert counted.teams.rows() == [(0, 4, 3), (1, 2, 1)]
    np.testing.assert_array_equal(counted.overlap, [[1.0, 0.25], [0.5, 1.0]])


def test_a_run_without_a_pooled_document_is_counted_as_zero() -> None:
    runs = [make_pooled_run(ONE), make_pooled_run({"unknown": {"a": 1.0}})]
    counted = contributions(draw_pool(runs, TOPICS, depth_k()).selected, [0, 1])
    assert counted.runs.rows()[1] == (1, 0, 0, 0)
    assert counted.teams.rows()[1] == (1, 0, 0)
    assert math.isnan(counted.overlap[1, 0])


@given(st.lists(st.sets(st.integers(0, 150), max_size=150), min_size=2, max_size=9))
def test_the_overlap_of_teams_is_that_of_sets(held: list[set[int]]) -> None:
    rows = [(run, "1", str(docno)) for run, docnos in enumerate(held) for docno in sorted(docnos)]
    schema = {"run": pl.UInt32, "topic": pl.String, "docno": pl.String}
    counted = contributions(pl.DataFrame(rows, schema=schema, orient="row"), range(len(held)))
    expected = [[len(own & other) / len(own) if own else math.nan for other in held] for own in held]
    np.testing.assert_array_equal(counted.overlap, expected)


@given(many_runs)
def test_what_teams_hold_alone_never_exceeds_what_they_hold_and_never_the_pool(all_scores: list[dict]) -> None:
    runs = make_runs(all_scores)
    drawn = draw_pool(runs, TOPICS, depth_k(depth=3))
    counted = contributions(drawn.selected, [index % 2 for index in range(len(runs))])
    assert counted.runs["contributed"].sum() == drawn.selected.height == drawn.entries["run_count"].sum()
    assert (counted.runs["alone"] <= counted.runs["unique"]).all()
    assert (counted.teams["unique"] <= counted.teams["contributed"]).all()
    alone, shared = counted.teams["unique"].sum(), counted.teams["contributed"].sum() - counted.teams["unique"].sum()
    assert alone + shared / 2 == drawn.entries.height or len(runs) == 1


def test_the_pooled_share_is_of_the_first_documents_that_runs_really_hold() -> None:
    held = appearances([make_pooled_run(ONE), make_pooled_run(TWO)], TOPICS, 100)
    pool = held.filter(pl.col("position") <= 1)
    assert pooled_share(held, pool, 2) == 3 / 5
    assert pooled_share(held, pool, 1) == 1.0
    assert math.isnan(pooled_share(held.clear(), pool, 10))


@given(many_runs, st.integers(1, 8), st.randoms(use_true_random=False))
def test_the_depth_to_which_a_pool_holds_all_runs_is_that_of_plain_loops(
    all_scores: list[dict], depth: int, random: Any
) -> None:
    held = appearances(make_runs(all_scores), TOPICS, depth)
    pairs = held.select("topic", "docno").unique().sort("topic", "docno")
    pool = pairs[sorted(random.sample(range(pairs.height), random.randint(0, pairs.height)))]
    inside, rows = set(pool.iter_rows()), list(held.select("position", "topic", "docno").iter_rows())
    expected = 0
    while any(position == expected + 1 for position, *_ in rows) and all(
        tuple(pair) in inside for position, *pair in rows if position <= expected + 1
    ):
        expected += 1
    assert whole_depth(held, pool) == expected


def test_topic_sizes_count_topics_without_a_document() -> None:
    entries = draw_pool([make_pooled_run(TWO)], TOPICS, depth_k()).entries
    sizes = topic_sizes(count_by_topic(entries), TOPICS)
    assert sizes.per_topic == {"10": 1, "9": 2, "t-ü": 0}
    assert (sizes.smallest, sizes.median, sizes.largest) == (0, 1.0, 2)
    assert sizes.histogram == ((0, 0, 1), (1, 1, 1), (2, 2, 1))


@given(st.dictionaries(st.integers(0, 10**6).map(str), st.integers(0, 90), min_size=1))
def test_the_histogram_counts_every_topic_once_in_at_most_twelve_bins(counts: dict[str, int]) -> None:
    sizes = topic_sizes(counts, list(counts))
    assert len(sizes.histogram) <= 12
    assert sum(topics for _, _, topics in sizes.histogram) == len(counts)
    for low, high, topics in sizes.histogram:
        assert topics == sum(low <= count <= high for count in counts.values())
