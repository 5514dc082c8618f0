"""A simple random sample of each topic's depth-k pool."""

from collections import Counter
from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.drawing import Draw, draw_pool, pool_file
from pooling.core.strategies.spec import PoolSpec
from tests.draws import examples
from tests.pooling.core.strategies import plain
from tests.pooling.makers import Scores, make_pooled_run
from tests.pooling.test_depth_k import TOPICS, make_runs, many_runs, seeds


def sample(runs: list[Any], size: int, depth: int = 100, seed: int = 0) -> Draw:
    return draw_pool(runs, TOPICS, PoolSpec.with_defaults("random", {"size": size, "depth": depth}, seed=seed))


@examples(30)
@given(many_runs, st.integers(1, 6), st.integers(1, 8), seeds, st.randoms(use_true_random=False))
def test_the_documents_with_the_smallest_numbers_are_drawn_and_the_others_make_the_frame(
    all_scores: list[Scores], size: int, depth: int, seed: int, random: Any
) -> None:
    runs = make_runs(all_scores)
    drawn, left = {}, set()
    for topic, of_topic in plain.lists(runs, depth).items():
        found = {docno for ranked in of_topic for docno in ranked}
        ordered = sorted(found, key=lambda docno: (plain.number(seed, topic, docno), docno.encode()))
        drawn |= {(topic, docno): min(1.0, size / len(found)) for docno in ordered[:size]}
        left |= {(topic, docno, 1) for docno in ordered[size:]}
    draw = sample(random.sample(runs, len(runs)), size, depth, seed)
    rows = draw.entries.select(pl.col("topic").cast(pl.String), "docno", "inclusion_probability", "stratum")
    assert {(topic, docno): (p, stratum) for topic, docno, p, stratum in rows.iter_rows()} == {
        pair: (p, 1) for pair, p in drawn.items()
    }
    assert draw.frame is not None
    assert set(draw.frame.with_columns(pl.col("topic").cast(pl.String)).iter_rows()) == left
    assert pool_file(draw.entries) == pool_file(sample(runs, size, depth, seed).entries)


def test_over_many_seeds_each_document_is_drawn_as_often_as_its_probability_says() -> None:
    runs = [make_pooled_run({"9": {docno: float(-index) for index, docno in enumerate("abcdefgh")}})]
    seeds_tried, size = 200, 3
    drawn = Counter(docno for seed in range(seeds_tried) for docno in sample(runs, size, seed=seed).entries["docno"])
    p = size / 8
    bound = 4.5 * (p * (1 - p) / seeds_tried) ** 0.5
    assert {docno: abs(drawn[docno] / seeds_tried - p) < bound for docno in "abcdefgh"} == dict.fromkeys(
        "abcdefgh", True
    )


def test_a_pool_that_is_not_larger_than_the_sample_is_taken_completely() -> None:
    draw = sample([make_pooled_run({"9": {"a": 1.0}, "10": {"b": 2.0, "c": 1.0}})], size=2)
    assert draw.entries["inclusion_probability"].to_list() == [1.0, 1.0, 1.0]
    assert draw.frame is not None
    assert draw.frame.height == 0
