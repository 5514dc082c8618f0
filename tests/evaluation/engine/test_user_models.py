"""Measures made of a model of the reader equal cwl_eval (through ir_measures) and plain loops, topic by topic."""

import numpy as np
import pytest
from cwl.ruler.measures.cwl_rbp import RBPCWLMetric
from cwl.ruler.ranking import Ranking
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE, compares_with
from tests.evaluation.engine.ir_measures_oracle import ir_measures_values
from tests.evaluation.engine.random_collections import Collection, collections, make_judgments, make_ranking, make_run

EXACT = {"abs": 1e-9, "rel": 0}
STATIC = [
    *("RBP(p=0.8,rel=1)", "RBP(p=0.5,rel=2)", "RBP(p=0.95,rel=3)"),
    *(f"SDCG(max_rel={highest})@{k}" for highest in (2, 4) for k in (1, 3, 10)),
    *("INSQ(T=1.0,max_rel=4)", "INSQ(T=0.5,max_rel=2)", "INSQ(T=3.5,max_rel=3)"),
]
ADAPTIVE = [
    *("INST(T=1.0,max_rel=4)", "INST(T=0.5,max_rel=1)", "INST(T=0.5,max_rel=2)", "INST(T=2.25,max_rel=3)"),
    *(f"BPM(T={goal},max_rel={highest})@{k}" for goal in (0.5, 1.0, 2.75) for highest in (1, 4) for k in (1, 3, 10)),
]
SATISFIED = [
    *(f"{name}(max_rel={highest})@{k}" for name in ("NERR8", "NERR9") for highest in (1, 3) for k in (1, 3, 10)),
    *("NERR10(p=0.9,max_rel=4)", "NERR10(p=0.3,max_rel=2)", "NERR11(T=1.0,max_rel=4)", "NERR11(T=2.5,max_rel=1)"),
]


def assert_equal_to_cwl_eval(collection: Collection, names: list[str]):
    expected = ir_measures_values(names, collection)
    scores = score_run(collection.run_table, collection.judgments, names)
    for column, topic in enumerate(scores.topics):
        for row, name in enumerate(names):
            assert scores.values[row, column] == pytest.approx(expected[topic, name], **EXACT), (name, topic)


def value_of(measure: str, grades: list[int], **more: int) -> float:
    return score_run(*make_ranking(grades, **more), [measure]).values[0, 0]


@given(collections())
@examples(25)
@compares_with("cwl_eval", EXAMPLE)
def test_readers_who_do_not_mind_what_they_see_equal_cwl_eval(collection):
    assert_equal_to_cwl_eval(collection, STATIC)


@given(collections())
@examples(20)
@compares_with("cwl_eval", EXAMPLE)
def test_readers_with_a_goal_equal_cwl_eval(collection):
    assert_equal_to_cwl_eval(collection, ADAPTIVE)


@given(collections())
@examples(20)
@compares_with("cwl_eval", EXAMPLE)
def test_readers_who_may_be_satisfied_by_each_document_equal_cwl_eval(collection):
    assert_equal_to_cwl_eval(collection, SATISFIED)


@pytest.mark.parametrize("length", [999, 1000, 1001, 1500])
def test_long_rankings_equal_cwl_eval_which_reads_1000_ranks(length):
    grades = np.random.default_rng(length).integers(-1, 6, length).tolist()
    collection = Collection(
        {"1": {f"d{place:04d}": float(-place) for place in range(length)}},
        {"1": {f"d{place:04d}": {"0": grade} for place, grade in enumerate(grades) if place % 3}},
    )
    assert_equal_to_cwl_eval(collection, [*STATIC, *ADAPTIVE, *SATISFIED])


