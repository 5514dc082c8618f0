"""Subtopic measures equal the web track's program; beyond its 20 ranks, a slow implementation in plain Python."""

import math
import random
from collections.abc import Iterable

import ir_measures
import numpy as np
import pyndeval
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.novelty import greedy_ranking
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.engine.scoring import score_run, score_runs
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE_WITH_SUBTOPICS, compares_with
from tests.evaluation.engine.random_collections import Collection, collections, make_run, make_subtopic_judgments

EXACT = {"abs": 1e-9, "rel": 0}
AT_CUTOFFS = ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec")
OF_THE_PROGRAM = [*(f"{name}@{k}" for name in AT_CUTOFFS for k in (1, 2, 3, 5, 10, 20)), "NRBP", "nNRBP", "MAP-IA"]
PROBABILITIES = st.sampled_from([0.5, 0.0, 0.1, 0.3, 0.9, 1.0])
SUBTOPICS = ["1", "2", "3", "10"]


def asked(name: str, alpha: float, beta: float, level: int) -> str:
    """The measure of the program under our name, with its options."""
    head, at, k = name.partition("@")
    definition = parse_measure(name).definition
    given = {"alpha": alpha, "beta": beta, "rel": level}
    inside = ",".join(f"{option}={value}" for option, value in given.items() if definition.parameter(option))
    return f"{head}({inside}){at}{k}"


def in_our_order(collection: Collection) -> list[tuple[str, str, float]]:
    """The program is given distinct scores: it has no tie rule but the order of the rank column."""
    return [
        (topic, docno, float(-place))
        for topic in collection.run
        for place, docno in enumerate(collection.scoring_order(topic))
    ]


def judgment_lines(collection: Collection) -> list[tuple[str, str, str, int]]:
    """In numeric order of the subtopics, which pyndeval numbers by their first appearance."""
    lines = [
        (topic, subtopic, docno, grade)
        for topic, docs in collection.qrels.items()
        for docno, grades in docs.items()
        for subtopic, grade in grades.items()
    ]
    return sorted(lines, key=lambda line: int(line[1]))


def program(collection: Collection, alpha: float, beta: float, level: int) -> dict[str, dict[str, float]]:
    """ndeval's values; where it divides 0 by 0, in nNRBP alone, they are nan."""
    evaluator = pyndeval.RelevanceEvaluator(
        judgment_lines(collection), OF_THE_PROGRAM, relevance_level=level, alpha=alpha, beta=beta
    )
    return evaluator.evaluate(in_our_order(collection))


@given(collections(subtopics=SUBTOPICS), PROBABILITIES, PROBABILITIES, st.sampled_from([1, 1, 2, 3]))
@examples(60)
@compares_with("ndeval", EXAMPLE_WITH_SUBTOPICS, 0.5, 0.5, 1)
def test_every_subtopic_measure_equals_the_web_tracks_program(collection, alpha, beta, level):
    expected = program(collection, alpha, beta, level)
    names = [asked(name, alpha, beta, level) for name in OF_THE_PROGRAM]
    scores = score_run(collection.run_table, collection.judgments, names)
    for column, topic in enumerate(scores.topics):
        relevant = any(grade >= level for grades in collection.qrels[topic].values() for grade in grades.values())
        for name, value in zip(OF_THE_PROGRAM, scores.values[:, column], strict=True):
            if topic not in expected or not relevant:
                assert value == 0.0, (name, topic)
            elif name == "nNRBP" and alpha == 0.0 and beta == 1.0:
                assert math.isnan(expected[topic][name])
                assert value == 0.0
            else:
                assert value == pytest.approx(expected[topic][name], **EXACT), (name, topic)


@given(collections(), PROBABILITIES)
@examples(25)
def test_judgments_without_subtopics_are_judgments_of_one_subtopic(collection, alpha):
    expected = program(collection, alpha, 0.8, 1)
    scores = score_run(
        collection.run_table, collection.judgments, [asked(name, alpha, 0.8, 1) for name in OF_THE_PROGRAM]
    )
    for column, topic in enumerate(scores.topics):
        for name, value in zip(OF_THE_PROGRAM, scores.values[:, column], strict=True):
            theirs = np.nan_to_num(expected.get(topic, {}).get(name, 0.0))
            assert value == pytest.approx(theirs, **EXACT), (name, topic)


