"""Curves over all topics together go through the points that counting rank by rank gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.analyses.curves import (
    RECALL_LEVELS,
    mean_interpolated_curve,
    pooled_f,
    pooled_interpolated_curve,
    pooled_recall_precision,
    retrieved_to,
)
from evaluation.engine.averaging import summarise
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.random_collections import Collection, collections, make_judgments, make_run

EXACT = {"abs": 1e-9, "rel": 0}
DEEPEST = 14


def counted(collection: Collection, level: int) -> tuple[list[tuple[int, int]], int]:
    """Relevant and retrieved documents of all topics to each rank from 1, and all relevant ones, one after another."""
    in_all = sum(grade >= max(level, 0) for grades in collection.grades.values() for grade in grades.values())
    so_far = []
    for depth in range(1, DEEPEST + 1):
        found = retrieved = 0
        for topic, grades in collection.grades.items():
            order = collection.scoring_order(topic)[:depth] if topic in collection.run else []
            retrieved += len(order)
            found += sum(grades.get(docno, -1) >= level for docno in order)
        so_far.append((found, retrieved))
    return so_far, in_all


@given(collections(), st.sampled_from([1, 1, 2]))
@examples(60)
def test_the_pooled_curve_is_the_best_precision_that_plain_counting_finds_at_a_recall_or_beyond(collection, level):
    ranked = rank_run(collection.run_table, collection.judgments)
    so_far, in_all = counted(collection, level)
    expected = []
    for tenth in range(11):
        reached = [found / retrieved for found, retrieved in so_far if found and 10 * found >= tenth * in_all]
        expected.append(max(reached, default=0.0))
    assert pooled_interpolated_curve(ranked, level) == pytest.approx(expected, **EXACT)


@given(collections(), st.sampled_from([1, 2]), st.sampled_from([0.5, 1.0, 2.0]))
@examples(40)
def test_pooled_points_and_f_are_the_micro_averages_of_their_measures(collection, level, beta):
    ranked = rank_run(collection.run_table, collection.judgments)
    ranks = np.arange(1, DEEPEST + 1)
    names = [f"{name}@{k}" for k in ranks for name in (f"micro_R(rel={level})", f"micro_P(rel={level})")]
    measured = summarise(score_run(collection.run_table, collection.judgments, names)).reshape(-1, 2)
    recall, precision = pooled_recall_precision(ranked, level)
    hit_ranks = np.unique(ranked.relevant(level).rank)
    assert np.column_stack([recall, precision]) == pytest.approx(measured[hit_ranks - 1], **EXACT)
    of_f = [f"micro_F(rel={level},beta={beta})@{k}" for k in ranks]
    assert pooled_f(ranked, ranks, level, beta) == pytest.approx(
        summarise(score_run(collection.run_table, collection.judgments, of_f)), **EXACT
    )
    assert retrieved_to(ranked, ranks).tolist() == [retrieved for _, retrieved in counted(collection, level)[0]]


def test_five_small_topics_weigh_as_much_as_five_large_ones_in_a_macro_average_and_hardly_in_a_micro_average():
    """Five topics with 1 relevant of 1 retrieved, five with 99 of 198: macro precision .75, micro 500/995."""
    lines, judged = [], []
    for topic in range(5):
        lines.append((f"s{topic}", "d", 1.0))
        judged.append((f"s{topic}", "d", 1))
        for place in range(198):
            lines.append((f"l{topic}", f"d{place:03d}", -float(place)))
            judged.append((f"l{topic}", f"d{place:03d}", place % 2))
    ranked = rank_run(make_run(*lines), make_judgments(*judged))
    recall, precision = pooled_recall_precision(ranked)
    assert (recall[-1], precision[-1]) == (1.0, pytest.approx(500 / 995))
    assert pooled_interpolated_curve(ranked)[-1] == pytest.approx(0.5025, abs=0.5e-4)
    assert mean_interpolated_curve(ranked)[-1] == pytest.approx(0.75)


def test_a_run_that_finds_nothing_has_a_curve_of_zeros():
    ranked = rank_run(make_run(("1", "x", 1.0)), make_judgments(("1", "a", 1)))
    assert pooled_interpolated_curve(ranked).tolist() == [0.0] * len(RECALL_LEVELS)
    nothing_to_find = rank_run(make_run(("1", "a", 1.0)), make_judgments(("1", "a", 0)))
    assert pooled_interpolated_curve(nothing_to_find).tolist() == [0.0] * len(RECALL_LEVELS)
    assert pooled_f(nothing_to_find, np.array([1])).tolist() == [0.0]
