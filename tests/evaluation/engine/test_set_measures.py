"""Measures of retrieved sets and of bare order equal the field's programs, or plain counting where no program has them."""

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from evaluation.engine.averaging import summarise
from evaluation.engine.judgments import JudgmentError
from evaluation.engine.measures.names.registry import known_measures, parse_measure
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE, compares_with
from tests.evaluation.engine.random_collections import Collection, collections, make_judgments, make_ranking, make_run

EXACT = {"abs": 1e-9, "rel": 0}
LEVELS = st.sampled_from([1, 1, 2, 3])
CUTOFFS = st.sampled_from([None, 1, 2, 3, 5, 100])
SIZES = st.sampled_from([13, 14, 20, 1000])
"""No topic of the drawn collections has more than 13 documents."""


def score(collection: Collection, names: list[str]):
    return score_run(collection.run_table, collection.judgments, names)


def cells(collection: Collection, topic: str, level: int, cutoff: int | None, size: int) -> tuple[int, int, int, int]:
    """Count tp, fp, fn, tn by going through the whole collection, document by document."""
    grades = collection.grades[topic]
    retrieved = collection.scoring_order(topic)[:cutoff] if topic in collection.run else []
    named = {*grades, *retrieved}
    documents = [*named, *(f"further {number}" for number in range(size - len(named)))]
    pairs = [(docno in retrieved, grades.get(docno, 0) >= level) for docno in documents]
    return tuple(pairs.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False)))


def divide(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def f_measure(tp, fp, fn, beta):
    precision, recall = divide(tp, tp + fp), divide(tp, tp + fn)
    return divide((1 + beta**2) * precision * recall, beta**2 * precision + recall)


PLAIN = {
    "SetP": lambda tp, fp, fn, tn, beta: divide(tp, tp + fp),
    "SetR": lambda tp, fp, fn, tn, beta: divide(tp, tp + fn),
    "SetF": lambda tp, fp, fn, tn, beta: f_measure(tp, fp, fn, beta),
    "E": lambda tp, fp, fn, tn, beta: 1 - f_measure(tp, fp, fn, beta),
    "Fallout": lambda tp, fp, fn, tn, beta: divide(fp, fp + tn),
    "Specificity": lambda tp, fp, fn, tn, beta: divide(tn, fp + tn),
    "NPV": lambda tp, fp, fn, tn, beta: divide(tn, tn + fn),
    "FDR": lambda tp, fp, fn, tn, beta: divide(fp, tp + fp),
    "SetAccuracy": lambda tp, fp, fn, tn, beta: divide(tp + tn, tp + fp + fn + tn),
}
MICRO = {name: "micro_" + name.removeprefix("Set") for name in PLAIN}


def written(name: str, kind: str, level: int, cutoff: int | None, size: int, beta: float) -> str:
    settings_of = {"E": f"beta={beta},", "SetF": f"beta={beta},", "SetP": "", "SetR": "", "FDR": ""}
    at = "" if cutoff is None else f"@{cutoff}"
    return f"{name}({settings_of.get(kind, f'N={size},')}rel={level}){at}"


@given(collections(), LEVELS, st.sampled_from([0.5, 1.0, 2.0, 1.7]))
@examples(60)
@compares_with("trec_eval", EXAMPLE, 1, 2.0)
def test_precision_recall_and_f_of_the_retrieved_set_equal_the_standard_tool_which_takes_beta_squared(
    collection, level, beta
):
    """Topics without any grade from 0 are kept from the tool: there it reads memory it never wrote."""
    qrels = {topic: docs for topic, docs in collection.grades.items() if max(docs.values()) >= 0}
    if not qrels:
        return
    names = ["set_P", "set_recall", f"set_F.{beta**2:.12f}"]
    expected = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=level).evaluate(collection.run)
    scores = score(collection, [f"SetP(rel={level})", f"set_recall(rel={level})", f"SetF(beta={beta},rel={level})"])
    for topic, values in expected.items():
        found = scores.values[:, scores.topics.index(topic)]
        # 0/0 in the tool's F, where something is retrieved but nothing relevant, is 0 there as here.
        assert found == pytest.approx([values["set_P"], values["set_recall"], values["set_F"]], **EXACT)


