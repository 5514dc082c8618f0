from collections import Counter
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.drawing import draw_pool, pool_file
from pooling.core.strategies.frames import frame_file
from pooling.core.strategies.spec import PoolSpec
from pooling.core.strategies.statap import probabilities
from tests.pooling.core.strategies.sampling import TOPICS, lot, make_runs, probabilities_of, selections, two_runs
from tests.pooling.makers import make_pooled_run
from tests.pooling.test_depth_k import first, many_runs, seeds

sizes, depths = st.integers(1, 12), st.integers(1, 8)


def spec(size: int, depth: int = 100, **common: Any) -> PoolSpec:
    return PoolSpec.with_defaults("statap", {"size": size, "depth": depth}, **common)


def probabilities_by_hand(all_scores: list[dict], topic: str, size: int, depth: int) -> dict[str, float]:
    weights: dict[str, float] = {}
    for held in all_scores:
        ranking = first(held.get(topic, {}), depth)
        for rank, docno in enumerate(ranking, start=1):
            tail = 1 + sum(1 / place for place in range(rank, len(ranking) + 1))
            weights[docno] = weights.get(docno, 0) + tail / (2 * len(ranking))
    low, high = 0.0, 1e9
    for _ in range(200):  # the expected size grows with the scale: halve the interval
        scale = (low + high) / 2
        low, high = (scale, high) if sum(min(1, scale * w) for w in weights.values()) < size else (low, scale)
    return {docno: min(1.0, high * weight) for docno, weight in weights.items()}


@given(many_runs, sizes, depths, seeds)
def test_each_document_is_drawn_by_its_own_lot_with_a_probability_in_proportion_to_its_prior_weight(
    all_scores: list[dict], size: int, depth: int, seed: int
) -> None:
    draw = draw_pool(make_runs(all_scores), TOPICS, spec(size, depth, seed=seed))
    assert draw.frame is not None
    drawn = {(topic, docno): p for topic, docno, *_, p in draw.entries.iter_rows()}
    left = {(topic, docno) for topic, docno, _ in draw.frame.iter_rows()}
    for topic in TOPICS:
        expected = probabilities_by_hand(all_scores, topic, size, depth)
        assert {docno for other, docno in [*drawn, *left] if other == topic} == set(expected)
        for docno, p in expected.items():
            if abs(lot(seed, topic, docno) - p) > 1e-6:
                assert ((topic, docno) in drawn) == (lot(seed, topic, docno) < p)
            if (topic, docno) in drawn:
                assert drawn[topic, docno] == pytest.approx(p, rel=1e-6)


@given(st.lists(st.integers(1, 2**41), min_size=1, max_size=30), sizes)
def test_probabilities_add_up_to_the_size_and_follow_the_weights(weights: list[int], size: int) -> None:
    docnos = [f"d{number:02}" for number in range(len(weights))]
    found = probabilities(pl.DataFrame({"topic": "1", "docno": docnos, "weight": weights}), size)
    p = found["inclusion_probability"].to_list()
    assert found["docno"].to_list() == docnos
    assert all(0 < one <= 1 for one in p)
    assert sum(p) == pytest.approx(min(size, len(weights)))
    scales = {round(one / weight, 12) for one, weight in zip(p, weights, strict=True) if one < 1}
    assert max(scales, default=0) - min(scales, default=0) <= 1e-9 * max(scales, default=1)


@given(many_runs, sizes, seeds, st.randoms(use_true_random=False))
def test_the_same_runs_in_any_order_give_the_same_bytes(
    all_scores: list[dict], size: int, seed: int, random: Any
) -> None:
    runs = make_runs(all_scores)
    one, other = (draw_pool(some, TOPICS, spec(size, seed=seed)) for some in (runs, random.sample(runs, len(runs))))
    assert pool_file(one.entries) == pool_file(other.entries)
    assert one.frame is not None
    assert other.frame is not None
    assert frame_file(one.frame) == frame_file(other.frame)


def test_over_many_seeds_documents_are_drawn_as_often_as_stated_independently_and_totals_are_unbiased() -> None:
    draws = 400
    singles: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    stated: dict[str, float] = {}
    documents = relevant = 0.0
    for selection in selections(two_runs(), "statap", {"size": 15}, draws):
        drawn = probabilities_of(selection)
        singles.update(drawn.keys())
        pairs.update(combinations(sorted(drawn), 2))
        stated |= drawn
        documents += sum(1 / p for p in drawn.values())
        relevant += sum(1 / p for docno, p in drawn.items() if int(docno[1:]) % 3 == 0)
    assert len(stated) == 40, "every document has a chance"
    for docno, p in stated.items():
        assert abs(singles[docno] / draws - p) <= 4.5 * (p * (1 - p) / draws) ** 0.5, docno
    for one, other in combinations(sorted(stated)[:12], 2):
        p = stated[one] * stated[other]
        assert abs(pairs[one, other] / draws - p) <= 5 * (p * (1 - p) / draws) ** 0.5, (one, other)
    variances = [(1 - p) / p for p in stated.values()]
    assert abs(documents / draws - 40) < 4.5 * (sum(variances) / draws) ** 0.5
    assert abs(relevant / draws - 14) < 4.5 * (sum(variances) / draws) ** 0.5


def test_a_topic_of_no_more_documents_than_the_size_is_taken_whole() -> None:
    runs = [make_pooled_run({"9": {"a": 1.0}, "10": {"a": 3.0, "b": 2.0}})]
    draw = draw_pool(runs, TOPICS, spec(2))
    assert draw.entries.select("topic", "docno", "stratum", "inclusion_probability").sort("topic", "docno").rows() == [
        ("10", "a", 1, 1.0),
        ("10", "b", 1, 1.0),
        ("9", "a", 1, 1.0),
    ]
    assert draw_pool([], TOPICS, spec(2)).entries.is_empty()


def test_a_size_far_above_the_number_of_documents_takes_the_document_that_all_runs_hold() -> None:
    runs = [make_pooled_run({"1": {"a": 1.0}}, f"r{number}") for number in range(100)]
    assert draw_pool(runs, ["1"], spec(100_000, depth=1)).entries["inclusion_probability"].to_list() == [1.0]
