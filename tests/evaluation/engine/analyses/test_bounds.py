"""What the unjudged documents of a run could change: the arrays against judgments written anew, document by document."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.analyses.bounds import (
    NOT_RISING,
    UNJUDGED_LEFT_OUT,
    best_case,
    meaning_of_bounds,
    unjudged_bounds,
)
from evaluation.engine.arrays import NO_CUTOFF
from evaluation.engine.averaging import summarise
from evaluation.engine.measures import drawn_by_probability, sampled
from evaluation.engine.measures.names.registry import known_measures, parse_measure
from evaluation.engine.ranked_run import together
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.random_collections import (
    Collection,
    collections,
    make_judgments,
    make_ranking,
    make_run,
    make_subtopic_judgments,
)

EXACT = {"abs": 1e-9, "rel": 0}
SUBTOPICS = ["1", "2", "3"]
SAMPLED = {definition.name for definition in (*sampled.MEASURES, *drawn_by_probability.MEASURES)}


def every_measure() -> list[str]:
    """Give each measure that needs no sample in its examples' form, those with a cut-off also at a low one."""
    names = []
    for definition in known_measures():
        if definition.name not in SAMPLED:
            example = definition.example
            names.append(example)
            if definition.after_at == "k":
                names.append(f"{example.partition('@')[0]}@2")
    return [
        *names,
        "P(rel=2)@3",
        "RBP(max_rel=2)@3",
        "SetF(beta=2)@4",
        "DCG(gain=exponential,base=2)",
        "alpha-nDCG(rel=2)@5",
    ]


MEASURES = every_measure()
WITHIN = [name for name in MEASURES if meaning_of_bounds(parse_measure(name)) == "bounds"]


def depth_of(name: str) -> int | None:
    return dict(parse_measure(name).values).get("k")


def highest_grade(collection: Collection) -> int:
    return max([1, *(grade for docs in collection.grades.values() for grade in docs.values())])


def judged_anew(collection: Collection, depth: int | None, grade_of, elsewhere: int = 0) -> Collection:
    """Give every unjudged document of the first ranks a grade for each subtopic that the qrels have for its topic.

    So many documents of each topic that the run does not retrieve get one too.
    """
    qrels = {topic: dict(docs) for topic, docs in collection.qrels.items()}
    for topic in collection.run.keys() & collection.qrels.keys():
        subtopics = sorted({subtopic for grades in collection.qrels[topic].values() for subtopic in grades})
        for docno in collection.scoring_order(topic)[:depth]:
            if collection.grades[topic].get(docno, -1) < 0:
                qrels[topic][docno] = {subtopic: grade_of() for subtopic in subtopics}
        for number in range(elsewhere):
            qrels[topic][f"elsewhere{number}"] = {subtopic: grade_of() for subtopic in subtopics}
    return Collection(collection.run, qrels)


def bounds_of(collection: Collection, names: list[str], **options):
    return unjudged_bounds(rank_run(collection.run_table, collection.judgments), names, **options)


@given(collections(subtopics=SUBTOPICS))
@examples(12)
def test_every_measure_of_the_best_case_equals_that_under_judgments_written_anew(collection):
    names = [name for name in MEASURES if meaning_of_bounds(parse_measure(name)) != "none"]
    found = bounds_of(collection, names)
    best = highest_grade(collection)
    for depth in {depth_of(name) for name in names}:
        rows = [row for row, name in enumerate(names) if depth_of(name) == depth]
        anew = judged_anew(collection, depth, lambda: best)
        expected = score_run(anew.run_table, anew.judgments, [names[row] for row in rows])
        for row, values in zip(rows, expected.values, strict=True):
            assert found.unjudged_best.values[row] == pytest.approx(values, **EXACT), names[row]
    published = score_run(collection.run_table, collection.judgments, names)
    np.testing.assert_array_equal(found.unjudged_zero.values, published.values)
    assert found.unjudged_best.topics == published.topics
    assert found.unjudged_best.measures == published.measures


