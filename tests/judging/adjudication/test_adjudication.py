"""Disagreements and what is decided about them: a layer of its own, which leaves every judgment as it is."""

import copy
import random
import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaign.models import AuditEvent
from campaign.web import daily_limits
from campaign.web.asking_once import asked_once
from judging.adjudication import services
from judging.adjudication.selectors.disagreements import disagreements, disagreements_to_decide, dispute
from judging.adjudication.services import adjudication_record, adjudication_withdraw
from judging.desk.services.judgments import judgment_undo
from judging.models import Adjudication, Assignment, Judgment
from tests.conftest import MadeOnce
from tests.factories import Cast, make_cast, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment

pytestmark = pytest.mark.django_db

DOCNOS = ["D1", "D2", "D3", "D4", "a/b"]


World = tuple[Cast, Assignment, Assignment]


def make_world() -> World:
    """One topic that two assessors judge."""
    cast = make_cast()
    assignment = make_assignment(cast, DOCNOS)
    second = assign(assignment.pool, assignment.topic, make_user(), cast.organiser, pass_number=2)
    return cast, assignment, second


def make_disagreements() -> World:
    cast, assignment, second = make_world()
    for docno, one, other in (("D1", 0, 3), ("D2", 1, 2), ("D3", 2, 2), ("D4", 2, None), ("a/b", 2, 3)):
        judge(assignment, docno, one)
        judge(second, docno, other)
    return cast, assignment, second


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[World]:
    with made_once(make_disagreements) as world:
        yield world


@pytest.fixture
def world(made: World) -> World:
    """The rows that all tests begin with, as new objects: a test may change its own. What is kept of them is not rolled back."""
    for name in ("default", "bulk"):
        caches[name].clear()
    return copy.deepcopy(made)


@pytest.fixture
def cast(world: World) -> Cast:
    return world[0]


@pytest.fixture
def assignment(world: World) -> Assignment:
    return world[1]


@pytest.fixture
def second(world: World) -> Assignment:
    return world[2]


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


def take_back(cast: Cast, assignment: Assignment, seen: Adjudication | None) -> Adjudication:
    about = {"task": cast.task, "topic": assignment.topic, "docno": "D1", "previous": seen and seen.uuid}
    return adjudication_withdraw(actor=cast.organiser, uuid=uuid4(), **about)  # type: ignore[arg-type]


def decided() -> dict[str, int | None]:
    current = Adjudication.objects.filter(is_current=True).exclude(verdict=Adjudication.WITHDRAWN)
    return dict(current.values_list("docno", "grade"))


def docnos(cast: Cast, show: str = "open") -> list[str]:
    return [one.docno for one in disagreements(cast.task, show)]


