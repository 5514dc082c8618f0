"""The page of agreement: what is counted, what stands there before anything was graded twice, and its files."""

import json

import pytest

from campaign.models import User
from judging.agreement.selectors import task_agreement
from judging.models import Assignment
from tests.factories import Cast, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


def again(cast: Cast, assignment: Assignment, name: str) -> Assignment:
    return assign(assignment.pool, assignment.topic, make_user(name), cast.organiser, pass_number=2)


def test_before_anything_was_graded_twice_the_page_says_how_to_plan_it(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    page = client_of(cast, "organiser").get(cast.task.url("judging_agreement")).content.decode()
    assert "No document was graded twice yet" in page
    assert f'href="{cast.task.url("assignment_create")}">Assign second opinions</a>' in page


def test_the_page_counts_documents_that_two_graded_and_names_those_that_one_could_not_judge(
    cast: Cast, assignment: Assignment
) -> None:
    second = again(cast, assignment, "zoe")
    for docno, one, other in (("D1", 2, 3), ("D2", 0, 0), ("D3", 1, None)):
        judge(assignment, docno, one)
        judge(second, docno, other)
    page = client_of(cast, "organiser").get(cast.task.url("judging_agreement")).content.decode()
    assert "2 documents graded by two or more" in page
    assert "1 document graded by one, not judgeable for another" in page
    assert "50 % are equal" in page
    assert "zoe" in page


def test_a_document_that_two_graded_is_in_the_figures_whoever_could_not_judge_it(
    cast: Cast, assignment: Assignment
) -> None:
    for grader, grade in ((assignment, 2), (again(cast, assignment, "zoe"), 1), (again(cast, assignment, "yan"), None)):
        judge(grader, "D1", grade)
    found = task_agreement(cast.task)
    assert (found.report.whole.documents, found.cannot_judge) == (1, 0)


def test_who_graded_a_document_and_cannot_judge_it_when_it_comes_again_is_one_person(
    cast: Cast, assignment: Assignment
) -> None:
    repeat = assign(assignment.pool, assignment.topic, assignment.assessor, cast.organiser, pass_number=2)
    Assignment.objects.filter(pk=repeat.pk).update(is_repeat=True)
    judge(assignment, "D1", 2)
    judge(Assignment.objects.get(pk=repeat.pk), "D1", None)
    assert task_agreement(cast.task).cannot_judge == 0


def test_the_page_is_new_with_the_next_judgment(cast: Cast, assignment: Assignment) -> None:
    client, second = client_of(cast, "organiser"), again(cast, assignment, "zoe")
    judge(assignment, "D1", 2)
    judge(second, "D1", 2)
    assert "100 % are equal" in client.get(cast.task.url("judging_agreement")).content.decode()
    judge(second, "D1", 0)
    assert "0 % are equal" in client.get(cast.task.url("judging_agreement")).content.decode()


def test_the_files_hold_every_figure_and_guard_names(cast: Cast, assignment: Assignment) -> None:
    client, second = client_of(cast, "organiser"), again(cast, assignment, "@zoe")
    for docno, one, other in (("D1", 2, 3), ("D2", 0, 0)):
        judge(assignment, docno, one)
        judge(second, docno, other)
    data = json.loads(client.get(cast.task.url("agreement_json")).content)
    assert (data["task"]["documents"], data["task"]["agreed"]) == (2, 0.5)
    assert sum(sum(row) for row in data["pairs"][0]["table"]) == 2
    lines = client.get(cast.task.url("agreement_csv")).content.decode().splitlines()
    assert lines[0] == "table,name,other,figure,value"
    assert "task,,,agreed,0.5" in lines
    assert any(line.startswith("pair,'@zoe,") for line in lines)


def test_people_are_named_as_on_other_pages_and_told_apart_where_they_share_a_name(
    cast: Cast, assignment: Assignment
) -> None:
    User.objects.filter(pk=cast.assessor.pk).update(display_name="Zoe")
    second, third = again(cast, assignment, "zoe2"), make_user("zoe3")
    User.objects.filter(username="zoe2").update(display_name="Zoe")
    for assessor in (
        assignment,
        second,
        assign(assignment.pool, assignment.topic, third, cast.organiser, pass_number=3),
    ):
        judge(assessor, "D1", 2)
    page = client_of(cast, "organiser").get(cast.task.url("judging_agreement")).content.decode()
    assert f"Zoe ({cast.assessor.username}), Zoe (zoe2)" in page
    assert "Zoe (zoe2), zoe3" in page


def test_a_topic_with_disagreements_leads_to_them_and_its_bar_is_as_long_as_its_alpha(
    cast: Cast, assignment: Assignment
) -> None:
    second = again(cast, assignment, "zoe")
    for docno, one, other in (("D1", 2, 3), ("D2", 0, 0)):
        judge(assignment, docno, one)
        judge(second, docno, other)
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("judging_agreement")).content.decode()
    queue = f"{cast.task.url('adjudication_queue')}?show=all&amp;topic=401"
    assert f'<a href="{queue}">401</a>' in page
    alpha = json.loads(client.get(cast.task.url("agreement_json")).content)["topics"][0]["alpha_ordinal"]
    assert f'<rect class="alpha-bar" width="{100 * alpha:.1f}%"' in page