@given(collections(subtopics=SUBTOPICS))
@examples(15)
def test_the_names_of_ir_measures_give_its_values(collection):
    """Each measure is asked alone: of several with different options it scores the first and gives 0 for the others."""
    names = [
        "ERR_IA@5",
        "nERR_IA(rel=2)@2",
        "alpha_DCG(alpha=0.3)@5",
        "alpha_nDCG(alpha=0.9, rel=2)@10",
        "AP_IA(rel=3)",
    ]
    names += ["P_IA(rel=2)@3", "StRecall@2", "NRBP(alpha=0.3, beta=0.8)", "nNRBP(rel=2, beta=0.8)"]
    qrels = [
        ir_measures.Qrel(topic, docno, grade, subtopic) for topic, subtopic, docno, grade in judgment_lines(collection)
    ]
    run = [ir_measures.ScoredDoc(*line) for line in in_our_order(collection)]
    scores = score_run(collection.run_table, collection.judgments, names)
    for row, name in enumerate(names):
        metrics = ir_measures.pyndeval.iter_calc([ir_measures.parse_measure(name)], qrels, run)
        expected = {metric.query_id: np.nan_to_num(metric.value) for metric in metrics}
        for column, topic in enumerate(scores.topics):
            assert scores.values[row, column] == pytest.approx(expected[topic], **EXACT), (name, topic)


@given(collections(subtopics=SUBTOPICS))
@examples(25)
def test_without_unjudged_documents_the_values_are_those_of_a_run_that_never_had_them(collection):
    """ir_measures has this option, but fails at it with a TypeError: the program is given the shorter run."""
    shorter = {
        topic: {docno: score for docno, score in docs.items() if collection.grades.get(topic, {}).get(docno, -1) >= 0}
        for topic, docs in collection.run.items()
    }
    expected = program(Collection(shorter, collection.qrels), 0.5, 0.5, 1)
    names = ["P-IA(judged_only=true)@3", "nNRBP(judged_only=true)"]
    scores = score_run(collection.run_table, collection.judgments, names)
    for column, topic in enumerate(scores.topics):
        theirs = [np.nan_to_num(expected.get(topic, {}).get(name, 0.0)) for name in ("P-IA@3", "nNRBP")]
        assert scores.values[:, column] == pytest.approx(theirs, **EXACT)


def sums_by_definition(covered: list[set[str]], alpha: float, weights: list[float]) -> list[float]:
    """Add up the weighted novelty of documents that cover these subtopics, rank by rank."""
    seen: dict[str, int] = {}
    sums, total = [], 0.0
    for subtopics, weight in zip(covered, weights, strict=True):
        total += weight * sum((1 - alpha) ** seen.get(subtopic, 0) for subtopic in sorted(subtopics))
        for subtopic in subtopics:
            seen[subtopic] = seen.get(subtopic, 0) + 1
        sums.append(total)
    return sums


def added(values: Iterable[float]) -> float:
    """One after the other, as ndeval does: its rounding decides between equal gains. From Python 3.12 on, `sum` has none."""
    total = 0.0
    for value in values:
        total += value
    return total


def greedy_by_definition(judged: dict[str, set[str]], alpha: float) -> list[set[str]]:
    waiting, seen, order = dict(judged), {}, []
    while waiting:
        best = max(waiting, key=lambda d: (added(seen.get(s, 1.0) for s in sorted(waiting[d], key=int)), d.encode()))
        for subtopic in waiting[best]:
            seen[subtopic] = seen.get(subtopic, 1.0) * (1 - alpha)
        order.append(waiting.pop(best))
    return order