def test_the_farthest_apart_come_first_and_of_these_the_relevant_for_some_only(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    assert docnos(cast) == ["D4", "D1", "D2", "a/b"]
    judge(assignment, "a/b", 0)
    judge(second, "a/b", 1)
    assert docnos(cast) == ["D4", "D1", "a/b", "D2"]


def test_a_decision_leaves_the_judgments_and_is_the_grade_of_the_adjudicated_layer(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    before = list(Judgment.objects.order_by("pk").values())
    decide(cast, assignment, "D1", 2, note="It answers half.")
    decide(cast, assignment, "D4", None)
    assert list(Judgment.objects.order_by("pk").values()) == before
    assert decided() == {"D1": 2, "D4": None}
    assert (docnos(cast), docnos(cast, "decided")) == (["D2", "a/b"], ["D4", "D1"])
    assert AuditEvent.objects.filter(verb="adjudicated").count() == 2


def test_an_empty_queue_says_whether_anything_was_judged_twice_and_what_to_do() -> None:
    cast, assignment, second = make_world()

    def page() -> str:
        return client_of(cast, "organiser").get(cast.task.url("adjudication_queue")).content.decode()

    judge(assignment, "D1", 2)
    assert "No document was judged twice yet" in page()
    assert cast.task.url("assignment_create") in page()
    judge(second, "D1", 2)
    assert "1 document was graded by two or more, each time alike" in " ".join(page().split())


def test_the_same_decision_sent_twice_is_one_row_and_another_under_its_name_is_refused(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    uuid = uuid4()
    first = decide(cast, assignment, "D1", 2, uuid=uuid)
    assert decide(cast, assignment, "D1", 2, uuid=uuid) == first
    with pytest.raises(ValidationError, match="sent before with another content"):
        decide(cast, assignment, "D1", 3, uuid=uuid)
    assert Adjudication.objects.count() == 1


def test_a_decision_sent_again_with_another_note_or_as_the_taking_back_of_another_is_refused(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    uuid, taken_back = uuid4(), uuid4()
    where = {"actor": cast.organiser, "task": cast.task, "topic": assignment.topic}
    decide(cast, assignment, "D1", 2, uuid=uuid, note="so")
    decide(cast, assignment, "D2", 2)
    adjudication_withdraw(**where, docno="D1", uuid=taken_back, previous=uuid)
    again = "sent before with another content"
    with pytest.raises(ValidationError, match=again):
        decide(cast, assignment, "D1", 2, uuid=uuid, note="otherwise")
    with pytest.raises(ValidationError, match=again):
        decide(cast, assignment, "D1", None, uuid=taken_back)
    with pytest.raises(ValidationError, match=again):
        adjudication_withdraw(**where, docno="D2", uuid=taken_back, previous=None)
    assert adjudication_withdraw(**where, docno="D1", uuid=taken_back, previous=uuid).uuid == taken_back
    assert Adjudication.objects.count() == 3


def test_nobody_decides_about_judgments_or_over_a_decision_that_they_did_not_see(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
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
    decide(cast, assignment, "D1", 2)
    judge(second, "D1", 1)
    assert "D1" in docnos(cast)
    found = dispute(cast.task, assignment.topic, "D1")
    assert found is not None
    assert found.is_changed
    decide(cast, assignment, "D1", 1)
    assert "D1" not in docnos(cast)


def test_the_count_of_the_next_step_is_that_of_the_queue_whatever_was_judged_and_decided() -> None:
    cast, assignment, second = make_world()
    third = assign(assignment.pool, assignment.topic, make_user("yan"), cast.organiser, pass_number=3)
    draw = random.Random(7)
    counted = set()
    for _ in range(60):
        docno = draw.choice(DOCNOS)
        if draw.random() < 0.3 and dispute(cast.task, assignment.topic, docno):
            decide(cast, assignment, docno, draw.choice([0, 1, None]))
        else:
            judge(draw.choice([assignment, second, third]), docno, draw.choice([0, 1, 2, None]))
        count = disagreements_to_decide([cast.task], {}).get(cast.task.pk, 0)
        assert count == len(docnos(cast))
        counted.add(count)
    assert len(counted) > 3


def test_a_decision_comes_back_though_its_judgments_were_taken_back_or_differ_no_more_and_can_be_taken_back(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    for docno in ("D1", "D2", "a/b"):
        decide(cast, assignment, docno, 2)
    judgment_undo(assessor=second.assessor, assignment=second)
    assert second.judgments.get(verdict=Judgment.WITHDRAWN).docno == "a/b"
    judge(second, "D2", 1)
    assert docnos(cast) == ["D4", "D2", "a/b"]
    assert docnos(cast, "decided") == ["D1"]
    assert len(decided()) == 3
    client = client_of(cast, "organiser")
    assert "a/b" in client.get(cast.task.url("adjudication_queue")).content.decode()
    page = cast.task.url("adjudicate", topic_number="401", docno="a/b")
    assert client.get(page).status_code == 200
    with pytest.raises(ValidationError, match="fewer than two judgments by now"):
        decide(cast, assignment, "a/b", 1)
    standing = Adjudication.objects.get(docno="a/b", is_current=True).uuid
    after = client.post(page, {"act": "withdraw", "uuid": uuid4(), "previous": standing}, follow=True)
    assert (after.status_code, after.redirect_chain) == (200, [(cast.task.url("adjudication_queue"), 302)])
    assert "a/b" not in docnos(cast, "all")
    assert "a/b" not in decided()


def test_a_statement_names_a_bounded_number_of_documents(
    cast: Cast, assignment: Assignment, second: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    for docno in ("D1", "D2", "D4"):
        decide(cast, assignment, docno, 2)
    for docno, grade in (("D1", 0), ("D2", 1), ("D4", 2)):
        judge(second, docno, grade)  # decided, and judged alike by now
    monkeypatch.setattr("judging.adjudication.selectors.disagreements.DOCNOS_AT_ONCE", 1)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert docnos(cast) == ["a/b", "D1", "D2", "D4"]
    assert max(sum(f"'{docno}'" in one["sql"] for docno in DOCNOS) for one in asked.captured_queries) == 1


def test_a_decision_that_is_taken_back_counts_no_more_and_stays_in_the_history(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    made = decide(cast, assignment, "D1", 2)
    take_back(cast, assignment, made)
    assert "D1" in docnos(cast)
    assert decided() == {}
    again = decide(cast, assignment, "D1", 3)
    assert Adjudication.objects.filter(docno="D1").count() == 3
    assert (made.grade, again.previous is not None) == (2, True)


def test_a_decision_is_not_said_to_be_taken_back_under_the_identifier_of_another_act(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    made = decide(cast, assignment, "D1", 2)
    url = cast.task.url("adjudicate", topic_number="401", docno="D1")
    answer = client_of(cast, "organiser").post(url, {"act": "withdraw", "uuid": made.uuid}, follow=True)
    said = answer.content.decode()
    assert "is taken back" not in said
    assert "Reload the page of D1" in said
    assert Adjudication.objects.get(is_current=True) == made


def test_nobody_takes_back_a_decision_that_they_did_not_see(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    seen = decide(cast, assignment, "D1", 2)
    later = decide(cast, assignment, "D1", 3)
    for before in (seen, None):
        with pytest.raises(ValidationError, match="decided about document D1 meanwhile"):
            take_back(cast, assignment, before)
    assert Adjudication.objects.get(is_current=True) == later
    take_back(cast, assignment, later)
    with pytest.raises(ValidationError, match="nothing to take back"):
        take_back(cast, assignment, None)


@pytest.mark.parametrize(
    ("docno", "grade", "words"), [("D1", 9, "not on the task's scale: use 0, 1, 2, 3"), ("D1", -1, "not on the")]
)
def test_a_grade_that_is_not_on_the_scale_is_refused(
    cast: Cast, assignment: Assignment, second: Assignment, docno: str, grade: int, words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        decide(cast, assignment, docno, grade)


def test_the_page_hides_who_judged_shows_what_they_said_and_leads_to_the_next(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
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
    for docno in ("D1", "D2", "D4"):
        decide(cast, assignment, docno, 1)
    done = client.get(cast.task.url("adjudication_queue")).content.decode()
    assert "All disagreements are decided" in done
    assert f'href="{cast.task.url("qrels_release")}">Release qrels</a>' in done


def test_what_is_decided_later_leads_to_the_next_and_after_the_last_to_the_first(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    def url(docno: str) -> str:
        return cast.task.url("adjudicate", topic_number="401", docno=docno)

    def later(docno: str) -> str:
        page = client_of(cast, "organiser").get(url(docno)).content.decode()
        found = re.search(r'href="([^"]+)" aria-keyshortcuts="s"', page)
        return found[1] if found else ""

    assert [later(docno) for docno in ("D4", "D1", "D2", "a/b")] == [url("D1"), url("D2"), url("a/b"), url("D4")]
    for docno in ("D4", "D1", "D2"):
        decide(cast, assignment, docno, 1)
    assert (later("D1"), later("a/b")) == (url("a/b"), ""), "a decided one leads to those that stand open"


@pytest.mark.parametrize(
    "wrong", [{"grade": "9"}, {"grade": ""}, {"uuid": "x"}, {"seen": "no uuid"}, {"note": "n" * 1_000_000}]
)
def test_a_wrong_form_is_answered_in_words_and_stores_nothing(
    cast: Cast, assignment: Assignment, second: Assignment, wrong: dict[str, str]
) -> None:
    client = client_of(cast, "organiser")
    url = cast.task.url("adjudicate", topic_number="401", docno="D1")
    answer = client.post(url, {"uuid": uuid4(), "grade": 2, "seen": "", **wrong}, follow=True)
    assert answer.status_code == 200
    assert not Adjudication.objects.exists()
    assert "Topic 401" in answer.content.decode()


def test_what_was_judged_differently_is_read_once_for_many_decisions_and_anew_after_a_judgment(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    def readings() -> int:
        with CaptureQueriesContext(connection) as asked:
            docnos(cast)
        return sum("judging_judgment" in query["sql"] and "uuid" in query["sql"] for query in asked)

    assert readings() == 1
    decide(cast, assignment, "D1", 2)
    assert readings() == 0
    assert docnos(cast) == ["D4", "D2", "a/b"]
    judge(second, "D2", 1)
    assert readings() == 1
    assert docnos(cast) == ["D4", "a/b"]


def test_decisions_about_the_same_document_have_a_limit_of_their_own_and_first_ones_have_none(
    cast: Cast, assignment: Assignment, second: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_DECIDED_AGAIN_A_DAY", 2)
    monkeypatch.setattr(daily_limits, "MOST_CHANGES_A_DAY", 0)
    first = decide(cast, assignment, "D1", 1)
    take_back(cast, assignment, first)
    decide(cast, assignment, "D1", 2)
    with pytest.raises(ValidationError, match="the limit of 2 changed decisions within a day is reached"):
        decide(cast, assignment, "D1", 3)
    decide(cast, assignment, "D2", 1)
    assert decided() == {"D1": 2, "D2": 1}


@pytest.mark.parametrize("name", ["adjudication_queue", "judging_progress", "task_detail"])
def test_a_page_of_the_task_asks_once_for_the_last_acts_and_for_the_decisions(cast: Cast, name: str) -> None:
    client = client_of(cast, "organiser")
    client.get(cast.task.url(name))  # what is kept for others is counted apart, by what was decided until then
    with CaptureQueriesContext(connection) as asked:
        assert client.get(cast.task.url(name)).status_code == 200
    last_acts = [row["sql"] for row in asked if 'ORDER BY U0."assignment_id" DESC' in row["sql"]]
    assert sum('"topic_id" IN' not in sql for sql in last_acts) == 1
    # Their number tells whether a count that is kept is that of today; it is not asked with them.
    rows = [row["sql"] for row in asked if 'FROM "judging_adjudication"' in row["sql"]]
    assert sum("COUNT(" not in sql for sql in rows) == (name == "adjudication_queue")
    assert len(rows) <= 2


def test_the_queue_tells_on_the_next_page_what_was_judged_and_decided_since(
    cast: Cast, assignment: Assignment, second: Assignment
) -> None:
    client = client_of(cast, "organiser")

    def counts() -> tuple[int, int]:
        found = client.get(cast.task.url("adjudication_queue")).context["counts"]
        return found["open"], found["decided"]

    assert counts() == (4, 0)
    judge(second, "D1", 0)
    assert counts() == (3, 0)
    decide(cast, assignment, "D2", 1)
    assert counts() == (2, 1)


def test_a_count_that_is_kept_for_others_is_not_of_what_a_page_asked_before_a_decision(
    cast: Cast, assignment: Assignment
) -> None:
    with asked_once():
        assert len(disagreements(cast.task, "open")) == 4
        decide(cast, assignment, "D1", 2)
        assert disagreements_to_decide([cast.task], {}) == {cast.task.pk: 3}
    assert disagreements_to_decide([cast.task], {}) == {cast.task.pk: 3}


def test_a_save_asks_for_documents_that_others_stand_for_only_after_a_search_for_them(assignment: Assignment) -> None:
    with CaptureQueriesContext(connection) as asked:
        judge(assignment, "D1", 1)
    assert asked.captured_queries
    assert not [row["sql"] for row in asked if "pooling_twin" in row["sql"]]
