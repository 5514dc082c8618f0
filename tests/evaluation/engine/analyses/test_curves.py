"""The curves go through the points that plain counting gives, and their areas and means are the measures'."""

from itertools import pairwise

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.analyses.curves import (
    FALSE_POSITIVE_RATES,
    RECALL_LEVELS,
    interpolated_curve,
    mean_interpolated_curve,
    recall_precision_points,
    roc_at_rates,
    roc_points,
)
from evaluation.engine.averaging import summarise
from evaluation.engine.ranked_run import together
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.random_collections import Collection, collections, make_judgments, make_ranking, make_run

EXACT = {"abs": 1e-9, "rel": 0}
LEVELS = st.sampled_from([1, 1, 2])
LEVEL_NAMES = [f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)]


def ranked_of(collection: Collection):
    return rank_run(collection.run_table, collection.judgments)


def relevance(collection: Collection, topic: str, level: int) -> tuple[list[bool], int]:
    """Say of each rank whether it holds a relevant document, and how many there are in the qrels."""
    grades = collection.grades[topic]
    order = collection.scoring_order(topic) if topic in collection.run else []
    return [grades.get(docno, 0) >= level for docno in order], sum(grade >= level for grade in grades.values())


def points(curve) -> list[tuple[float, float]]:
    return list(zip(*(axis.tolist() for axis in curve), strict=True))


@given(collections(), LEVELS)
@examples(40)
def test_the_recall_precision_curve_has_a_point_at_each_relevant_document(collection, level):
    ranked = ranked_of(collection)
    curves = recall_precision_points(ranked, level)
    average_precision = score_run(collection.run_table, collection.judgments, [f"AP(rel={level})"]).values[0]
    for group, topic in enumerate(ranked.judgments.topics):
        relevant, in_all = relevance(collection, topic, level)
        ranks = [rank for rank, is_relevant in enumerate(relevant, 1) if is_relevant]
        expected = [(found / in_all, found / rank) for found, rank in enumerate(ranks, 1)]
        found = points(curves.of(group))
        assert found == [pytest.approx(point, **EXACT) for point in expected]
        if in_all:
            assert sum(precision for _, precision in found) / in_all == pytest.approx(average_precision[group], **EXACT)


@given(collections(), LEVELS)
@examples(40)
def test_the_interpolated_curve_equals_the_standard_tool_at_its_eleven_levels(collection, level):
    """Topics without any grade from 0 are kept from the tool: there it reads memory it never wrote."""
    ranked = ranked_of(collection)
    curve = interpolated_curve(ranked, level)
    qrels = {topic: docs for topic, docs in collection.grades.items() if max(docs.values()) >= 0}
    expected = {}
    if qrels:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, [*LEVEL_NAMES, "11pt_avg"], relevance_level=level)
        expected = evaluator.evaluate(collection.run)
    for group, topic in enumerate(ranked.judgments.topics):
        values = [expected[topic][name] for name in LEVEL_NAMES] if topic in expected else [0.0] * 11
        assert curve[:, group] == pytest.approx(values, **EXACT)
        if topic in expected:
            assert curve[:, group].mean() == pytest.approx(expected[topic]["11pt_avg"], **EXACT)


@given(collections(), LEVELS)
@examples(40)
def test_the_curve_of_a_run_is_the_mean_of_its_topics_curves_and_its_mean_is_the_11_point_average(collection, level):
    ranked = ranked_of(collection)
    scores = score_run(collection.run_table, collection.judgments, [f"11pt_avg(rel={level})"])
    curve = mean_interpolated_curve(ranked, level)
    assert curve.tolist() == sorted(curve, reverse=True)
    assert curve.mean() == pytest.approx(summarise(scores)[0], **EXACT)
    answered = mean_interpolated_curve(ranked, level, counted=ranked.num_ret > 0)
    assert answered.mean() == pytest.approx(summarise(scores, over="answered")[0], **EXACT)


def test_other_recall_levels_are_asked_for_by_their_values():
    run, judgments = make_ranking([1, 0, 1, 0, 0, 1])
    assert interpolated_curve(rank_run(run, judgments), recall=np.array([0.0, 0.5, 1.0]))[:, 0] == pytest.approx(
        [1.0, 2 / 3, 0.5], **EXACT
    )
    assert RECALL_LEVELS.tolist() == [tenth / 10 for tenth in range(11)]