def by_definition(
    judged: dict[str, set[str]], ranking: list[str], k: int, alpha: float, beta: float
) -> dict[str, float]:
    """All measures of one topic; `judged` holds the relevant documents with the subtopics that each covers."""
    covered = [judged.get(docno, set()) for docno in ranking][:k]
    ideal = greedy_by_definition(judged, alpha)[:k]
    subtopics = set().union(*judged.values())
    values = {}
    for name, weight in {
        "DCG": lambda rank: 1 / math.log2(rank + 1),
        "ERR": lambda rank: 1 / rank,
        "NRBP": lambda rank: beta ** (rank - 1),
    }.items():
        reached, best, imagined = (
            sums_by_definition(documents, alpha, [weight(rank) for rank in range(1, len(documents) + 1)])[-1]
            for documents in (covered, ideal, [subtopics] * k)
        )
        values[f"{name} over greedy"] = reached / best
        values[f"{name} over imagined"] = reached / imagined if k > 1 else reached
        values[f"{name} sum"] = reached
    precisions = [
        sum(sum(s in c for c in covered[:rank]) / rank for rank in range(1, len(covered) + 1) if s in covered[rank - 1])
        / sum(s in c for c in judged.values())
        for s in subtopics
    ]
    return {
        "alpha-DCG": values["DCG over imagined"],
        "alpha-nDCG": values["DCG over greedy"],
        "ERR-IA": values["ERR over imagined"],
        "nERR-IA": values["ERR over greedy"],
        "NRBP": values["NRBP sum"] * (1 - (1 - alpha) * beta) / len(subtopics),
        "nNRBP": values["NRBP over greedy"],
        "AP-IA": sum(precisions) / len(subtopics),
        "P-IA": sum(map(len, covered)) / (k * len(subtopics)),
        "StRecall": len(set().union(*covered)) / len(subtopics),
    }


@st.composite
def long_collections(draw) -> Collection:
    """A few topics with up to 150 documents each, of which many are alike."""
    rng = random.Random(draw(st.integers(0, 10**6)))
    docnos = [f"d{number}" for number in range(150)] + ["é", "\ufb03", "\U0001f600"]
    run, qrels = {}, {}
    for topic in rng.sample(["1", "2", "10", "é"], rng.randint(1, 3)):
        retrieved = rng.sample(docnos, rng.randint(1, len(docnos)))
        run[topic] = {docno: float(-place) for place, docno in enumerate(retrieved)}
        subtopics = [str(number) for number in range(1, rng.choice([1, 3, 12]) + 1)]
        share = rng.choice([0.05, 0.3, 0.8])
        qrels[topic] = {
            docno: {subtopic: int(rng.random() < share) for subtopic in subtopics}
            for docno in rng.sample(docnos, rng.randint(1, len(docnos)))
        }
    return Collection(run, qrels)


@given(long_collections(), st.sampled_from([0.5, 0.25, 0.1, 0.9]), st.sampled_from([0.5, 0.8, 0.99, 1.0]))
@examples(15)
@compares_with("second implementation", EXAMPLE_WITH_SUBTOPICS, 0.5, 0.8)
def test_every_measure_equals_its_definition_at_any_cutoff(collection, alpha, beta):
    """ndeval has cut-offs up to 20 only."""
    cutoffs = (1, 2, 20, 21, 64, 65, 100, 1000)
    kinds = ("alpha-DCG", "alpha-nDCG", "ERR-IA", "nERR-IA", "NRBP", "nNRBP", "AP-IA", "P-IA", "StRecall")
    names = [asked(f"{kind}@{k}", alpha, beta, 1) for k in cutoffs for kind in kinds]
    scores = score_run(collection.run_table, collection.judgments, names)
    for column, topic in enumerate(scores.topics):
        judged = {
            docno: {s for s, grade in grades.items() if grade} for docno, grades in collection.qrels[topic].items()
        }
        judged = {docno: subtopics for docno, subtopics in judged.items() if subtopics}
        ranking = list(collection.run[topic])
        values = iter(scores.values[:, column])
        for k in cutoffs:
            expected = by_definition(judged, ranking, k, alpha, beta) if judged else dict.fromkeys(kinds, 0.0)
            for kind in kinds:
                assert next(values) == pytest.approx(expected[kind], **EXACT), (kind, k, topic)


@given(long_collections(), st.sampled_from([0.5, 0.3, 1.0]))
@examples(15)
def test_without_a_cutoff_the_whole_ranking_counts(collection, alpha):
    names = [asked(name, alpha, 0.9, 1) for name in ("alpha-nDCG", "nERR-IA", "NRBP", "nNRBP", "AP-IA", "StRecall")]
    whole = score_run(collection.run_table, collection.judgments, names)
    deep = score_run(collection.run_table, collection.judgments, [f"{name}@1000" for name in names])
    np.testing.assert_allclose(whole.values, deep.values, rtol=0, atol=1e-12)


