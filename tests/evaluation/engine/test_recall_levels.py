"""Precision at recall levels, averaged over eleven of them: by trec_eval's rule and as it is taught."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE, compares_with
from tests.evaluation.engine.random_collections import collections, make_ranking
from tests.evaluation.engine.trec_eval_oracle import ELEVEN, EXACT, FOUR_DECIMALS, RECALLS, grades_in_order


def rounded(number: float) -> int:
    """C's lround for numbers from 0: to the nearest, halves up, exactly."""
    return int(number) + (number - int(number) >= 0.5)


def interpolated_plainly(grades: list[int | None], recall: float, num_rel: int, level: int) -> float:
    asked_for, found, best = rounded(recall * num_rel), 0, 0.0
    for rank, grade in enumerate(grades, start=1):
        found += grade is not None and grade >= level
        if found and found >= asked_for:
            best = max(best, found / rank)
    return best


@given(collections(), st.sampled_from([1, 2]))
@examples(40)
@compares_with("second implementation", EXAMPLE, 1)
def test_release_10_rounds_recall_levels_to_the_nearest_document(collection, level):
    """No oracle of release 10 runs in Python: this is its rule in the plainest form."""
    measures = [parse_measure(f"IPrec@{recall}", defaults={"rel": level}) for recall in RECALLS]
    measures.append(parse_measure("AP11", defaults={"rel": level}))
    scores = score_run(collection.run_table, collection.judgments, measures, "10")
    for column, topic in enumerate(scores.topics):
        grades = grades_in_order(collection, topic, float)
        num_rel = sum(grade >= level for grade in collection.grades[topic].values())
        at_recall = {recall: interpolated_plainly(grades, recall, num_rel, level) for recall in {*RECALLS, *ELEVEN}}
        expected = [at_recall[recall] for recall in RECALLS]
        expected.append(sum(at_recall[recall] for recall in ELEVEN) / 11)
        assert scores.values[:, column] == pytest.approx(expected, **EXACT)


def test_a_half_document_is_rounded_up_by_release_10_and_a_tenth_is_cut_off_by_release_9():
    """Five relevant: level 0.5 asks for 2.5 documents, 0.1 for half a one; release 9 asks for 3 and 1 (2.5 + 0.9 = 3.4).

    Level 0.22 asks for 1.1: release 9 takes 2 (1.1 + 0.9), release 10 takes 1.
    """
    run, judgments = make_ranking([1, 0, 0, 1, 0, 1, 0, 0, 0, 0], relevant_in_all=5)
    names = ["IPrec@0.5", "IPrec@0.1", "IPrec@0.22", "IPrec@0.0", "IPrec@0.7"]
    assert score_run(run, judgments, names).values[:, 0].tolist() == [0.5, 1.0, 0.5, 1.0, 0.0]
    assert score_run(run, judgments, names, "10").values[:, 0].tolist() == [0.5, 1.0, 1.0, 1.0, 0.0]


A = [1, 0, 1, 1, 1, 1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("grades", "relevant_in_all", "taught", "of_the_tool"),
    [
        (A, 6, 0.8212, 0.8212),
        ([0, 1, 0, 0, 1, 1, 1, 0, 1, 1], 6, 0.6000, 0.6000),
        ([1, 0, 0, 0, 0, 1, 0, 0, 0, 1], 3, 0.5636, 0.5667),
        ([0, 1, 0, 0, 1, 0, 1, 0, 0, 0], 3, 0.4545, 0.4545),
    ],
)
@compares_with("worked example")
def test_eleven_point_interpolated_average_precision(grades, relevant_in_all, taught, of_the_tool):
    """Recall .7 of 3 documents is 3 documents; to the tool it is 2, as .7 * 3 + .9 is 2.9999999999999996 in doubles."""
    run, judgments = make_ranking(grades, relevant_in_all=relevant_in_all)
    values = score_run(run, judgments, ["AP11(exact=true)", "AP11"]).values[:, 0]
    assert values == pytest.approx([taught, of_the_tool], **FOUR_DECIMALS)


@compares_with("worked example")
def test_interpolated_precision_at_the_eleven_recall_levels_as_taught():
    run, judgments = make_ranking(A, relevant_in_all=6)
    values = score_run(run, judgments, [f"IPrec@{recall}" for recall in ELEVEN]).values[:, 0]
    assert values == pytest.approx([1, 1, *[0.8333] * 7, 0.6, 0.6], **FOUR_DECIMALS)


def test_without_interpolation_the_precision_at_each_recall_level_counts():
    """Relevant at ranks 1, 3, 4 of R = 3: precision 1, 2/3, 3/4 at the levels 0 to .3, .4 to .6 and .7 to 1.

    Interpolation lifts the three in the middle to 3/4. By the tool's rule .7 asks for the second document (see above).
    """
    run, judgments = make_ranking([1, 0, 1, 1])
    names = ["AP11(interpolated=false,exact=true)", "AP11(exact=true)", "AP11(interpolated=false)", "AP11"]
    levels = np.array([[4, 3, 4], [4, 0, 7], [4, 4, 3], [4, 0, 7]])
    expected = levels @ [1, 2 / 3, 3 / 4] / 11
    assert score_run(run, judgments, names).values[:, 0] == pytest.approx(expected, **EXACT)
    missed = make_ranking([1, 0, 1], relevant_in_all=3)
    assert score_run(*missed, names[:1]).values[0, 0] == pytest.approx((4 + 3 * 2 / 3) / 11, **EXACT)


@given(collections(), st.sampled_from([1, 2]))
@examples(30)
def test_a_level_is_reached_exactly_at_a_recall_of_no_less(collection, level):
    """In tenths of documents, so that no rounding can decide."""
    measures = [parse_measure(f"IPrec(exact=true)@{recall}", defaults={"rel": level}) for recall in ELEVEN]
    scores = score_run(collection.run_table, collection.judgments, measures)
    for column, topic in enumerate(scores.topics):
        num_rel = sum(grade >= level for grade in collection.grades[topic].values())
        relevant = [grade is not None and grade >= level for grade in grades_in_order(collection, topic)]
        reached = [(10 * sum(relevant[:rank]), sum(relevant[:rank]) / rank) for rank in range(1, len(relevant) + 1)]
        for tenth, value in enumerate(scores.values[:, column]):
            best = max((precision for found, precision in reached if found >= tenth * num_rel), default=0.0)
            assert value == pytest.approx(best, **EXACT)
