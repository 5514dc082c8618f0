"""Disagreements and what is decided about them: a layer of its own, which leaves every judgment as it is."""

from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError

from campaign.models import AuditEvent
from judging.models import Adjudication, Assignment, Judgment
from judging.selectors.adjudicated import adjudicated_table
from judging.selectors.disagreements import disagreements, dispute
from judging.services.adjudications import adjudication_record, adjudication_withdraw
from judging.services.judgments import judgment_undo
from tests.factories import Cast, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment

pytestmark = pytest.mark.django_db

DOCNOS = ["D1", "D2", "D3", "D4", "a/b"]


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, DOCNOS)


@pytest.fixture
def second(cast: Cast, assignment: Assignment) -> Assignment:
    return assign(assignment.pool, assignment.topic, make_user("zoe"), cast.organiser, pass_number=2)


def disagree(assignment: Assignment, second: Assignment) -> None:
    for docno, one, other in (("D1", 0, 3), ("D2", 1, 2), ("D3", 2, 2), ("D4", 2, None), ("a/b", 2, 3)):
        judge(assignment, docno, one)
        judge(second, docno, other)


def decide(cast: Cast, assignment: Assignment, docno: str, grade: int | None, **values: object) -> Adjudication:
    found = dispute(cast.task, assignment.topic, docno)
    assert found is not None
    sent = {
        "actor": cast.organiser,
        "uuid": uuid4(),
        "seen": found.seen,
        "previous": found.decision.uuid if found.decision else None,
        **values,
    }
    return adjudication_record(task=cast.task, topic=assignment.topic, docno=docno, grade=grade, **sent)  # type: ignore[arg-type]


def docnos(cast: Cast, show: str = "open") -> list[str]:
    return [one.docno for one in disagreements(cast.task, show)]