@given(long_collections(), st.sampled_from([0.5, 0.3, 0.0]))
@examples(15)
def test_the_greedy_ranking_itself_has_the_value_1(collection, alpha):
    """The order of documents that cover the same subtopics makes no difference."""
    greedy = {}
    for topic, docs in collection.qrels.items():
        judged = {docno: {s for s, grade in grades.items() if grade} for docno, grades in docs.items()}
        order = greedy_by_definition({docno: subtopics for docno, subtopics in judged.items() if subtopics}, alpha)
        waiting = dict(judged)
        for place, subtopics in enumerate(order):
            docno = next(docno for docno in waiting if waiting[docno] == subtopics)
            greedy.setdefault(topic, {})[docno] = float(-place)
            del waiting[docno]
    if not greedy:
        return
    names = [asked(name, alpha, 0.8, 1) for name in ("alpha-nDCG@1", "alpha-nDCG@7", "nERR-IA@40", "nNRBP", "StRecall")]
    scores = score_run(Collection(greedy, {}).run_table, collection.judgments, names)
    for column, topic in enumerate(scores.topics):
        assert scores.values[:, column] == pytest.approx([1.0 if topic in greedy else 0.0] * len(names), **EXACT)


@given(long_collections())
@examples(15)
def test_values_lie_in_their_range_and_more_ranks_cover_no_less(collection):
    names = [f"{name}@{k}" for name in ("StRecall", "NRBP", "AP-IA") for k in range(1, 40)]
    values = score_run(collection.run_table, collection.judgments, names).values.reshape(3, 39, -1)
    assert (np.diff(values, axis=1) >= 0).all()
    bounded = [
        f"{name}@{k}" for name in ("alpha-DCG", "ERR-IA", "P-IA", "StRecall", "AP-IA", "NRBP") for k in (2, 9, 99)
    ]
    values = score_run(collection.run_table, collection.judgments, bounded).values
    assert (values >= 0).all()
    assert (values <= 1 + 1e-12).all()


@given(collections(subtopics=SUBTOPICS), collections(subtopics=SUBTOPICS))
@examples(12)
def test_several_runs_at_once_have_the_values_of_each_alone(one, other):
    tables = [one.run_table, other.run_table, one.run_table]
    names = [asked(name, 0.3, 0.8, 1) for name in OF_THE_PROGRAM]
    for table, scores in zip(tables, score_runs(tables, one.judgments, names), strict=True):
        np.testing.assert_array_equal(scores.values, score_run(table, one.judgments, names).values)


WORKED = make_subtopic_judgments(
    *(("1", "1", "a", 1), ("1", "2", "a", 1), ("1", "1", "b", 2), ("1", "3", "c", 1), ("1", "4", "c", 0)),
    ("2", "1", "a", 0),
)
WORKED_RUN = make_run(("1", "a", 9.0), ("1", "b", 8.0), ("1", "x", 7.0), ("1", "c", 6.0), ("2", "a", 1.0))


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("alpha-DCG@1", 2.0),
        ("alpha-DCG@2", (2 + 0.5 / math.log2(3)) / (3 * (1 + 0.5 / math.log2(3)))),
        ("alpha-nDCG@1", 1.0),
        ("alpha-nDCG@2", (2 + 0.5 / math.log2(3)) / (2 + 1 / math.log2(3))),
        ("ERR-IA@1", 2.0),
        ("ERR-IA@4", (2 + 0.5 / 2 + 1 / 4) / (3 * (1 + 0.5 / 2 + 0.25 / 3 + 0.125 / 4))),
        ("nERR-IA@4", (2 + 0.5 / 2 + 1 / 4) / (2 + 1 / 2 + 0.5 / 3)),
        ("NRBP", (2 + 0.5 / 2 + 1 / 8) * 0.75 / 3),
        ("nNRBP", (2 + 0.5 / 2 + 1 / 8) / (2 + 1 / 2 + 0.5 / 4)),
        ("AP-IA", ((1 + 2 / 2) / 2 + 1 + 1 / 4) / 3),
        ("AP-IA@2", ((1 + 2 / 2) / 2 + 1) / 3),
        ("P-IA@2", 3 / (2 * 3)),
        ("P-IA@10", 4 / (10 * 3)),
        ("StRecall@2", 2 / 3),
        ("StRecall", 1.0),
        ("StRecall(rel=2)", 1.0),
        ("P-IA(rel=2)@2", 1 / 2),
    ],
)
@compares_with("worked example")
def test_a_ranking_that_can_be_followed_by_hand(measure, expected):
    """Documents a (subtopics 1 and 2), b (1), an unjudged one, c (3); subtopic 4 has no relevant document: S = 3."""
    values = score_run(WORKED_RUN, WORKED, [measure]).values[0]
    assert values.tolist() == pytest.approx([expected, 0.0], **EXACT)


