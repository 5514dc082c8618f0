"""Every measure equals the field's own programs, topic by topic, on input made to be nasty."""

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE, compares_with
from tests.evaluation.engine.random_collections import Collection, collections, make_judgments, make_run

TOOL_NAMES = [
    *("map", "recip_rank", "bpref", "ndcg", "num_ret", "num_rel", "num_rel_ret"),
    *(f"{name}_{k}" for name in ("P", "recall", "ndcg_cut", "map_cut") for k in (1, 2, 3, 10, 100)),
]
EXACT = {"abs": 1e-9, "rel": 0}


def standard_tool(collection: Collection, level: int = 1, gain=lambda grade: grade) -> dict[str, dict[str, float]]:
    """Release 9.0's values. Topics without any grade from 0 are kept from it: there it reads memory it never wrote."""
    qrels = {
        topic: {docno: gain(grade) for docno, grade in docs.items()}
        for topic, docs in collection.grades.items()
        if max(docs.values()) >= 0
    }
    if not qrels:
        return {}
    return pytrec_eval.RelevanceEvaluator(qrels, TOOL_NAMES, relevance_level=level).evaluate(collection.run)


def assert_equal_to_standard_tool(
    collection: Collection, expected: dict[str, dict[str, float]], level: int = 1, **options
):
    measures = [parse_measure(name, defaults={"rel": level}) for name in TOOL_NAMES]
    scores = score_run(collection.run_table, collection.judgments, measures, **options)
    assert scores.topics == tuple(sorted(collection.qrels, key=str.encode))
    for column, topic in enumerate(scores.topics):
        answered = topic in collection.run
        assert scores.answered[column] == answered
        for row, name in enumerate(TOOL_NAMES):
            value = scores.values[row, column]
            if topic in expected:
                assert value == pytest.approx(expected[topic][name], **EXACT), (name, topic)
            elif name == "num_rel":
                assert value == sum(grade >= level for grade in collection.grades[topic].values())
            elif name == "num_ret":
                assert value == len(collection.run.get(topic, {}))
            else:
                assert value == 0.0, (name, topic)


@given(collections(), st.sampled_from([1, 1, 2, 3]))
@examples(100)
@compares_with("trec_eval", EXAMPLE, 1)
def test_every_measure_of_the_standard_tool_is_equal_on_every_topic(collection, level):
    assert_equal_to_standard_tool(collection, standard_tool(collection, level), level)


@given(collections())
@examples(40)
def test_release_10_differs_only_in_comparing_scores_in_double_precision(collection):
    """No oracle of release 10 runs in Python: release 9 is given whole numbers in the order that doubles prescribe."""
    places = {
        topic: {docno: float(-place) for place, docno in enumerate(collection.scoring_order(topic, float))}
        for topic in collection.run
    }
    expected = standard_tool(Collection(places, collection.qrels))
    assert_equal_to_standard_tool(collection, expected, reference="10")


@given(collections(grades=(0, 4)))
@examples(25)
def test_exponential_gain_equals_the_standard_tool_on_grades_mapped_to_gains(collection):
    """trec_eval has linear gain only, so the oracle is given 2^grade - 1 as grades."""
    expected = standard_tool(collection, gain=lambda grade: 2**grade - 1)
    scores = score_run(
        collection.run_table, collection.judgments, ["nDCG(gain=exponential)@3", "nDCG(gain=exponential)"]
    )
    for column, topic in enumerate(scores.topics):
        if topic in expected:
            assert scores.values[0, column] == pytest.approx(expected[topic]["ndcg_cut_3"], **EXACT)
            assert scores.values[1, column] == pytest.approx(expected[topic]["ndcg"], **EXACT)


@given(collections(grades=(0, 3)))
@examples(25)
@compares_with("ir_measures", EXAMPLE)
def test_judged_share_equals_ir_measures(collection):
    """ir_measures counts a negative grade as judged, trec_eval does not: here there is none.

    It keeps input order among ties: it is given distinct scores in our order.
    """
    places = {
        topic: {docno: float(-place) for place, docno in enumerate(collection.scoring_order(topic))}
        for topic in collection.run
    }
    oracle = [ir_measures.parse_measure(f"Judged@{k}") for k in (1, 3, 10)]
    expected = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc(oracle, collection.grades, places)
    }
    scores = score_run(collection.run_table, collection.judgments, ["Judged@1", "Judged@3", "Judged@10"])
    for column, topic in enumerate(scores.topics):
        for row, name in enumerate(scores.measures):
            assert scores.values[row, column] == pytest.approx(expected[topic, name], **EXACT)


def test_a_topic_of_unjudged_documents_only_scores_zero_where_the_standard_tool_reads_stale_memory():
    judgments = make_judgments(("1", "a", 2), ("2", "a", -1), ("3", "a", -2))
    run = make_run(("1", "a", 1.0), ("2", "a", 1.0), ("3", "a", 1.0))
    scores = score_run(run, judgments, ["AP", "nDCG@10", "P@10", "RR", "R@100", "bpref", "alpha-nDCG@10", "Judged@10"])
    np.testing.assert_array_equal(scores.values[:, 1:], 0.0)
    assert scores.of("AP")[0] == 1.0


def test_a_negative_grade_is_pooled_but_not_judged():
    judgments = make_judgments(("1", "a", -1), ("1", "b", 0), ("1", "c", 1))
    scores = score_run(make_run(("1", "a", 3.0), ("1", "b", 2.0), ("1", "x", 1.0)), judgments, ["Judged@3", "num_rel"])
    assert scores.values[:, 0].tolist() == pytest.approx([1 / 3, 1.0])
