"""A grade is read alike wherever it comes in."""

from typing import Any

import pytest

from judging.core.grade_reading import read_grade
from judging.core.modes.declaration import JudgedTopic, RefusedActError, Step, SubtopicText
from judging.core.modes.subtopic import MODE
from judging.forms import GradeField
from judging.practice.lines import read_practice

WHOLE: list[tuple[Any, int]] = [(2, 2), (2.0, 2), ("2", 2), ("2.0", 2), ("+2", 2), (" 2\n", 2), (-1, -1), ("0", 0)]
OTHERS: list[Any] = [True, False, None, 2.5, "2.5", "", "two", "1e0", "1_0", "٢", [2], {}, float("nan"), float("inf")]
OTHERS += [10**400, 2**15, "9" * 5000, b"2"]


@pytest.mark.parametrize(("written", "grade"), WHOLE)
def test_a_whole_number_is_read_however_it_is_written(written: Any, grade: int) -> None:
    assert read_grade(written) == GradeField().clean(written) == grade


@pytest.mark.parametrize("written", OTHERS)
def test_everything_else_is_refused_in_words(written: Any) -> None:
    with pytest.raises(ValueError, match="A grade "):
        read_grade(written)


def test_grades_of_subtopics_and_of_practice_are_read_alike() -> None:
    topic = JudgedTopic("1", tuple(Step(value, "", "") for value in range(3)), (SubtopicText("a", ""),))
    assert MODE.check(2, {"subtopics": {"a": "2.0"}}, topic).details == {"a": 2}
    with pytest.raises(RefusedActError, match="an object of integers"):
        MODE.check(2, {"subtopics": {"a": True}}, topic)
    assert read_practice("1 d 2.0 so\n", ["1"], [0, 1, 2]).answers[1].grade == 2