def chain(first: str, second: str, third: str):
    """All three cover two subtopics; the greedy ranking that starts with the first finds less by the second rank."""
    pairs = ((first, "1"), (first, "2"), (second, "1"), (second, "3"), (third, "2"), (third, "4"))
    return make_subtopic_judgments(*(("1", subtopic, docno, 1) for docno, subtopic in pairs))


@pytest.mark.parametrize(
    ("docnos", "expected"), [("abc", 1.0), ("cba", (2 + 2 / math.log2(3)) / (2 + 1.5 / math.log2(3)))]
)
def test_among_equals_the_ideal_takes_the_larger_docno_even_if_a_run_can_then_pass_1(docnos, expected):
    first, second, third = docnos
    run = make_run(("1", second, 2.0), ("1", third, 1.0))
    assert score_run(run, chain(first, second, third), ["alpha-nDCG@2"]).values[0, 0] == pytest.approx(
        expected, **EXACT
    )
    lines = [("1", s, d, 1) for d, s in zip([first] * 2 + [second] * 2 + [third] * 2, "121324", strict=True)]
    lines.sort(key=lambda line: line[1])
    oracle = pyndeval.RelevanceEvaluator(lines, ["alpha-nDCG@2"]).evaluate([("1", second, 2.0), ("1", third, 1.0)])
    assert oracle["1"]["alpha-nDCG@2"] == pytest.approx(expected, **EXACT)


def test_undefined_values_are_0():
    """The program prints nan for nNRBP of a topic without relevant documents, and of every topic at alpha 0, beta 1."""
    judgments = make_subtopic_judgments(("1", "1", "a", 0), ("2", "1", "a", -1), ("3", "1", "a", 1))
    names = [asked(name, 0.5, 0.5, 1) for name in OF_THE_PROGRAM]
    scores = score_run(make_run(("1", "a", 1.0), ("2", "a", 1.0)), judgments, names)
    np.testing.assert_array_equal(scores.values, 0.0)
    endless = score_run(WORKED_RUN, WORKED, ["NRBP(alpha=0,beta=1)", "nNRBP(alpha=0,beta=1)"]).values
    np.testing.assert_array_equal(endless, 0.0)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("alpha_DCG@10", "alpha-DCG@10"),
        ("α-nDCG(alpha=0.9)@20", "alpha-nDCG(alpha=0.9)@20"),
        ("ERR_IA@20", "ERR-IA@20"),
        ("nERR_IA@20", "nERR-IA@20"),
        ("nNRBP(beta=0.8)", "nNRBP(beta=0.8)"),
        ("MAP-IA", "AP-IA"),
        ("AP_IA(rel=2)", "AP-IA(rel=2)"),
        ("P_IA@5", "P-IA@5"),
        ("strec@10", "StRecall@10"),
        ("StRecall", "StRecall"),
    ],
)
def test_the_programs_names_and_those_of_ir_measures_are_read(written, canonical):
    assert parse_measure(written).name == canonical


@pytest.mark.parametrize("name", ["alpha-DCG", "ERR-IA", "P-IA"])
def test_measures_that_are_divided_by_the_ranks_themselves_need_a_cutoff(name):
    with pytest.raises(MeasureNameError, match="needs a rank cut-off"):
        parse_measure(name)


def test_a_cutoff_that_would_fill_the_memory_is_refused_where_it_would_and_free_elsewhere():
    with pytest.raises(MeasureNameError, match="expected a whole number from 1 to 1000000"):
        parse_measure("ERR-IA@1000001")
    far = [f"{name}@{10**15}" for name in ("alpha-nDCG", "nERR-IA", "nNRBP", "P-IA", "StRecall", "AP-IA")]
    near = [f"{name}@1000" for name in ("alpha-nDCG", "nERR-IA", "nNRBP", "P-IA", "StRecall", "AP-IA")]
    values = score_run(WORKED_RUN, WORKED, [*far, *near]).values[:, 0].reshape(2, 6)
    values[0, 3] *= 10**12
    assert values[0] == pytest.approx(values[1], **EXACT)


def test_the_ideal_is_made_once_for_all_runs_and_the_usual_cutoffs():
    judgments = chain("a", "b", "c")
    assert greedy_ranking(judgments, 1, 0.5, 1) is greedy_ranking(judgments, 20, 0.5, 1)