def test_the_f_measure_of_ir_measures_takes_beta_squared_too():
    qrels, run = {"1": {"a": 1, "b": 1, "c": 1, "d": 1}}, {"1": {"a": 2.0, "x": 1.0}}
    [theirs] = ir_measures.iter_calc([ir_measures.SetF(beta=4.0)], qrels, run)
    collection = Collection(run, {"1": {docno: {"0": grade} for docno, grade in qrels["1"].items()}})
    assert score(collection, ["SetF(beta=2)"]).values[0, 0] == pytest.approx(theirs.value, **EXACT)
    assert theirs.value == pytest.approx(5 * 0.5 * 0.25 / (4 * 0.5 + 0.25), **EXACT)


@given(collections(), LEVELS, CUTOFFS, SIZES, st.sampled_from([0.0, 0.5, 1.0, 2.0]))
@examples(60)
@compares_with("second implementation", EXAMPLE, 1, None, 20, 1.0)
def test_every_set_measure_and_its_micro_average_equal_plain_counting(collection, level, cutoff, size, beta):
    names = [written(name, name, level, cutoff, size, beta) for name in PLAIN]
    micro = [written(MICRO[name], name, level, cutoff, size, beta) for name in PLAIN]
    scores = score(collection, [*names, *micro])
    counted = [cells(collection, topic, level, cutoff, size) for topic in scores.topics]
    for row, plain in enumerate(PLAIN.values()):
        expected = [plain(*of_topic, beta) for of_topic in counted]
        assert scores.values[row] == pytest.approx(expected, **EXACT), names[row]
        assert scores.values[len(PLAIN) + row] == pytest.approx(expected, **EXACT), micro[row]
    together = [sum(column) for column in zip(*counted, strict=True)]
    for name, summary in zip(PLAIN, summarise(scores)[len(PLAIN) :], strict=True):
        tp, fp, fn, _ = together
        if name == "E" and not (tp + fp) + beta**2 * (tp + fn):
            assert summary == 0.0, "nothing to weigh: nothing retrieved and nothing relevant in all topics"
        else:
            assert summary == pytest.approx(PLAIN[name](*together, beta), **EXACT), name


@given(collections(), LEVELS, CUTOFFS, st.integers(0, 12))
@examples(60)
def test_a_run_that_names_more_documents_than_the_collection_holds_keeps_every_value_in_range(
    collection, level, cutoff, more
):
    size = max(len(docs) for docs in collection.qrels.values()) + more
    names = [written(name, name, level, cutoff, size, 1.0) for name in PLAIN]
    names += [written(MICRO[name], name, level, cutoff, size, 1.0) for name in PLAIN]
    scores = score(collection, [*names, f"AUC(N={size},rel={level})"])
    for values in (scores.values, summarise(scores)):
        assert (values >= 0).all()
        assert (values <= 1).all()


def test_a_collection_smaller_than_its_own_qrels_is_refused_with_the_topic_and_the_remedy():
    judgments = make_judgments(("1", "a", 1), ("2", "a", 1), ("2", "b", 0), ("2", "c", -1))
    run = make_run(("1", "a", 1.0))
    assert score_run(run, judgments, ["Fallout(N=3)"]).values.tolist() == [[0.0, 0.0]]
    for name in ("Fallout(N=2)", "micro_Accuracy(N=2)@1", "AUC(N=2)"):
        with pytest.raises(JudgmentError, match=r"Topic 2 has 3 documents.*N=2 cannot hold.*as N\."):
            score_run(run, judgments, [name])


def test_a_set_measure_at_a_cutoff_measures_a_short_ranking_over_its_own_length():
    run, judgments = make_ranking([1, 0], relevant_in_all=4)
    scores = score_run(run, judgments, ["SetP@10", "P@10", "SetP@1", "FDR@10", "SetR@1"])
    assert scores.values[:, 0].tolist() == [0.5, 0.1, 1.0, 0.5, 0.25]


def test_a_micro_average_over_answered_topics_forgets_the_relevant_documents_of_missed_ones():
    judgments = make_judgments(("1", "a", 1), ("2", "a", 1), ("2", "b", 1), ("2", "c", 1))
    scores = score_run(make_run(("1", "a", 2.0), ("1", "x", 1.0)), judgments, ["micro_R", "micro_P", "SetR"])
    assert summarise(scores).tolist() == [0.25, 0.5, 0.5]
    assert summarise(scores, over="answered").tolist() == [1.0, 0.5, 1.0]


