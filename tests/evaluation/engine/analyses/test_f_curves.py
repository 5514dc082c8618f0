"""The balance of precision and recall: where they are equal, and which pairs are worth the same."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.engine.analyses.curves import break_even, f_at_ranks, line_of_equal_f, pooled_f
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.random_collections import collections, make_judgments, make_ranking, make_run

FOUR_DECIMALS = {"abs": 0.5e-4, "rel": 0}
RETRIEVED = [f"d{number}" for number in (123, 84, 56, 6, 8, 9, 511, 129, 187, 25, 48, 250, 113, 3)]


@pytest.mark.parametrize(
    ("relevant", "expected"),
    [((3, 5, 9, 25, 39, 44, 56, 71, 89, 123), 0.4), ((3, 56, 129), 0.3333)],
)
def test_the_break_even_point_of_the_taught_ranking(relevant, expected):
    run = make_run(*(("1", docno, -float(rank)) for rank, docno in enumerate(RETRIEVED)))
    ranked = rank_run(run, make_judgments(*(("1", f"d{number}", 1) for number in relevant)))
    assert break_even(ranked) == pytest.approx([expected], **FOUR_DECIMALS)


@given(collections(), st.sampled_from([1, 2]))
@examples(40)
def test_precision_and_recall_are_equal_at_the_break_even_point(collection, level):
    ranked = rank_run(collection.run_table, collection.judgments)
    found = break_even(ranked, level)
    for group, topic in enumerate(ranked.judgments.topics):
        in_all = sum(grade >= level for grade in collection.grades[topic].values())
        if in_all:
            measures = [f"P(rel={level})@{in_all}", f"R(rel={level})@{in_all}"]
            scores = score_run(collection.run_table, collection.judgments, measures)
            assert scores.values[:, group] == pytest.approx([found[group]] * 2)
        else:
            assert found[group] == 0.0


@given(st.floats(0.01, 0.99), st.floats(0.0, 8.0))
@example(0.5, 1e-6)
@example(0.5, 2.2e-162)
@example(0.01, 1e-145)
def test_every_point_of_a_line_has_its_f_and_stays_in_the_unit_square(value, beta):
    recall, precision = line_of_equal_f(value, beta)
    for r, p in zip(recall.tolist(), precision.tolist(), strict=True):
        assert -1e-12 <= r <= 1 + 1e-12
        assert -1e-12 <= p <= 1 + 1e-9
        if r > 0:
            assert (1 + beta**2) * p * r / (beta**2 * p + r) == pytest.approx(value)


def test_eight_of_ten_retrieved_and_of_twelve_relevant_lie_on_the_lines_of_their_f():
    """tp = 8, fp = 2, fn = 4: F1 .7273, F2 .6897, F.5 .7692, E(b=1) .2727."""
    ranked = rank_run(*make_ranking([1] * 8 + [0] * 2, relevant_in_all=12))
    for beta, expected in ((1.0, 0.7273), (2.0, 0.6897), (0.5, 0.7692)):
        [found] = pooled_f(ranked, np.array([10]), beta=beta)
        assert found == pytest.approx(expected, **FOUR_DECIMALS)
        recall, precision = line_of_equal_f(found, beta, points=20001)
        assert np.interp(8 / 12, recall, precision) == pytest.approx(0.8, abs=1e-4)


@given(collections(), st.sampled_from([1, 2]), st.sampled_from([0.5, 1.0, 3.0]))
@examples(40)
def test_the_highest_f_is_that_of_its_measure_and_never_below_the_break_even_point(collection, level, beta):
    ranked = rank_run(collection.run_table, collection.judgments)
    highest = f_at_ranks(ranked, np.arange(1, 15), level, beta).max(axis=0)
    measured = score_run(collection.run_table, collection.judgments, [f"MaxF(rel={level},beta={beta})"]).values[0]
    assert highest == pytest.approx(measured)
    assert (highest >= break_even(ranked, level) - 1e-12).all()