@given(collections(subtopics=SUBTOPICS), st.data())
@examples(12)
def test_whatever_grades_unjudged_documents_retrieved_or_not_have_a_bounded_measure_stays_within(collection, data):
    found = bounds_of(collection, WITHIN)
    low, high = found.summary()
    grades = st.integers(0, highest_grade(collection))
    for depth in {depth_of(name) for name in WITHIN}:
        rows = [row for row, name in enumerate(WITHIN) if depth_of(name) == depth]
        anew = judged_anew(collection, depth, lambda: data.draw(grades), elsewhere=2)
        scores = score_run(anew.run_table, anew.judgments, [WITHIN[row] for row in rows])
        for row, values, summary in zip(rows, scores.values, summarise(scores), strict=True):
            assert (values >= found.lower[row] - 1e-9).all(), WITHIN[row]
            assert (values <= found.upper[row] + 1e-9).all(), WITHIN[row]
            assert low[row] - 1e-9 <= summary <= high[row] + 1e-9, WITHIN[row]


@given(collections(subtopics=SUBTOPICS))
@examples(12)
def test_the_published_value_is_always_one_end_of_the_interval(collection):
    found = bounds_of(collection, MEASURES)
    published = score_run(collection.run_table, collection.judgments, MEASURES).values
    assert ((found.lower == published) | (found.upper == published)).all()
    assert (found.lower <= found.upper).all()
    assert np.isfinite(found.upper).all()


@given(collections(grades=(0, 3)), st.sampled_from([1, 2, 5]))
@examples(25)
def test_where_every_document_to_the_cutoff_is_judged_the_interval_is_a_point(collection, depth):
    judged = judged_anew(collection, depth, lambda: 0)
    names = [f"{name}@{depth}" for name in ("P", "nDCG", "R", "AP", "RBP", "Judged", "SetF", "nERR")]
    found = bounds_of(judged, names)
    np.testing.assert_allclose(found.lower, found.upper, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("measure", "grades", "mixture", "published", "best", "mixed"),
    [
        # A relevant document far down costs AP more than those above it bring.
        ("AP", [1, 0, None, None], [0, 1], 1.0, (1 + 2 / 3 + 3 / 4) / 3, (1 + 2 / 4) / 2),
        # Rank 1 is judged relevant and was all that R-precision looked at; rank 2 now counts, and is not relevant.
        ("Rprec", [1, 0, None, None, None], [0, 0, 1], 1.0, 3 / 4, 1 / 2),
        ("AUC(N=100)", [1, 0, None, None], [0, 1], 1.0, (97 + 96 + 96) / (3 * 97), (98 + 96) / (2 * 98)),
        # Of what is retrieved only: one relevant document far down lowers the mean of the precisions, several raise it again.
        ("APret", [1, 0, None, None], [0, 1], 1.0, (1 + 2 / 3 + 3 / 4) / 3, (1 + 2 / 4) / 2),
        # A reader who wants the gain 1 and is nearly given it goes on to a relevant document that is worth the way.
        ("BPM(max_rel=4)@3", [0, None, 4], [3], 1 / 3, 1 / 2, (3 / 4 + 1) / 3),
    ],
)
def test_a_mixture_of_grades_can_lie_outside_the_two_scenarios(measure, grades, mixture, published, best, mixed):
    run, _ = make_ranking([grade or 0 for grade in grades])
    docnos = run["docno"].to_list()
    known = [("1", docno, grade) for docno, grade in zip(docnos, grades, strict=True) if grade is not None]
    judgments = make_judgments(*known)
    found = unjudged_bounds(rank_run(run, judgments), [measure])
    assert found.meanings == ("scenarios",)
    assert found.unjudged_zero.values[0, 0] == pytest.approx(published, **EXACT)
    assert found.unjudged_best.values[0, 0] == pytest.approx(best, **EXACT)
    unknown = [docno for docno, grade in zip(docnos, grades, strict=True) if grade is None]
    anew = make_judgments(*known, *(("1", docno, grade) for docno, grade in zip(unknown, mixture, strict=True)))
    value = score_run(run, anew, [measure]).values[0, 0]
    assert value == pytest.approx(mixed, **EXACT)
    assert not found.lower[0, 0] <= value <= found.upper[0, 0]


