"""The measures of trec_eval's all_trec, and those that only it prints: equal to it, whatever the input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.averaging import summarise
from evaluation.engine.measures.declaration import compute_all
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.trec_eval_only import relevance_strings
from evaluation.engine.ranked_run import together
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE, compares_with
from tests.evaluation.engine.random_collections import Collection, collections, make_judgments, make_ranking, make_run
from tests.evaluation.engine.trec_eval_oracle import (
    ANSWERED,
    ASKED,
    EXACT,
    FOUR_DECIMALS,
    RECALLS,
    assert_equal_to_standard_tool,
    standard_tool,
)

MINE = [*ANSWERED, "yaap", "unj_5", "rbp_resid", "dcg", "ideal_dcg", "AP11(interpolated=false)", "set_F_2.5"]


@given(collections(), st.sampled_from([1, 1, 2, 3]))
@examples(50)
@compares_with("trec_eval", EXAMPLE, 1)
def test_every_measure_of_all_trec_is_equal_on_every_topic(collection, level):
    assert_equal_to_standard_tool(collection, ASKED, {name: name for name in ANSWERED}, level)


@given(collections(), st.sampled_from([1, 1, 2]))
@examples(40)
def test_every_measure_is_equal_without_the_unjudged_documents(collection, level):
    """Where no judged document is retrieved the tool divides 0 by 0 in interpolated precision: 0 was decided."""

    def undefined(name: str, topic: str) -> float:
        assert name == "11pt_avg" or name.startswith("iprec_at_recall_")
        assert all(collection.grades[topic].get(docno, -1) < 0 for docno in collection.run[topic])
        return 0.0

    measures = {name: name for name in ANSWERED}
    assert_equal_to_standard_tool(collection, ASKED, measures, level, judged_only=True, undefined=undefined)


@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.integers(1, 3))
@examples(25)
def test_every_measure_is_equal_on_long_rankings_with_many_relevant_documents(seed, documents, level):
    random = np.random.default_rng(seed)
    names = [f"d{number:03d}" for number in range(documents)]
    judged = random.random(documents) < 0.8
    grades = random.integers(-1, 5, documents)
    qrels = {name: {"0": int(grade)} for name, grade, is_judged in zip(names, grades, judged, strict=True) if is_judged}
    run = {name: float(score) for name, score in zip(names, random.integers(0, 300, documents), strict=True)}
    shown = random.integers(1, documents + 1)
    collection = Collection({"1": dict(list(run.items())[:shown])}, {"1": qrels or {"x": {"0": 0}}})
    assert_equal_to_standard_tool(collection, ASKED, {name: name for name in ANSWERED}, level)


@given(
    collections(),
    st.lists(st.integers(-3, 9), min_size=5, max_size=5),
    st.sampled_from([0.0, 0.5, 0.25]),
    st.sets(st.integers(0, 4), min_size=1),
    st.sampled_from([1, 2]),
)
@examples(50)
def test_gains_of_single_grades_are_equal(collection, whole, part, grades, level):
    """Gains 0 and below, and a gain of grade 0, are as the tool has them.

    Two gains that differ by less than 1 are kept from the tool: it takes them for equal when it sorts (see below).
    So either all grades have a gain of the same fractional part, or the listed gains are whole numbers. Where no gain is
    positive Rndcg is 0 / 0: 0 was decided.
    """
    grades = set(range(5)) if part else grades
    gains = {grade: whole[grade] + part for grade in sorted(grades)}
    pairs = ",".join(f"{grade}={gain}" for grade, gain in gains.items())
    listed = ";".join(f"{grade}:{gain}" for grade, gain in gains.items())
    names = ("G", "ndcg_rel", "Rndcg", "ndcg")

    def undefined(name: str, topic: str) -> float:
        assert name == "Rndcg"
        assert all(gains.get(grade, grade) <= 0 for grade in collection.grades[topic].values())
        return 0.0

    assert_equal_to_standard_tool(
        collection,
        [f"{name}.{pairs}" for name in names],
        {name: f"{name}(gain={listed})" for name in names},
        level,
        undefined=undefined,
    )


def test_gains_that_differ_by_less_than_one_are_ranked_by_gain_where_the_standard_tool_takes_them_for_equal():
    """The tool sorts gains by their difference cut to a whole number; the perfect ranking then passes 1."""
    run, judgments = make_ranking([2, 1, 1])
    collection = Collection(
        {"1": {"d000": 0.0, "d001": -1.0, "d002": -2.0}},
        {"1": {"d000": {"0": 2}, "d001": {"0": 1}, "d002": {"0": 1}}},
    )
    names = ["ndcg", "ndcg_rel", "G", "Rndcg"]
    oracle = standard_tool(collection, ["ndcg.2=1.5,1=1.25"])["1"]["ndcg"]
    assert oracle > 1.01
    values = score_run(run, judgments, [f"{name}(gain=2:1.5;1:1.25)" for name in names]).values[:, 0]
    assert values[:2].tolist() == [1.0, 1.0]
    assert values[3] == 1.0
    assert 0.0 < values[2] <= 1.0


@given(
    collections(),
    st.lists(st.integers(-4, 4).map(lambda quarter: quarter / 4), min_size=4, max_size=4),
    st.sampled_from([1, 2]),
)
@examples(40)
def test_utility_is_equal_for_all_worths(collection, worths, level):
    written = ",".join(f"{name}={worth}" for name, worth in zip("abcd", worths, strict=True))
    asked = f"utility.{','.join(map(str, worths))}"
    assert_equal_to_standard_tool(collection, [asked], {"utility": f"utility({written})"}, level)


def test_utility_counts_the_documents_of_the_collection_that_are_neither_retrieved_nor_relevant():
    """Release 9.0.4 prints 95.0000 for `-m utility.1,-1,0,1 -N 100`, and -5.0000 without -N."""
    grades = [1, -1, -1, 3]
    run, judgments = make_ranking(grades, relevant_in_all=3)
    measures = [parse_measure("utility(d=1)", defaults={"N": 100}), "utility(d=1)", "utility"]
    assert score_run(run, judgments, measures).values[:, 0].tolist() == [95.0, -5.0, 0.0]


def test_utility_of_a_topic_without_a_grade_from_0_is_that_of_its_retrieved_documents():
    run = make_run(("1", "a", 2.0), ("1", "b", 1.0))
    values = score_run(run, make_judgments(("1", "a", -1)), ["utility", "utility(b=-0.5,d=0.25)"]).values[:, 0]
    assert values.tolist() == [-2.0, -1.5]


def test_utility_of_nothing_retrieved_is_what_the_documents_left_behind_are_worth():
    """trec_eval does so for a topic that is left empty when unjudged documents are taken out."""
    judgments = make_judgments(("1", "a", 1), ("1", "b", 1), ("2", "a", 1))
    run = make_run(("1", "x", 1.0))
    assert score_run(run, judgments, ["utility(c=-1,judged_only=true)"]).values[0].tolist() == [-2.0, -1.0]
    collection = Collection({"1": {"x": 1.0}}, {"1": {"a": {"0": 1}, "b": {"0": 1}}})
    assert standard_tool(collection, ["utility.1,-1,-1,0"], judged_only=True)["1"]["utility"] == -2.0


@given(
    collections(),
    st.sampled_from([0.0, 0.5, 2.0, 4.0, 7.25]),
    st.lists(st.sampled_from(RECALLS), min_size=1, max_size=4),
)
@examples(30)
def test_set_f_and_the_average_over_recall_levels_take_the_parameters_of_the_standard_tool(collection, x, recalls):
    recalls = sorted(recalls)
    asked = [f"set_F.{x}", f"11pt_avg.{','.join(map(str, recalls))}"]
    measures = {"set_F": f"set_F_{x}", "11pt_avg": f"11pt_avg(recalls={';'.join(map(str, recalls))})"}
    assert_equal_to_standard_tool(collection, asked, measures)


def test_the_parameter_of_set_f_is_beta_squared():
    run, judgments = make_ranking([1, 0], relevant_in_all=4)
    values = score_run(run, judgments, ["set_F_2", "set_F_4", "SetF(beta=2)", "set_F", "SetF"]).values[:, 0]
    assert values == pytest.approx([0.3, 0.277778, 0.277778, 1 / 3, 1 / 3], abs=1e-6)


@given(collections(), st.sampled_from([1, 2]))
@examples(25)
def test_geometric_means_are_those_of_the_standard_tool(collection, level):
    expected = standard_tool(collection, ["gm_map", "gm_bpref"], level)
    measures = [parse_measure(name, defaults={"rel": level}) for name in ("gm_map", "gm_bpref")]
    scores = score_run(collection.run_table, collection.judgments, measures)
    for means, topics in (
        (summarise(scores, over="qrels"), collection.qrels),
        (summarise(scores, over="answered"), [topic for topic in collection.qrels if topic in collection.run]),
    ):
        for name, mean in zip(("gm_map", "gm_bpref"), means, strict=True):
            logs = [expected[topic][name] if topic in expected else math.log(1e-5) for topic in topics]
            assert mean == pytest.approx(math.exp(sum(logs) / len(logs)) if logs else 0.0, **EXACT)


@given(collections(), st.sampled_from([1, 2, 3]))
@examples(40)
@compares_with("second implementation", EXAMPLE, 1)
def test_the_log_odds_of_average_precision_follow_from_the_tools_average_precision(collection, level):
    """The Python oracle leaves yaap out; its formula needs only map and num_rel, which it has."""
    expected = standard_tool(collection, ["map", "num_rel"], level)
    measure = parse_measure("yaap", defaults={"rel": level})
    scores = score_run(collection.run_table, collection.judgments, [measure])
    for column, topic in enumerate(scores.topics):
        if topic in expected:
            total, relevant = expected[topic]["map"] * expected[topic]["num_rel"], expected[topic]["num_rel"]
            assert scores.values[0, column] == pytest.approx(math.log((1 + total) / (1 + relevant - total)), **EXACT)
        if topic not in collection.run:
            relevant = sum(grade >= level for grade in collection.grades[topic].values())
            assert scores.values[0, column] == pytest.approx(-math.log(1 + relevant), **EXACT)


@compares_with("worked example")
def test_r_precision_as_taught():
    retrieved = [f"d{number}" for number in (123, 84, 56, 6, 8, 9, 511, 129, 187, 25, 48, 250, 113, 3)]
    run = make_run(*(("1", docno, float(-place)) for place, docno in enumerate(retrieved)))
    for relevant, expected in (((3, 5, 9, 25, 39, 44, 56, 71, 89, 123), 0.4), ((3, 56, 129), 0.3333)):
        judgments = make_judgments(*(("1", f"d{number}", 1) for number in relevant))
        values = score_run(run, judgments, ["Rprec", "Rprec_mult_1.00"]).values[:, 0]
        assert values == pytest.approx([expected, expected], **FOUR_DECIMALS)


@compares_with("worked example")
def test_inferred_average_precision_of_a_ranking_by_hand():
    """Grades by rank: relevant, outside the qrels, pooled but unjudged, not relevant, relevant; R = 2.

    The last term: 1/5 + (3 in the pool / 5) * (1 + e) / (1 + 1 + 2e), e = 0.00001.
    """
    judgments = make_judgments(("1", "a", 1), ("1", "c", -1), ("1", "d", 0), ("1", "e", 1))
    run = make_run(*(("1", docno, float(-place)) for place, docno in enumerate("abcde")))
    value = score_run(run, judgments, ["infAP"]).values[0, 0]
    assert value == pytest.approx((1 + 1 / 5 + 3 / 5 * 1.00001 / 2.00002) / 2, **EXACT)


@given(collections())
@examples(40)
def test_what_must_hold_between_the_measures_holds(collection):
    ranked = rank_run(collection.run_table, collection.judgments)
    by_recall = compute_all([parse_measure(f"IPrec@{recall}") for recall in RECALLS], ranked)
    assert (np.diff(by_recall, axis=0) <= 0).all()
    for k in (1, 2, 5):
        precision, relative, success = (
            parse_measure(f"{name}@{k}").compute(ranked) for name in ("P", "RelP", "Success")
        )
        assert (by_recall[0] >= precision).all()
        assert (relative >= precision).all()
        assert ((success == 1) == (precision > 0)).all()
    assert (parse_measure("AP11").compute(ranked) >= parse_measure("AP11(interpolated=false)").compute(ranked)).all()
    for name in MINE:
        measure = parse_measure(name)
        low, high = measure.definition.range
        values = measure.compute(ranked)
        assert ((values >= low) & (values <= high + 1e-12)).all(), name


@given(collections(), collections())
@examples(25)
def test_runs_scored_together_have_the_values_they_have_alone(first, second):
    judgments = first.judgments
    runs = [rank_run(collection.run_table, judgments) for collection in (first, second)]
    measures = [parse_measure(name) for name in MINE]
    alone = np.concatenate([compute_all(measures, run) for run in runs], axis=1)
    np.testing.assert_array_equal(compute_all(measures, together(runs)), alone)
    both = together(runs)
    assert relevance_strings(both) == [text for run in runs for text in relevance_strings(run)]