def in_our_order(collection: Collection) -> dict[str, dict[str, float]]:
    """Give distinct scores, for oracles that break ties in their own ways."""
    return {
        topic: {docno: float(-place) for place, docno in enumerate(collection.scoring_order(topic))}
        for topic in collection.run
    }


@given(collections(), LEVELS, CUTOFFS)
@examples(60)
@compares_with("ir_measures", EXAMPLE, 1, None)
def test_pair_accuracy_equals_ir_measures_wherever_that_has_a_value(collection, level, cutoff):
    """It fails where only relevant documents are retrieved, and is silent where none is: those have tests of their own."""
    name = f"Accuracy(rel={level})" + ("" if cutoff is None else f"@{cutoff}")
    scores = score(collection, [name])
    divisible = {}
    for topic, docs in in_our_order(collection).items():
        tp, fp, _, _ = cells(collection, topic, level, cutoff, 1000) if topic in collection.qrels else (0, 1, 0, 0)
        if fp:
            divisible[topic] = docs
        elif topic in scores.topics:
            assert scores.values[0, scores.topics.index(topic)] == float(tp > 0)
    theirs = ir_measures.iter_calc([ir_measures.parse_measure(name)], collection.grades, divisible)
    expected = {metric.query_id: metric.value for metric in theirs}
    for column, topic in enumerate(scores.topics):
        if topic in divisible or topic not in collection.run:
            assert scores.values[0, column] == pytest.approx(expected.get(topic, 0.0), **EXACT)


def test_a_ranking_of_relevant_documents_only_has_pair_accuracy_1_where_ir_measures_divides_by_zero():
    run, judgments = make_ranking([1, 1])
    assert score_run(run, judgments, ["Accuracy"]).values[0, 0] == 1.0
    with pytest.raises(ZeroDivisionError):
        list(ir_measures.iter_calc([ir_measures.Accuracy], {"1": {"a": 1}}, {"1": {"a": 1.0}}))


@pytest.mark.parametrize(
    ("grades", "expected"),
    [([1, 0, 1, 0], 0.75), ([0, 0, 1], 0.0), ([1, 0, 0], 1.0), ([0, 0], 0.0), ([0, 1, 1, 0], 0.5)],
)
@compares_with("worked example")
def test_pair_accuracy_by_hand(grades, expected):
    assert score_run(*make_ranking(grades), ["Accuracy"]).values[0, 0] == expected


@given(collections(), LEVELS, SIZES)
@examples(60)
@compares_with("scipy", EXAMPLE, 1, 20)
def test_the_area_under_the_roc_curve_is_the_rank_sum_statistic_with_ties_among_what_is_not_retrieved(
    collection, level, size
):
    scores = score(collection, [f"AUC(N={size},rel={level})"])
    for column, topic in enumerate(scores.topics):
        order = collection.scoring_order(topic) if topic in collection.run else []
        grades = collection.grades[topic]
        named = [*order, *(docno for docno in grades if docno not in order)]
        height = np.zeros(size)
        height[: len(order)] = range(len(order), 0, -1)
        relevant = np.zeros(size, dtype=bool)
        relevant[: len(named)] = [grades.get(docno, 0) >= level for docno in named]
        r, m = relevant.sum(), (~relevant).sum()
        u = rankdata(height)[relevant].sum() - r * (r + 1) / 2
        assert scores.values[0, column] == pytest.approx(divide(u, r * m), **EXACT)


@compares_with("worked example")
def test_the_area_under_the_roc_curve_by_hand():
    run, judgments = make_ranking([0, 1, 0], relevant_in_all=2)
    # The relevant document at rank 2 stands above 7 of the 8 others; the one not retrieved is tied with 6 of the 8.
    assert score_run(run, judgments, ["AUC(N=10)"]).values[0, 0] == pytest.approx((7 + 3) / 16, **EXACT)


@given(collections(), LEVELS, st.sampled_from([1, 2, 3, 1000]))
@examples(60)
@compares_with("second implementation", EXAMPLE, 1, 1000)
def test_the_rank_of_the_first_relevant_document_equals_plain_search_and_its_summary_is_the_median(
    collection, level, searched
):
    scores = score(collection, [f"RankFirstRel(rel={level})@{searched}"])
    expected = []
    for topic in scores.topics:
        order = collection.scoring_order(topic)[:searched] if topic in collection.run else []
        ranks = [rank for rank, docno in enumerate(order, 1) if collection.grades[topic].get(docno, 0) >= level]
        expected.append(min(ranks, default=searched + 1))
    assert scores.values[0].tolist() == expected
    assert summarise(scores).tolist() == [np.median(expected)]