@pytest.mark.parametrize("measure", ["R@2", "RelP@2", "SetF", "SetR", "nCG@2", "StRecall@2", "Fallout(N=9)"])
def test_relevant_documents_that_no_run_retrieves_take_a_measure_with_a_recall_base_out_of_its_scenarios(measure):
    run, _ = make_ranking([1, 0])
    judgments = make_judgments(("1", "d000", 1), ("1", "d001", 0))
    found = unjudged_bounds(rank_run(run, judgments), [measure])
    assert found.meanings == ("scenarios",)
    subtopics = [("1", subtopic, f"x{subtopic}", 1) for subtopic in ("2", "3", "4")]
    truth = make_subtopic_judgments(("1", "1", "d000", 1), ("1", "1", "d001", 0), *subtopics)
    value = score_run(run, truth, [measure]).values[0, 0]
    assert not found.lower[0, 0] <= value <= found.upper[0, 0]


def test_a_cutoff_keeps_the_unjudged_documents_beyond_it_from_lowering_a_value():
    run, _ = make_ranking([1, 0, 0, 0, 0, 0])
    judgments = make_judgments(("1", "d000", 1), ("1", "x", 1))
    found = unjudged_bounds(rank_run(run, judgments), ["R@2", "SetR", "nDCG@1"])
    assert found.unjudged_best.values[:, 0] == pytest.approx([2 / 3, 6 / 7, 1.0], **EXACT)


def test_a_pooled_document_without_a_grade_is_unjudged_too_and_the_best_grade_is_the_scales():
    run = make_run(("1", "a", 3.0), ("1", "b", 2.0), ("1", "x", 1.0))
    judgments = make_judgments(("1", "a", -1), ("1", "b", 1), ("2", "c", 3))
    found = unjudged_bounds(rank_run(run, judgments), ["P@3", "DCG@1", "Judged@3"])
    assert found.lower[:, 0] == pytest.approx([1 / 3, 0.0, 1 / 3], **EXACT)
    assert found.upper[:, 0] == pytest.approx([1.0, 3.0, 1.0], **EXACT)
    assert unjudged_bounds(rank_run(run, judgments), ["DCG@1"], best_grade=4).upper[0, 0] == 4.0


def test_among_judgments_without_a_relevant_document_the_best_grade_is_1():
    found = unjudged_bounds(rank_run(make_run(("1", "x", 1.0)), make_judgments(("1", "a", 0))), ["AP", "nDCG@5"])
    assert found.upper[:, 0].tolist() == [1.0, 1.0]


def test_an_unjudged_document_at_its_best_is_relevant_to_every_subtopic_of_its_topic():
    judgments = make_subtopic_judgments(
        *(("1", "1", "a", 1), ("1", "2", "b", 1), ("1", "2", "pooled", -1), ("2", "7", "a", 1))
    )
    run = make_run(("1", "x", 3.0), ("1", "a", 2.0), ("1", "pooled", 1.0), ("2", "x", 1.0))
    best = best_case(rank_run(run, judgments), NO_CUTOFF, 2)
    anew = best.judgments
    assert anew.topics == ("1", "2")
    assert anew.documents["docno"].to_list() == ["a", "b", "pooled", None, "a", None]
    assert anew.documents["topic"].to_list() == ["1", "1", "1", "1", "2", "2"]
    assert anew.topic.tolist() == [0, 0, 0, 0, 1, 1]
    assert anew.grade.tolist() == [1, 1, 2, 2, 1, 2]
    pairs = zip(anew.pair_document.tolist(), anew.pair_subtopic.tolist(), anew.pair_grade.tolist(), strict=True)
    assert list(pairs) == [
        *((0, 0, 1), (1, 1, 1), (2, 0, 2), (2, 1, 2), (3, 0, 2), (3, 1, 2), (4, 2, 1), (5, 2, 2)),
    ]
    assert anew.subtopic_topic.tolist() == [0, 0, 1]
    assert best.document.tolist() == [3, 0, 2, 5]
    assert best.grade.tolist() == [2, 1, 2, 2]


