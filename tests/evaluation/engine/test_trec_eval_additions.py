"""What trec_eval's release 10 adds, its texts of grades, and its names."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.engine.measures.trec_eval_only import relevance_strings
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE, compares_with
from tests.evaluation.engine.random_collections import collections, make_judgments, make_ranking, make_run
from tests.evaluation.engine.trec_eval_oracle import EXACT, grades_in_order


def unjudged_plainly(grades: list[int | None], k: int) -> float:
    return sum(grade is None or grade < 0 for grade in grades[:k]) / k


def residual_plainly(grades: list[int | None], p: float) -> float:
    unjudged = [p ** (rank - 1) for rank, grade in enumerate(grades, start=1) if grade is None or grade < 0]
    return p ** len(grades) + (1 - p) * sum(unjudged) if unjudged else 0.0


def dcg_plainly(grades: list[int | None]) -> float:
    return sum(max(grade or 0, 0) / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


@given(collections(), st.sampled_from([0.0, 0.5, 0.9, 1.0]))
@examples(40)
@compares_with("second implementation", EXAMPLE, 0.5)
def test_what_release_10_adds_equals_its_definitions(collection, p):
    names = ["unj_1", "unj_5", "unj_20", f"rbp_resid(p={p})", "dcg", "ideal_dcg"]
    scores = score_run(collection.run_table, collection.judgments, names, "10")
    for column, topic in enumerate(scores.topics):
        grades = grades_in_order(collection, topic, float)
        expected = [
            *(unjudged_plainly(grades, k) for k in (1, 5, 20)),
            residual_plainly(grades, p),
            dcg_plainly(grades),
            dcg_plainly(sorted(collection.grades[topic].values(), reverse=True)),
        ]
        assert scores.values[:, column] == pytest.approx(expected, **EXACT)


def test_the_residual_leaves_the_tail_out_where_every_retrieved_document_is_judged():
    names = ["rbp_resid(p=0.5)", "unj_5"]
    assert score_run(*make_ranking([1, 0]), names).values[:, 0].tolist() == [0.0, 0.0]
    assert score_run(*make_ranking([1, -1]), names).values[:, 0].tolist() == [0.5, 0.2]


def sign_of(grade: int | None) -> str:
    if grade is None:
        return "-"
    return "." if grade < 0 else ">" if grade > 9 else str(grade)


@given(collections(grades=(-2, 11)), st.integers(1, 15), st.booleans())
@examples(40)
def test_relevance_strings_show_the_grades_by_rank(collection, k, judged_only):
    ranked = rank_run(collection.run_table, collection.judgments)
    written = relevance_strings(ranked.judged_only() if judged_only else ranked, k)
    for topic, text in zip(ranked.judgments.topics, written, strict=True):
        grades = grades_in_order(collection, topic)
        if judged_only:
            grades = [grade for grade in grades if grade is not None and grade >= 0]
        assert text == "".join(sign_of(grade) for grade in grades[:k])


def test_a_relevance_string_is_the_one_that_release_9_0_4_prints():
    judgments = make_judgments(("1", "a", 1), ("1", "b", 0), ("1", "c", 30), ("1", "e", -1))
    run = make_run(*(("1", docno, float(-place)) for place, docno in enumerate("axecb")))
    assert relevance_strings(rank_run(run, judgments)) == ["1-.>0"]
    assert relevance_strings(rank_run(run, judgments), 3) == ["1-."]


@pytest.mark.parametrize(
    ("tool", "canonical"),
    [
        ("gm_map", "GMAP"),
        ("Rprec", "Rprec"),
        ("Rprec_mult_1.20", "Rprec(mult=1.2)"),
        ("Rprec_mult_1.00", "Rprec"),
        ("relative_P_30", "RelP@30"),
        ("success_5", "Success@5"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("11pt_avg", "AP11"),
        ("11pt_avg(recalls=0;0.1;0.2;0.3;0.4;0.5;0.6;0.7;0.8;0.9;1)", "AP11"),
        ("11pt_avg(recalls=.2;0.5;.8)", "AP11(recalls=.2;0.5;.8)"),
        ("set_map", "SetAP"),
        ("set_relative_P", "SetRelP"),
        ("set_F_2", "set_F(x=2.0)"),
        ("utility(a=2,d=0.5,N=1000)", "utility(a=2.0,d=0.5,N=1000)"),
        ("unj_10", "unj@10"),
        ("rbp_resid(p=0.8)", "rbp_resid(p=0.8)"),
        ("Rndcg(rel=2)", "Rndcg(rel=2)"),
    ],
)
def test_the_tools_names_are_read_into_canonical_ones(tool, canonical):
    measure = parse_measure(tool)
    assert measure.name == canonical
    assert parse_measure(canonical) == measure


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("IPrec", "IPrec needs recall, the recall level: write IPrec@0.1"),
        ("IPrec@1.5", "recall=1.5: expected a number from 0 to 1"),
        ("AP11(recalls=0.5;2)", "expected recall levels from 0 to 1, as 0.2;0.5;0.8"),
        ("AP11(recalls=)", "expected recall levels"),
        ("Rprec(mult=-1)", "expected a number from 0"),
        ("set_F(x=-2)", "expected a number from 0"),
        ("rbp_resid(p=1.1)", "expected a number from 0 to 1"),
    ],
)
def test_parameters_outside_their_range_are_refused(written, message):
    with pytest.raises(MeasureNameError) as problem:
        parse_measure(written)
    assert message in str(problem.value)