@given(collections(), st.sampled_from([0.5, 0.8, 0.95]))
@examples(25)
@compares_with("cwl_eval", EXAMPLE, 0.8)
def test_the_residual_of_rbp_equals_that_of_cwl_eval(collection, p):
    """Its residual is what the value grows by when unjudged documents and all below the end are relevant."""
    names = [f"RBP(p={p})", f"RBP_residual(p={p})"]
    scores = score_run(collection.run_table, collection.judgments, names)
    for column, topic in enumerate(scores.topics):
        if topic not in collection.run:
            assert scores.values[:, column].tolist() == [0.0, 0.0]
            continue
        grades = [collection.grades[topic].get(docno, -1) for docno in collection.scoring_order(topic)]
        gains = [np.nan if grade < 0 else float(grade >= 1) for grade in grades]
        oracle = RBPCWLMetric(p)
        oracle.residuals = True
        value = oracle.measure(Ranking(topic, gains, [np.nan] * len(gains)))
        assert scores.values[0, column] == pytest.approx(value, **EXACT)
        assert scores.values[1, column] == pytest.approx(oracle.residual_expected_utility, **EXACT)


@given(collections(), st.sampled_from([0.5, 0.9, 0.999]))
@examples(25)
@compares_with("second implementation", EXAMPLE, 0.5)
def test_graded_rbp_and_its_residual_down_to_a_rank_equal_plain_loops(collection, p):
    names = [
        f"RBP(p={p},max_rel=3)@2",
        f"RBP(p={p},max_rel=3)",
        f"RBP(p={p},rel=2,max_rel=3)@5",
        f"RBP_residual(p={p})@2",
    ]
    scores = score_run(collection.run_table, collection.judgments, names)
    for column, topic in enumerate(scores.topics):
        order = collection.scoring_order(topic) if topic in collection.run else []
        grades = [collection.grades[topic].get(docno, -1) for docno in order]
        gain_at = [(1 - p) * p**place * min(max(grade, 0), 3) / 3 for place, grade in enumerate(grades)]
        at_least_2 = sum(gain_at[place] for place, grade in enumerate(grades[:5]) if grade >= 2)
        unjudged = sum((1 - p) * p**place for place, grade in enumerate(grades[:2]) if grade < 0)
        residual = unjudged + p ** min(2, len(grades)) if grades else 0.0
        assert scores.values[:, column] == pytest.approx(
            [sum(gain_at[:2]), sum(gain_at), at_least_2, residual], **EXACT
        )


def test_rbp_is_the_sum_of_its_source_where_cwl_eval_cuts_it_off_and_scales_it_up():
    """cwl_eval reads 1000 ranks and divides by their weights in all, which a persistence near 1 makes visible."""
    grades = [1, 0, 1]
    oracle = RBPCWLMetric(0.999).measure(Ranking("1", [1.0, 0.0, 1.0], [np.nan] * 3))
    assert value_of("RBP(p=0.999)", grades) == pytest.approx(0.001 * (1 + 0.999**2), **EXACT)
    assert value_of("RBP(p=0.999)", grades) == pytest.approx(oracle * (1 - 0.999**1000), **EXACT)


def test_a_goal_is_reached_by_whole_grades_where_cwl_eval_adds_up_rounded_thirds():
    """Six times 1/3 as floats is less than 2, so that cwl_eval reads on to rank 10 in vain."""
    collection = Collection(
        {"1": {f"d{place}": float(-place) for place in range(8)}},
        {"1": {f"d{place}": {"0": 1} for place in range(6)}},
    )
    name = "BPM(T=2.0,max_rel=3)@10"
    assert ir_measures_values([name], collection)["1", name] == pytest.approx(2 / 10, **EXACT)
    assert score_run(collection.run_table, collection.judgments, [name]).values[0, 0] == pytest.approx(2 / 6, **EXACT)


@given(
    st.lists(st.integers(-1, 5), min_size=1, max_size=15), st.sampled_from([0.5, 1.0, 3.3]), st.sampled_from([1, 4, 20])
)
@examples(40)
@compares_with("second implementation", [2, 0, 1], 1.0, 4)
def test_inst_with_a_depth_of_its_own_equals_a_plain_loop_over_ranks(grades, goal, depth):
    gains = [min(max(grade, 0), 4) / 4 for grade in grades] + [0.0] * depth
    going_on, found, seen, total = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate(gains[:depth], start=1):
        seen += going_on
        total += going_on * gain
        found += gain
        left = goal - found
        going_on *= ((rank + goal + left - 1) / (rank + goal + left)) ** 2
    name = f"INST(T={goal},max_rel=4,depth={depth})"
    assert value_of(name, grades) == pytest.approx(total / seen, **EXACT)