@given(collections(), LEVELS, st.sampled_from([1, 3, 1000]))
@examples(30)
@compares_with("second implementation", EXAMPLE, 1, 1000)
def test_the_mean_rank_of_the_first_relevant_document_equals_plain_search(collection, level, searched):
    scores = score(collection, [f"MeanRankFirstRel(rel={level})@{searched}"])
    expected = []
    for topic in scores.topics:
        order = collection.scoring_order(topic)[:searched] if topic in collection.run else []
        ranks = [rank for rank, docno in enumerate(order, 1) if collection.grades[topic].get(docno, 0) >= level]
        expected.append(min(ranks, default=searched + 1))
    assert scores.values[0].tolist() == expected
    assert summarise(scores).tolist() == [pytest.approx(np.mean(expected))]


@given(collections(), LEVELS, st.sampled_from([0.0, 0.5, 1.0, 2.0]), CUTOFFS)
@examples(40)
@compares_with("second implementation", EXAMPLE, 1, 1.0, None)
def test_the_best_f_and_the_average_over_what_is_retrieved_equal_plain_loops(collection, level, beta, cutoff):
    at = "" if cutoff is None else f"@{cutoff}"
    scores = score(collection, [f"MaxF(rel={level},beta={beta})", f"APret(rel={level}){at}"])
    for place, topic in enumerate(scores.topics):
        order = collection.scoring_order(topic) if topic in collection.run else []
        relevant = [collection.grades[topic].get(docno, 0) >= level for docno in order]
        missed = sum(grade >= level for grade in collection.grades[topic].values()) - sum(relevant)
        tops = [(sum(relevant[:rank]), rank) for rank in range(1, len(order) + 1)]
        best = max((f_measure(tp, rank - tp, sum(relevant) + missed - tp, beta) for tp, rank in tops), default=0.0)
        assert scores.values[0, place] == pytest.approx(best, **EXACT)
        precisions = [
            tp / rank for (tp, rank), is_hit in zip(tops, relevant, strict=True) if is_hit and rank <= (cutoff or rank)
        ]
        assert scores.values[1, place] == pytest.approx(divide(sum(precisions), len(precisions)), **EXACT)


def test_the_median_rank_is_not_moved_by_one_topic_that_the_run_misses():
    judgments = make_judgments(*((str(topic), "a", 1) for topic in range(3)))
    run = make_run(("0", "x", 2.0), ("0", "a", 1.0), ("1", "a", 1.0))
    scores = score_run(run, judgments, ["RankFirstRel"])
    assert scores.measures == ("RankFirstRel@1000",)
    assert scores.values[0].tolist() == [2.0, 1.0, 1001.0]
    assert summarise(scores).tolist() == [2.0]
    assert summarise(scores, over="answered").tolist() == [1.5]


def test_the_measures_of_errors_and_ranks_say_that_lower_is_better():
    lower = {definition.name for definition in known_measures() if definition.lower_is_better}
    assert lower >= {"E", "Fallout", "FDR", "micro_E", "micro_Fallout", "micro_FDR", "RankFirstRel"}
    assert not lower & {"SetP", "SetR", "SetF", "Specificity", "NPV", "SetAccuracy", "AUC", "Accuracy"}


@pytest.mark.parametrize(
    ("written_as", "canonical"),
    [
        ("set_P", "SetP"),
        ("set_recall", "SetR"),
        ("FPR(N=100)", "Fallout(N=100)"),
        ("SetF(beta=2)@10", "SetF(beta=2.0)@10"),
        ("RankFirstRel", "RankFirstRel@1000"),
    ],
)
def test_the_other_names_of_set_measures(written_as, canonical):
    assert parse_measure(written_as).name == canonical


def test_a_collection_size_given_for_all_measures_holds_for_those_that_need_one():
    assert parse_measure("Fallout", defaults={"N": 528155}).name == "Fallout(N=528155)"
    assert parse_measure("SetP", defaults={"N": 528155}).name == "SetP"
