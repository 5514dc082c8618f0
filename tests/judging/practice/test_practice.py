"""Practice on known answers: feedback for newcomers, and nothing of it counted."""

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile

from campaign.models import AuditEvent, RowState
from judging.models import Judgment, PracticeAnswer, PracticeGrade
from judging.practice.lines import read_practice
from judging.practice.selectors import lines_of, round_of, rounds_of_all
from judging.practice.services import practice_grade, practice_set
from judging.progress.selectors.progress import progress_of
from tests.factories import Cast
from tests.judging.makers import client_of, make_assignment

LINES = "401 d1 2 Names the tool.\n401 d2 0\n\n401 d3 3 Shows all steps.\n"


@pytest.fixture
def practised(cast: Cast) -> Cast:
    make_assignment(cast, ["d1", "d2", "d3", "d4"])
    assert practice_set(actor=cast.organiser, task=cast.task, text=LINES).problems.ok
    return cast


def test_a_line_ends_where_the_browser_ended_it_and_nowhere_else() -> None:
    read = read_practice("1 d1 2 a\u2028b\x0cc\u0085d\r\n1 d2 0", {"1"}, {0, 2})
    assert [(answer.docno, answer.why) for answer in read.answers.values()] == [
        ("d1", "a\u2028b\x0cc\u0085d"),
        ("d2", ""),
    ]
    [problem] = read_practice("01 d1 2", {"1"}, {2}).problems.shown
    assert problem.remedy.endswith("The task has 1 without zeros.")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("401 d1", "practice_columns"),
        ("999 d1 2", "practice_topic"),
        ("401 d1 7 why", "practice_grade"),
        ("401 d1 two", "practice_grade"),
        ("401 d2 1", "practice_twice"),
        ("401 d9 1 " + "x" * 2000, "practice_long"),
    ],
)
def test_a_bad_line_is_named_with_its_remedy(line: str, code: str) -> None:
    read = read_practice(f"401 d2 0\n\n{line}", {"401"}, {0, 1, 2, 3})
    [problem] = read.problems.shown
    assert (problem.code, problem.line) == (code, 3)
    assert problem.remedy


def test_more_answers_than_anybody_practises_on_are_refused() -> None:
    read = read_practice("".join(f"401 d{number} 1\n" for number in range(501)), {"401"}, {1})
    assert [problem.code for problem in read.problems.shown] == ["practice_long"]


@pytest.mark.django_db
def test_text_with_a_problem_changes_nothing(practised: Cast) -> None:
    page = client_of(practised, "organiser").post(
        practised.task.url("practice_answers"), {"lines": "401 d1 2\n401 unknown 1 <script>\n"}
    )
    assert page.status_code == 422
    text = page.content.decode()
    assert "line 2" in text
    assert "The collection has no text of document unknown." in text
    assert lines_of(practised.task) == LINES.replace("\n\n", "\n")


@pytest.mark.django_db
def test_answers_come_from_a_file_and_unchanged_ones_keep_what_was_given(practised: Cast) -> None:
    for answer in PracticeAnswer.objects.all():
        practice_grade(user=practised.assessor, answer=answer, round_number=1, grade=1)
    client, url = client_of(practised, "organiser"), practised.task.url("practice_answers")
    file = SimpleUploadedFile("answers.txt", b"401 d3 3 Shows most steps.\n401 d1 1\n401 d4 0\n")
    assert client.post(url, {"lines": "", "file": file}).status_code == 302
    assert lines_of(practised.task) == "401 d3 3 Shows most steps.\n401 d1 1\n401 d4 0\n"
    assert list(PracticeGrade.objects.values_list("answer__docno", flat=True)) == ["d3"]
    assert AuditEvent.objects.filter(verb="set practice answers").count() == 2
    of_excel = SimpleUploadedFile("answers.txt", "401\td3\t3\tÜber alles\r\n".encode("utf-16"))
    assert client.post(url, {"lines": "", "file": of_excel}).status_code == 302
    assert lines_of(practised.task) == "401 d3 3 Über alles\n"
    before = RowState.objects.count()
    assert client.post(url, {"lines": "401 d3 3 Über alles\n"}).status_code == 302
    assert RowState.objects.count() == before, "nothing was changed"
    of_german_excel = SimpleUploadedFile("answers.csv", b"401;d3;3;why\n")
    told = client.post(url, {"lines": "", "file": of_german_excel}).content.decode()
    assert "Semicolons do not separate columns." in told
    broken = SimpleUploadedFile("answers.txt", b"401 d3 \xff\n")
    refused = client.post(url, {"lines": "", "file": broken})
    assert refused.status_code == 422
    assert "Line 1: The line is not valid UTF-8." in refused.content.decode()