def test_the_farthest_apart_come_first_and_of_these_the_relevant_for_some_only(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    disagree(assignment, second)
    assert docnos(cast) == ["D4", "D1", "D2", "a/b"]


def test_a_decision_leaves_the_judgments_and_is_the_grade_of_the_adjudicated_layer(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    disagree(assignment, second)
    before = list(Judgment.objects.order_by("pk").values())
    decide(cast, assignment, "D1", 2, note="It answers half.")
    decide(cast, assignment, "D4", None)
    assert list(Judgment.objects.order_by("pk").values()) == before
    assert adjudicated_table(assignment.pool).rows() == [("401", "D1", 2), ("401", "D4", -2)]
    assert (docnos(cast), docnos(cast, "decided")) == (["D2", "a/b"], ["D4", "D1"])
    assert AuditEvent.objects.filter(verb="adjudicated").count() == 2


def test_the_same_decision_sent_twice_is_one_row_and_another_under_its_name_is_refused(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    disagree(assignment, second)
    uuid = uuid4()
    first = decide(cast, assignment, "D1", 2, uuid=uuid)
    assert decide(cast, assignment, "D1", 2, uuid=uuid) == first
    with pytest.raises(ValidationError, match="sent before with another content"):
        decide(cast, assignment, "D1", 3, uuid=uuid)
    assert Adjudication.objects.count() == 1


def test_a_decision_sent_again_with_another_note_or_as_the_taking_back_of_another_is_refused(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    disagree(assignment, second)
    uuid, taken_back = uuid4(), uuid4()
    where = {"actor": cast.organiser, "task": cast.task, "topic": assignment.topic}
    decide(cast, assignment, "D1", 2, uuid=uuid, note="so")
    decide(cast, assignment, "D2", 2)
    adjudication_withdraw(**where, docno="D1", uuid=taken_back)
    again = "sent before with another content"
    with pytest.raises(ValidationError, match=again):
        decide(cast, assignment, "D1", 2, uuid=uuid, note="otherwise")
    with pytest.raises(ValidationError, match=again):
        decide(cast, assignment, "D1", None, uuid=taken_back)
    with pytest.raises(ValidationError, match=again):
        adjudication_withdraw(**where, docno="D2", uuid=taken_back)
    assert adjudication_withdraw(**where, docno="D1", uuid=taken_back) is not None
    assert Adjudication.objects.count() == 3


def test_nobody_decides_about_judgments_or_over_a_decision_that_they_did_not_see(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    disagree(assignment, second)
    found = dispute(cast.task, assignment.topic, "D1")
    assert found is not None
    judge(second, "D1", 1)
    with pytest.raises(ValidationError, match="was judged again meanwhile"):
        decide(cast, assignment, "D1", 2, seen=found.seen)
    decide(cast, assignment, "D1", 2)
    with pytest.raises(ValidationError, match="Somebody else has decided"):
        decide(cast, assignment, "D1", 3, previous=None)


def test_a_judgment_after_the_decision_brings_the_document_back(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    disagree(assignment, second)
    decide(cast, assignment, "D1", 2)
    judge(second, "D1", 1)
    assert "D1" in docnos(cast)
    found = dispute(cast.task, assignment.topic, "D1")
    assert found is not None
    assert found.is_changed
    decide(cast, assignment, "D1", 1)
    assert "D1" not in docnos(cast)


def test_a_decision_comes_back_though_its_judgments_were_taken_back_or_differ_no_more_and_can_be_taken_back(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    disagree(assignment, second)
    for docno in ("D1", "D2", "a/b"):
        decide(cast, assignment, docno, 2)
    judgment_undo(assessor=second.assessor, assignment=second)
    assert second.judgments.get(verdict=Judgment.WITHDRAWN).docno == "a/b"
    judge(second, "D2", 1)
    assert docnos(cast) == ["D4", "D2", "a/b"]
    assert docnos(cast, "decided") == ["D1"]
    assert len(adjudicated_table(assignment.pool)) == 3
    client = client_of(cast, "organiser")
    assert "a/b" in client.get(cast.task.url("adjudication_queue")).content.decode()
    page = cast.task.url("adjudicate", topic_number="401", docno="a/b")
    assert client.get(page).status_code == 200
    with pytest.raises(ValidationError, match="fewer than two judgments by now"):
        decide(cast, assignment, "a/b", 1)
    after = client.post(page, {"act": "withdraw", "uuid": uuid4()}, follow=True)
    assert (after.status_code, after.redirect_chain) == (200, [(cast.task.url("adjudication_queue"), 302)])
    assert "a/b" not in docnos(cast, "all")
    assert "a/b" not in adjudicated_table(assignment.pool)["docno"]


def test_a_decision_that_is_taken_back_counts_no_more_and_stays_in_the_history(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    disagree(assignment, second)
    made = decide(cast, assignment, "D1", 2)
    adjudication_withdraw(actor=cast.organiser, task=cast.task, topic=assignment.topic, docno="D1", uuid=uuid4())
    assert "D1" in docnos(cast)
    assert adjudicated_table(assignment.pool).is_empty()
    again = decide(cast, assignment, "D1", 3)
    assert Adjudication.objects.filter(docno="D1").count() == 3
    assert (made.grade, again.previous is not None) == (2, True)


@pytest.mark.parametrize(
    ("docno", "grade", "words"), [("D1", 9, "not on the task's scale: use 0, 1, 2, 3"), ("D1", -1, "not on the")]
)
def test_a_grade_that_is_not_on_the_scale_is_refused(
    cast: Cast, assignment: Assignment, second: Assignment, docno: str, grade: int, words: str
) -> None:
    disagree(assignment, second)
    with pytest.raises(ValidationError, match=words):
        decide(cast, assignment, docno, grade)


def test_the_page_hides_who_judged_shows_what_they_said_and_leads_to_the_next(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    disagree(assignment, second)
    judge(second, "a/b", 3, note="<script>alert(1)</script>")
    client = client_of(cast, "organiser")
    url = cast.task.url("adjudicate", topic_number="401", docno="a/b")
    page = client.get(url).content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    found = dispute(cast.task, assignment.topic, "a/b")
    assert found is not None
    sent = {"uuid": uuid4(), "grade": 3, "note": "clear", "seen": found.seen, "previous": ""}
    answer = client.post(url, sent)
    assert answer["Location"] == cast.task.url("adjudicate", topic_number="401", docno="D4")
    assert Adjudication.objects.get().note == "clear"
    queue = client.get(cast.task.url("adjudication_queue")).content.decode()
    assert "3 to decide" in queue
    assert "1 decided" in queue


@pytest.mark.parametrize(
    "wrong", [{"grade": "9"}, {"grade": ""}, {"uuid": "x"}, {"seen": "no uuid"}, {"note": "n" * 1_000_000}]
)
def test_a_wrong_form_is_answered_in_words_and_stores_nothing(
    cast: Cast, assignment: Assignment, second: Assignment, wrong: dict[str, str]
) -> None:
    disagree(assignment, second)
    client = client_of(cast, "organiser")
    url = cast.task.url("adjudicate", topic_number="401", docno="D1")
    answer = client.post(url, {"uuid": uuid4(), "grade": 2, "seen": "", **wrong}, follow=True)
    assert answer.status_code == 200
    assert not Adjudication.objects.exists()
    assert "Topic 401" in answer.content.decode()