@given(collections(), LEVELS, st.sampled_from([13, 14, 30, 1000]))
@examples(60)
def test_the_roc_curve_equals_plain_counting_at_every_rank_and_encloses_the_area_of_its_measure(
    collection, level, size
):
    ranked = ranked_of(collection)
    curves = roc_points(ranked, size, level)
    area = score_run(collection.run_table, collection.judgments, [f"AUC(N={size},rel={level})"]).values[0]
    for group, topic in enumerate(ranked.judgments.topics):
        relevant, in_all = relevance(collection, topic, level)
        others = size - in_all
        expected = (
            [(rank - sum(relevant[:rank])) / others if others else 0.0 for rank in range(len(relevant) + 1)],
            [sum(relevant[:rank]) / in_all if in_all else 0.0 for rank in range(len(relevant) + 1)],
        )
        fpr, tpr = curves.of(group)
        assert fpr == pytest.approx([*expected[0], float(others > 0)], **EXACT)
        assert tpr == pytest.approx([*expected[1], float(in_all > 0)], **EXACT)
        assert np.trapezoid(tpr, fpr) == pytest.approx(area[group], **EXACT)


def test_the_roc_curve_by_hand():
    run, judgments = make_ranking([1, 0, 1], relevant_in_all=4)
    fpr, tpr = roc_points(rank_run(run, judgments), 14).of(0)
    assert fpr == pytest.approx([0, 0, 0.1, 0.1, 1], **EXACT)
    assert tpr == pytest.approx([0, 0.25, 0.25, 0.5, 1], **EXACT)


def test_a_roc_curve_stays_in_the_unit_square_when_a_run_names_more_documents_than_the_collection_holds():
    run = make_run(("1", "a", 3.0), ("1", "x", 2.0), ("1", "y", 1.0))
    fpr, tpr = roc_points(rank_run(run, make_judgments(("1", "a", 1), ("1", "b", 1))), 2).of(0)
    assert fpr.tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert tpr.tolist() == [0.0, 0.5, 0.5, 0.5, 1.0]


def test_a_topic_that_the_run_misses_has_no_recall_precision_point_and_the_diagonal_as_roc_curve():
    ranked = rank_run(make_run(("1", "a", 1.0)), make_judgments(("1", "a", 1), ("2", "a", 1)))
    assert points(recall_precision_points(ranked).of(1)) == []
    assert points(roc_points(ranked, 10).of(1)) == [(0.0, 0.0), (1.0, 1.0)]
    assert mean_interpolated_curve(ranked).tolist() == [0.5] * 11


def test_the_curves_of_several_runs_in_one_set_of_arrays_are_those_of_each():
    run, judgments = make_ranking([1, 0, 1, 1], relevant_in_all=5)
    first = rank_run(run, judgments)
    second = rank_run(run.with_columns(score=-run["score"]), judgments)
    for curve in (recall_precision_points, lambda ranked: roc_points(ranked, 20)):
        both = curve(together([first, second]))
        assert points(both.of(0)) == points(curve(first).of(0))
        assert points(both.of(1)) == points(curve(second).of(0))


@given(collections(), LEVELS, st.sampled_from([13, 14, 30, 1000]))
@examples(60)
def test_a_roc_curve_at_fixed_rates_lies_on_the_straight_lines_between_its_points(collection, level, size):
    ranked = ranked_of(collection)
    curves, at_rates = roc_points(ranked, size, level), roc_at_rates(ranked, size, level)
    for group in range(ranked.n_groups):
        steps = points(curves.of(group))
        if steps[-1][0] == 0.0:  # no other documents: the curve is a line upwards
            assert at_rates[:, group].tolist() == [steps[-1][1]] * len(FALSE_POSITIVE_RATES)
            continue
        for place, rate in enumerate(FALSE_POSITIVE_RATES.tolist()):
            highest = 0.0
            for (x, y), (next_x, next_y) in pairwise(steps):
                if x - 1e-9 <= rate <= next_x + 1e-9:
                    share = 1.0 if next_x - x < 1e-12 else min(max((rate - x) / (next_x - x), 0.0), 1.0)
                    highest = max(highest, y + share * (next_y - y))
            assert at_rates[place, group] == pytest.approx(highest, abs=1e-6)


def test_there_are_twenty_one_rates_from_0_to_1():
    assert len(FALSE_POSITIVE_RATES) == 21
    assert FALSE_POSITIVE_RATES.tolist() == sorted(set(FALSE_POSITIVE_RATES.tolist()))
    assert (FALSE_POSITIVE_RATES[0], FALSE_POSITIVE_RATES[-1]) == (0.0, 1.0)
