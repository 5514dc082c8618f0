"""What no desk should send: each is answered in words, and the good judgment beside it is kept."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse

from judging.models import Assignment, Judgment
from tests.factories import Cast, make_cast
from tests.judging.makers import client_of, make_assignment, make_subtopics

pytestmark = pytest.mark.django_db

FIELDS = [
    "uuid",
    "docno",
    "verdict",
    "grade",
    "answers",
    "note",
    "shown_at",
    "judged_at",
    "active_ms",
]
STRANGE = [
    "\ud800",
    "a\x00b",
    "٣" * 9,
    "9" * 5000,
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    10**30,
    float("inf"),
    True,
    None,
    [],
    {"\ud800": 1},
    {"1": "\ud800"},
]
NESTED = "[" * 100_000


@pytest.fixture
def cast() -> Cast:
    return make_cast(judging_mode="subtopic")


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    made = make_assignment(cast, ["D1", "D2"])
    make_subtopics(made.topic, ["1"])
    return made


def send(cast: Cast, body: Any) -> HttpResponse:
    text = body if body == NESTED else json.dumps(body)
    url = cast.task.url("judgment_submit", topic_number="401")
    return client_of(cast, "assessor").post(url, text, content_type="application/json")


def act(docno: str, values: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"uuid": str(uuid4()), "docno": docno, "verdict": "graded", "grade": 1, **(values or {})}


@pytest.mark.parametrize("field", FIELDS)
def test_a_strange_value_never_holds_up_the_judgment_beside_it(cast: Cast, assignment: Assignment, field: str) -> None:
    acts = [one for value in STRANGE for one in (act("D1", {field: value}), act("D2"))]
    answer = send(cast, {"assessor": cast.assessor.pk, "assignment": assignment.pk, "judgments": acts})
    assert answer.status_code in (200, 422)
    assert [result["state"] for result in answer.json()["results"][1::2]] == ["saved"] * len(STRANGE)
    assert Judgment.objects.filter(docno="D2").count() == len(STRANGE)


@pytest.mark.parametrize("strange", [*STRANGE, NESTED])
def test_a_strange_envelope_is_refused_and_nothing_stored(cast: Cast, assignment: Assignment, strange: Any) -> None:
    good = {"assessor": cast.assessor.pk, "assignment": assignment.pk, "judgments": [act("D1")]}
    bodies = [strange, {**good, "assignment": strange or "9" * 9}, {**good, "judgments": [strange]}]
    statuses = [send(cast, body).status_code for body in bodies]
    assert set(statuses) <= {400, 404, 422}, statuses
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("name", ["subtopic", "subtopics", "unknown"])
def test_a_strange_answer_is_refused_in_words_and_holds_up_nothing(
    cast: Cast, assignment: Assignment, name: str
) -> None:
    acts = [one for value in STRANGE for one in (act("D1", {"answers": {name: value}}), act("D2"))]
    answer = send(cast, {"assessor": cast.assessor.pk, "assignment": assignment.pk, "judgments": acts})
    results = answer.json()["results"]
    for value, strange, good in zip(STRANGE, results[::2], results[1::2], strict=True):
        assert strange["state"] == "saved" or strange["message"], value
        assert good["state"] == "saved", value
    assert Judgment.objects.filter(docno="D2").count() == len(STRANGE)


def test_half_a_character_in_a_note_costs_neither_the_note_nor_the_grade(cast: Cast, assignment: Assignment) -> None:
    acts = [act("D1", {"note": "an airship \ud83d"})]
    answer = send(cast, {"assessor": cast.assessor.pk, "assignment": assignment.pk, "judgments": acts})
    assert answer.status_code == 200
    assert Judgment.objects.get().note == "an airship ?"


def test_a_time_that_cannot_be_true_is_no_reason_to_refuse_a_grade(cast: Cast, assignment: Assignment) -> None:
    acts = [act("D1", {"shown_at": "0001-01-01T00:00:00+14:00", "judged_at": "9999-12-31T23:59:59-14:00"})]
    send(cast, {"assessor": cast.assessor.pk, "assignment": assignment.pk, "judgments": acts})
    judgment = Judgment.objects.get()
    assert judgment.shown_at is None
    assert abs((judgment.received_at - judgment.judged_at).total_seconds()) < 10