@pytest.mark.parametrize("measure", ["bpref", "infAP", "unj@5", "P(judged_only=true)@2", "num_nonrel_judged_ret"])
def test_a_measure_that_takes_no_unjudged_document_for_worthless_has_no_interval(measure):
    run = make_run(("1", "x", 3.0), ("1", "a", 2.0), ("1", "b", 1.0))
    ranked = rank_run(run, make_judgments(("1", "a", 0), ("1", "b", 1)))
    found = unjudged_bounds(ranked, [measure, "P@1"])
    assert found.meanings == ("none", "bounds")
    assert found.lower[0] == found.upper[0] == score_run(run, ranked.judgments, [measure]).values[0]
    assert (found.lower[1], found.upper[1]) == (0.0, 1.0)


def test_a_run_without_its_unjudged_documents_has_no_intervals():
    run = make_run(("1", "x", 2.0), ("1", "a", 1.0))
    found = unjudged_bounds(rank_run(run, make_judgments(("1", "a", 1))).judged_only(), ["P@1", "AP"])
    assert found.meanings == ("none", "none")
    assert found.lower.tolist() == found.upper.tolist() == [[1.0], [1.0]]


def test_gains_that_do_not_rise_with_the_grade_give_scenarios_only():
    assert meaning_of_bounds(parse_measure("DCG@10")) == "bounds"
    assert meaning_of_bounds(parse_measure("DCG(gain=exponential)@10")) == "bounds"
    assert meaning_of_bounds(parse_measure("DCG(gain=1:5;2:3)@10")) == "scenarios"


def test_the_summary_over_topics_is_that_of_the_two_worlds_micro_averages_included():
    run = make_run(("1", "a", 2.0), ("1", "x", 1.0), ("2", "y", 1.0))
    judgments = make_judgments(("1", "a", 1), ("2", "b", 1), ("3", "c", 1))
    found = unjudged_bounds(rank_run(run, judgments), ["SetP", "micro_P", "micro_R", "E"])
    low, high = found.summary()
    assert low == pytest.approx([0.5 / 3, 1 / 3, 1 / 3, (0 + 1 / 3 + 1) / 3], **EXACT)
    assert high == pytest.approx([2 / 3, 1.0, 3 / 5, (1 / 3 + 1 + 1) / 3], **EXACT)
    low, high = found.summary(over="answered")
    assert (low[0], high[0]) == pytest.approx((0.25, 1.0), **EXACT)


def test_a_run_that_names_more_documents_than_the_collection_holds_has_bounds_too():
    run = make_run(*(("1", f"d{place}", float(-place)) for place in range(9)))
    found = unjudged_bounds(rank_run(run, make_judgments(("1", "d0", 1))), ["Fallout(N=5)"])
    assert (found.lower[0, 0], found.upper[0, 0]) == (0.0, 1.0)


@given(collections(subtopics=SUBTOPICS))
@examples(12)
def test_the_best_case_of_runs_in_one_set_of_arrays_is_that_of_each(collection):
    first = rank_run(collection.run_table, collection.judgments)
    second = first.first(2)
    both = best_case(together([first, second]), 3, 4)
    parts = [best_case(run, 3, 4) for run in (first, second)]
    for name in ("AP", "nDCG@3", "alpha-nDCG@3", "P@5", "AP-IA"):
        values = parse_measure(name).compute(both)
        apart = np.concatenate([parse_measure(name).compute(part) for part in parts])
        np.testing.assert_allclose(values, apart, rtol=0, atol=1e-12)


def test_the_lists_of_measures_name_measures_that_exist_and_no_measure_twice():
    names = {definition.name for definition in known_measures()}
    assert names >= NOT_RISING
    assert names >= UNJUDGED_LEFT_OUT
    assert not NOT_RISING & UNJUDGED_LEFT_OUT
