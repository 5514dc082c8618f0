"""Boards by qrels that hold relevant documents only, as many collections that are handed on."""

import pytest

from evaluation.selectors.measures import board_cautions
from tests.evaluation.makers import make_qrels
from tests.factories import Cast

pytestmark = pytest.mark.django_db
MEASURES = ["AP", "nDCG@10", "bpref", "Judged@10"]


def test_a_board_names_the_measures_that_need_what_was_judged_and_is_not_relevant(cast: Cast) -> None:
    qrels = make_qrels(cast.task, {"1": {"D1": 1, "D2": 2}, "2": {"D1": 1}}, cast.organiser)
    [said] = board_cautions(qrels, MEASURES)
    assert said.startswith(f"bpref, Judged@10: no document is judged non-relevant by {qrels}, so that")
    assert said.endswith("or name other measures.")
    [to_readers] = board_cautions(qrels, MEASURES, remedies=False)
    assert to_readers.endswith("Values mean little.")


def test_a_board_is_silent_where_no_measure_needs_them_or_there_are_some(cast: Cast) -> None:
    only_relevant = make_qrels(cast.task, {"1": {"D1": 1}}, cast.organiser)
    assert board_cautions(only_relevant, ["AP", "nDCG@10", "P@10", "RR"]) == []
    assert board_cautions(only_relevant, ["bpref(rel=2)"]) == [], "grade 1 is not relevant to it"
    with_others = make_qrels(cast.task, {"1": {"D1": 1, "D2": 0}}, cast.organiser)
    assert board_cautions(with_others, MEASURES) == []
