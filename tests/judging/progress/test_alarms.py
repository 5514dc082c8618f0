"""What organisers are told to look at: grades given very quickly, the same again and again, repeats graded otherwise."""

import pytest

from judging.models import Assignment
from judging.progress.selectors.alarms import FEWEST_REPEATS, SAME_IN_A_ROW, judging_alarms, longest_row
from tests.factories import Cast
from tests.judging.makers import assign, client_of, judge, make_assignment

DOCNOS = [f"D{number}" for number in range(1, 41)]


def told(cast: Cast) -> list[str]:
    return [alarm.said for alarm in judging_alarms(cast.task, cast.task.grades.all())]


def page(cast: Cast) -> str:
    return " ".join(client_of(cast, "organiser").get(cast.task.url("judging_progress")).content.decode().split())


@pytest.mark.django_db
@pytest.mark.sqlite("judging.progress.selectors.alarms.judging_alarms")
def test_grades_given_in_less_than_two_seconds_are_told_from_twenty_on(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS)
    for place, docno in enumerate(DOCNOS[:19]):
        judge(assignment, docno, place % 2, active_ms=900)
    assert told(cast) == []
    judge(assignment, "D20", 1, active_ms=900)
    assert told(cast) == ["takes 0.9 s a document (median of the latest 20 judgments)."]
    shown = page(cast)
    assert f"<strong>{cast.assessor}</strong> takes 0.9 s a document" in shown
    assert f'?assessor={cast.assessor.username}">' in shown
    assert client_of(cast, "assessor").get(cast.task.url("judging_progress")).status_code == 403
    for docno in DOCNOS[20:]:
        judge(assignment, docno, int(docno[1:]) % 2, active_ms=2_500)
    assert told(cast) == ["takes 1.7 s a document (median of the latest 40 judgments)."]
    judge(assignment, "D1", 0, active_ms=9_000)
    assert told(cast) == [], "the median is 2.5 s"


@pytest.mark.django_db
def test_the_same_grade_thirty_times_in_a_row_is_told_and_judgments_from_files_are_not_looked_at(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS)
    for docno in DOCNOS[:10]:
        judge(assignment, docno, 1)
    for docno in DOCNOS[10 : 10 + SAME_IN_A_ROW - 1]:
        judge(assignment, docno, 1, active_ms=5_000)
    assert told(cast) == [], "29 at the desk, 10 without a time"
    judge(assignment, "D40", 1, active_ms=5_000)
    label = cast.task.grades.get(value=1).label
    assert told(cast) == [f"gave the same grade, 1 {label}, 30 times in a row."]
    assert longest_row([0, 1, 1, 0, 0]) == (2, 1)


@pytest.mark.django_db
@pytest.mark.sqlite("judging.progress.selectors.alarms.judging_alarms")
def test_hidden_repeats_that_got_another_grade_are_named_with_both_grades(cast: Cast) -> None:
    first = make_assignment(cast, DOCNOS)
    again = assign(first.pool, first.topic, cast.assessor, cast.organiser, pass_number=2)
    Assignment.objects.filter(pk=again.pk).update(is_repeat=True)
    again.refresh_from_db()
    for docno in DOCNOS[:8]:
        judge(first, docno, 1)
    for docno in DOCNOS[: FEWEST_REPEATS - 1]:
        judge(again, docno, 0 if docno in ("D1", "D2") else 1)
    assert told(cast) == [], "four repeats tell little"
    judge(again, "D5", 1)
    assert told(cast) == ["graded 2 of 5 hidden repeats otherwise than before."]
    shown = page(cast)
    assert shown.count(": 1, then 0") == 2
    history = cast.task.url("judgment_history", topic_number=first.topic.number)
    assert f'<a href="{history}?docno=D1">' in shown
    for docno in ("D6", "D7"):
        judge(again, docno, 1)
    assert told(cast) == [], "2 of 7 are less than a third"
