from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.preview.pool_sizes import compared_sizes
from pooling.core.strategies.declaration import PooledRun, candidates
from pooling.core.strategies.drawing import draw_pool, pool_file
from pooling.core.strategies.judging_order import ORDERS
from tests.pooling.makers import Scores, depth_k, make_pooled_run, pooled

TOPICS = ["10", "9", "t-ü"]
docnos = st.sampled_from(["a", "A", "b", "B10", "B9", "é", "zz", "漢", "𝒳", "!"])
scores = st.sampled_from([-1.5, -0.0, 0.0, 0.25, 1.0, 1.0 + 2**-52, 7.0])
run_scores = st.dictionaries(st.sampled_from(TOPICS), st.dictionaries(docnos, scores, min_size=1), min_size=1)
many_runs = st.lists(run_scores, min_size=1, max_size=5)
depths = st.integers(1, 8)
orders = st.sampled_from(list(ORDERS))
seeds = st.integers(0, 2**63 - 1)


def make_runs(all_scores: list[Scores]) -> list[PooledRun]:
    return [make_pooled_run(held, f"run{index}", f"team{index % 2}") for index, held in enumerate(all_scores)]


def first(held: dict[str, float], depth: int) -> list[str]:
    """The contract, read out loud: score descending in single precision, equal scores by docno descending as bytes."""
    by_docno = sorted(held, key=lambda docno: docno.encode(), reverse=True)
    return sorted(by_docno, key=lambda docno: -np.float32(held[docno]))[:depth]


@given(many_runs, depths, orders, seeds)
def test_the_pool_is_the_union_of_the_first_k_documents_of_every_run(
    all_scores: list[Scores], depth: int, order: str, seed: int
) -> None:
    expected = Counter(
        (topic, docno) for held in all_scores for topic, docs in held.items() for docno in first(docs, depth)
    )
    entries = draw_pool(make_runs(all_scores), TOPICS, depth_k(depth, order=order, seed=seed)).entries
    assert pooled(entries) == set(expected)
    assert entries.height == len(expected)
    counts = {(topic, docno): count for topic, docno, _, _, count, *_ in entries.iter_rows()}
    assert counts == dict(expected)


@given(many_runs, depths, orders, seeds, st.randoms(use_true_random=False))
def test_the_pool_does_not_depend_on_the_order_of_the_runs(
    all_scores: list[Scores], depth: int, order: str, seed: int, random: object
) -> None:
    runs, spec = make_runs(all_scores), depth_k(depth, order=order, seed=seed)
    shuffled = list(runs)
    random.shuffle(shuffled)
    assert draw_pool(shuffled, TOPICS, spec).entries.equals(draw_pool(runs, TOPICS, spec).entries)


@given(many_runs, depths, seeds)
def test_a_deeper_pool_holds_the_shallower_one_in_the_same_random_order(
    all_scores: list[Scores], depth: int, seed: int
) -> None:
    runs = make_runs(all_scores)
    shallow, deep = (
        draw_pool(runs, TOPICS, depth_k(k, seed=seed)).entries.select(pl.col("topic").cast(pl.String), "docno")
        for k in (depth, depth + 1)
    )
    kept = deep.join(shallow, on=["topic", "docno"], how="semi", maintain_order="left")
    assert kept.equals(shallow)


@given(many_runs, depths, orders, seeds)
def test_positions_count_from_one_within_each_topic_and_topics_keep_their_order(
    all_scores: list[Scores], depth: int, order: str, seed: int
) -> None:
    entries = draw_pool(make_runs(all_scores), TOPICS, depth_k(depth, order=order, seed=seed)).entries
    by_topic: dict[str, list[int]] = {}
    for topic, _, position, *_ in entries.iter_rows():
        by_topic.setdefault(topic, []).append(position)
    assert list(by_topic) == [topic for topic in TOPICS if topic in by_topic]
    assert all(positions == list(range(1, len(positions) + 1)) for positions in by_topic.values())


@given(many_runs, depths)
def test_the_best_position_is_the_smallest_that_any_run_gives(all_scores: list[Scores], depth: int) -> None:
    entries = draw_pool(make_runs(all_scores), TOPICS, depth_k(depth)).entries
    for topic, docno, _, best, *_ in entries.iter_rows():
        positions = [
            first(held[topic], depth).index(docno) + 1
            for held in all_scores
            if docno in first(held.get(topic, {}), depth)
        ]
        assert best == min(positions)