@pytest.mark.django_db
def test_a_newcomer_sees_the_known_grade_only_after_the_own_one(practised: Cast) -> None:
    client, url = client_of(practised, "assessor"), practised.task.url("practice")
    first = client.get(url).content.decode()
    assert "text of d1" in first
    assert "Names the tool." not in first
    assert "known grade" not in first.replace("see the known grade", "")
    answer = PracticeAnswer.objects.get(docno="d1")
    told = client.post(url, {"answer": answer.pk, "round": 1, "grade": 1}, follow=True).content.decode()
    assert "You gave <strong>1 related</strong>; the known grade is <strong>2 relevant</strong>." in told
    assert "Names the tool." in told
    assert "stricter" in told
    again = client.post(url, {"answer": answer.pk, "round": 1, "grade": 2}, follow=True).content.decode()
    assert "You gave <strong>1 related</strong>" in again
    assert "text of d2" in client.get(url).content.decode()


@pytest.mark.django_db
def test_at_the_end_there_is_a_summary_and_a_round_can_follow(practised: Cast) -> None:
    client, url = client_of(practised, "assessor"), practised.task.url("practice")
    for answer, grade in zip(PracticeAnswer.objects.all(), [1, 0, 3], strict=True):
        client.post(url, {"answer": answer.pk, "round": 1, "grade": grade})
    summary = client.get(url).content.decode()
    assert "2 of 3 documents as known, 1 stricter, 0 more generous" in summary
    assert "text of d1" in client.get(f"{url}?round=2").content.decode()
    first = PracticeAnswer.objects.get(docno="d1")
    client.post(url, {"answer": first.pk, "round": 2, "grade": 3})
    columns = ("round", "graded", "agreed", "stricter", "generous", "mean")
    rows = [tuple(row[column] for column in columns) for row in rounds_of_all(practised.task)]
    assert rows == [(1, 3, 2, 1, 0, pytest.approx(-1 / 3)), (2, 1, 0, 0, 1, 1.0)]
    told = client_of(practised, "organiser").get(practised.task.url("practice_answers")).content.decode()
    assert practised.assessor.username in told
    assert "-0.33" in told


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("round_number", "grade"), [(1, 9), (2, 1), (3, 1)], ids=["no grade", "too early", "far too early"]
)
def test_a_grade_off_the_scale_or_of_a_later_round_is_refused(practised: Cast, round_number: int, grade: int) -> None:
    answer = PracticeAnswer.objects.get(docno="d1")
    with pytest.raises(ValidationError):
        practice_grade(user=practised.assessor, answer=answer, round_number=round_number, grade=grade)
    assert not PracticeGrade.objects.exists()


@pytest.mark.django_db
def test_a_grade_for_an_answer_that_is_replaced_at_that_moment_is_refused_in_words(practised: Cast) -> None:
    shown = PracticeAnswer.objects.get(docno="d1")
    practice_set(actor=practised.organiser, task=practised.task, text=LINES.replace("d1 2", "d1 3"))
    with pytest.raises(ValidationError, match="just changed the documents for practice"):
        practice_grade(user=practised.assessor, answer=shown, round_number=1, grade=2)
    assert not PracticeGrade.objects.exists()


def test_practice_is_never_counted(practised: Cast) -> None:
    for answer in PracticeAnswer.objects.all():
        practice_grade(user=practised.assessor, answer=answer, round_number=1, grade=2)
    assert not Judgment.objects.exists()
    [row] = progress_of(practised.assessor.assignments.all())
    assert row.judged == 0
    assert round_of(practised.task, practised.organiser).graded == []


@pytest.mark.django_db
def test_without_answers_the_page_says_so_and_answers_of_other_tasks_are_unknown(cast: Cast) -> None:
    make_assignment(cast, ["d1"])
    client, url = client_of(cast, "assessor"), cast.task.url("practice")
    assert "There is nothing to practise on" in client.get(url).content.decode()
    assert "Practise" not in client.get(cast.task.url("my_topics")).content.decode()
    assert client.post(url, {"answer": 999, "round": 1, "grade": 1}).status_code == 404
    assert client.post(url, {"answer": "x", "grade": 10**30}).status_code == 302


@pytest.mark.django_db
def test_organisers_are_warned_of_answers_that_are_pooled(practised: Cast) -> None:
    page = client_of(practised, "organiser").get(practised.task.url("practice_answers")).content.decode()
    assert "3 of these documents are in a pool" in " ".join(page.split())
