"""What organisers learn of measures that a task names and that have no column on the board."""

import pytest

from evaluation.boards.measures_on_scale import name_problems
from evaluation.selectors.task_measures import measures_left_out, measures_of_task
from tests.evaluation.makers import make_qrels
from tests.factories import Cast

pytestmark = pytest.mark.django_db


def test_two_names_that_are_one_measure_by_the_grades_of_the_task_are_said_to_be_one(cast: Cast) -> None:
    highest = max(cast.task.grades.values_list("value", flat=True))
    cast.task.measures = ["ERR@20", f"ERR(max_rel={highest})@20", f"ERR(max_rel={highest + 2})@20"]
    qrels = make_qrels(cast.task, {"1": {"D1": 1, "D2": 0}}, cast.organiser)
    assert [measure.name for measure in measures_of_task(cast.task, qrels)] == cast.task.measures[1:]
    assert measures_left_out(cast.task, qrels) == [
        f"ERR(max_rel={highest})@20: not on this board a second time, since by the grades of this task it is ERR@20."
    ]


def test_a_measure_that_is_not_on_the_board_at_all_is_not_said_to_be_there_once(cast: Cast) -> None:
    for value, gain in ((2, 3), (3, 7)):
        cast.task.grades.filter(value=value).update(gain=gain)
    cast.task.measures = ["AP", "infNDCG", "infNDCG(gain=exponential)"]
    assert name_problems(cast.task.measures) == []
    qrels = make_qrels(cast.task, {"1": {"D1": 1, "D2": 0}}, cast.organiser)
    [said] = measures_left_out(cast.task, qrels)
    assert said.startswith("infNDCG(gain=exponential): not on this board, since")