@given(many_runs)
def test_sizes_of_several_depths_are_those_of_the_pools_themselves(all_scores: list[Scores]) -> None:
    runs = make_runs(all_scores)
    depths = [3, 5, 10, 20, 50]
    pools = {depth: draw_pool(runs, TOPICS, depth_k(depth)).entries for depth in depths}
    known = pools[5].head(4).select(pl.col("topic").cast(pl.String), "docno")
    sizes = compared_sizes(candidates(runs, TOPICS, None), depth_k(3), known, known.head(1))
    assert {size.value: size.pairs for size in sizes} == {depth: pools[depth].height for depth in depths}
    assert {size.value: (size.new, size.unjudged) for size in sizes} == {
        depth: tuple(len(pooled(pools[depth]) - set(held.iter_rows())) for held in (known, known.head(1)))
        for depth in depths
    }


def test_only_runs_up_to_the_given_priority_are_pooled() -> None:
    runs = [
        make_pooled_run({"9": {"a": 2.0, "b": 1.0}}, "first", priority=1),
        make_pooled_run({"9": {"c": 1.0}}, "second", priority=2),
    ]
    assert pooled(draw_pool(runs, TOPICS, depth_k(max_priority=1)).entries) == {("9", "a"), ("9", "b")}


def test_only_so_many_runs_of_each_team_are_pooled() -> None:
    runs = [
        make_pooled_run({"9": {"a": 1.0}}, "later", "north", priority=2),
        make_pooled_run({"9": {"b": 1.0}}, "first", "north", priority=1),
        make_pooled_run({"9": {"c": 1.0}}, "other", "south", priority=3),
    ]
    assert pooled(draw_pool(runs, TOPICS, depth_k(runs_per_team=1)).entries) == {("9", "b"), ("9", "c")}


def test_only_the_named_runs_are_pooled() -> None:
    runs = [make_pooled_run({"9": {"a": 1.0}}, "one"), make_pooled_run({"9": {"b": 1.0}}, "two")]
    assert pooled(draw_pool(runs, TOPICS, depth_k(runs=("two",))).entries) == {("9", "b")}


def test_topics_that_the_task_does_not_have_stay_out() -> None:
    runs = [make_pooled_run({"9": {"a": 1.0}, "unknown": {"b": 1.0}})]
    assert pooled(draw_pool(runs, TOPICS, depth_k()).entries) == {("9", "a")}


def test_no_runs_give_an_empty_pool() -> None:
    assert draw_pool([], TOPICS, depth_k()).entries.height == 0


@pytest.mark.parametrize(
    ("order", "expected"),
    [("docno", ["a", "b", "c"]), ("best_position", ["b", "a", "c"]), ("run_count", ["a", "c", "b"])],
)
def test_each_order_sorts_by_its_own_key(order: str, expected: list[str]) -> None:
    runs = [
        make_pooled_run({"9": {"b": 9.0, "a": 8.0, "c": 7.0}}, "one"),
        make_pooled_run({"9": {"b": 9.0, "a": 8.0, "c": 7.0}}, "two"),
        make_pooled_run({"9": {"x": 9.0, "a": 8.0, "c": 7.0}}, "three"),
    ]
    entries = draw_pool(runs, TOPICS, depth_k(order=order)).entries
    assert [docno for docno in entries["docno"] if docno != "x"] == expected


def test_the_seeded_order_is_that_of_a_standard_digest_so_that_anybody_can_recompute_it() -> None:
    # printf '7 9 a' | b2sum --length=64, and so on for b, c, d
    digests = {"a": "8dc6bc53", "b": "90ba6689", "c": "f0821756", "d": "80c7b2de"}
    runs = [make_pooled_run({"9": dict.fromkeys(digests, 1.0)})]
    entries = draw_pool(runs, TOPICS, depth_k(seed=7)).entries
    assert entries["docno"].to_list() == sorted(digests, key=digests.__getitem__)


def test_another_seed_gives_another_order_of_the_same_documents() -> None:
    runs = [make_pooled_run({"9": {f"doc{number}": float(number) for number in range(50)}})]
    one, other = (draw_pool(runs, TOPICS, depth_k(50, seed=seed)).entries for seed in (1, 2))
    assert pooled(one) == pooled(other)
    assert one["docno"].to_list() != other["docno"].to_list()


def test_the_file_has_a_line_with_topic_and_docno_for_each_entry_in_judging_order() -> None:
    runs = [make_pooled_run({"9": {"b": 2.0, "é": 1.0}, "10": {"a": 1.0}})]
    entries = draw_pool(runs, TOPICS, depth_k(order="docno")).entries
    assert pool_file(entries) == "10 a\n9 b\n9 é\n".encode()