@given(collections(), st.sampled_from(["INST", "INSQ", "NERR11"]))
@examples(20)
def test_nothing_below_the_depth_counts(collection, name):
    cut_off = Collection(
        {
            topic: {docno: collection.run[topic][docno] for docno in collection.scoring_order(topic)[:2]}
            for topic in collection.run
        },
        collection.qrels,
    )
    measure = f"{name}(T=2,max_rel=3,depth=2)"
    whole = score_run(collection.run_table, collection.judgments, [measure]).values
    assert whole == pytest.approx(score_run(cut_off.run_table, cut_off.judgments, [measure]).values, **EXACT)


@given(collections())
@examples(25)
def test_values_stay_between_0_and_1_and_rbp_below_its_upper_bound(collection):
    names = ["RBP", "RBP_residual", "RBP@2", "RBP_residual@2", "RBP(max_rel=4)", *STATIC, *ADAPTIVE, *SATISFIED]
    values = score_run(collection.run_table, collection.judgments, names).values
    assert values.min() >= 0.0
    assert values.max() <= 1.0 + 1e-12
    assert (values[0] + values[1] <= 1.0 + 1e-12).all()
    assert (values[2] + values[3] <= 1.0 + 1e-12).all()


@given(collections(), st.integers(0, 2**16))
@examples(25)
def test_no_judgment_of_what_is_unjudged_takes_rbp_out_of_its_bounds(collection, seed):
    drawn = np.random.default_rng(seed)
    judged_later = {
        topic: {
            **docs,
            **{
                docno: {"0": int(drawn.integers(0, 2))}
                for docno in collection.run.get(topic, {})
                if collection.grades[topic].get(docno, -1) < 0
            },
        }
        for topic, docs in collection.qrels.items()
    }
    value, residual = score_run(collection.run_table, collection.judgments, ["RBP", "RBP_residual"]).values
    later = score_run(collection.run_table, Collection(collection.run, judged_later).judgments, ["RBP"]).values[0]
    assert (later >= value - 1e-12).all()
    assert (later <= value + residual + 1e-12).all()


@pytest.mark.parametrize(
    "name", ["INSQ(T=1,max_rel=2)", "INST(T=1,max_rel=2)", "SDCG(max_rel=2)@4", "NERR9(max_rel=2)@4"]
)
def test_only_documents_of_the_highest_grade_all_the_way_down_make_a_value_of_1(name):
    perfect = [2] * 1000
    assert value_of(name, perfect) == pytest.approx(1.0, **EXACT)
    assert value_of(name, [1, *perfect]) < 1.0


def test_topics_without_answer_or_without_relevant_documents_score_0():
    judgments = make_judgments(("1", "a", 1), ("2", "a", 0), ("3", "a", -1))
    run = make_run(("2", "a", 1.0), ("3", "a", 1.0))
    scores = score_run(run, judgments, ["RBP", "RBP(max_rel=2)", *STATIC, *ADAPTIVE, *SATISFIED])
    np.testing.assert_array_equal(scores.values, 0.0)


def test_what_nothing_is_known_of_may_still_be_relevant_but_a_missed_topic_stays_0():
    judgments = make_judgments(("1", "a", 1), ("2", "a", 0), ("3", "a", 1))
    run = make_run(("1", "x", 1.0), ("2", "a", 1.0))
    residuals = score_run(run, judgments, ["RBP_residual(p=0.5)"]).values[0]
    assert residuals == pytest.approx([1.0, 0.5, 0.0], **EXACT)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("INST", "INST needs max_rel, the highest grade of the scale: write INST\\(max_rel=4\\)"),
        ("BPM(max_rel=3)", "BPM needs a rank cut-off: write BPM\\(max_rel=4\\)@10"),
        ("INSQ(T=0.2,max_rel=3)", "T=0.2: expected a number from 0.5"),
        ("RBP(p=1.5)", "p=1.5: expected a number from 0 to 1"),
        ("SDCG(max_rel=3)@1000000", "expected a whole number from 1 to 10000"),
        ("INST(max_rel=0)", "max_rel=0: expected a whole number from 1 to 1000"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(written, message):
    with pytest.raises(MeasureNameError, match=message):
        parse_measure(written)
