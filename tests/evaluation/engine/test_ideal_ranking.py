"""Compatibility equals the program of its authors' definition in ir_measures, topic by topic."""

import pytest
from hypothesis import given

from evaluation.engine.scoring import score_run
from tests.draws import examples
from tests.evaluation.engine.comparisons import EXAMPLE, compares_with
from tests.evaluation.engine.ir_measures_oracle import ir_measures_values
from tests.evaluation.engine.random_collections import collections, make_judgments, make_ranking, make_run

EXACT = {"abs": 1e-9, "rel": 0}
NAMES = {
    "Compat": "Compat",
    "Compat(p=0.8)": "Compat(p=0.8)",
    "Compat(p=0.5,normalize=False)": "Compat(p=0.5,normalize=false)",
    "Compat(p=1.0)": "Compat(p=1.0)",
    "Compat(p=0.0)": "Compat(p=0.0)",
    "Compat(p=0.99,normalize=False)": "Compat(p=0.99,normalize=false)",
}


@given(collections(grades=(-2, 6)))
@examples(60)
@compares_with("ir_measures", EXAMPLE)
def test_compatibility_equals_ir_measures(collection):
    expected = ir_measures_values(list(NAMES), collection)
    scores = score_run(collection.run_table, collection.judgments, list(NAMES.values()))
    for column, topic in enumerate(scores.topics):
        for row, name in enumerate(NAMES):
            assert scores.values[row, column] == pytest.approx(expected[topic, name], **EXACT), (name, topic)


@given(collections())
@examples(25)
def test_compatibility_stays_between_0_and_1(collection):
    values = score_run(collection.run_table, collection.judgments, list(NAMES.values())).values
    assert values.min() >= 0.0
    assert values.max() <= 1.0 + 1e-12


@pytest.mark.parametrize("grades", [[3, 2, 2, 1], [1], [2, 2, 2]])
def test_an_ideal_ranking_is_fully_compatible_and_any_order_within_a_grade_is_ideal(grades):
    assert score_run(*make_ranking(grades), ["Compat"]).values[0, 0] == pytest.approx(1.0, **EXACT)


def test_the_unretrieved_stand_below_the_retrieved_of_their_grade_also_where_scores_are_negative():
    """ir_measures gives what is not retrieved the score 0, which is above a negative score: a slip of the program."""
    judgments = make_judgments(("1", "a", 1), ("1", "b", 1))
    above_zero = score_run(make_run(("1", "a", 5.0)), judgments, ["Compat"]).values
    below_zero = score_run(make_run(("1", "a", -5.0)), judgments, ["Compat"]).values
    assert above_zero == pytest.approx(below_zero, **EXACT)
    agreement = 1 + 0.95 / 2
    assert above_zero[0, 0] == pytest.approx(agreement / (1 + 0.95), **EXACT)
