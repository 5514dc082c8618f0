"""The pages about preferences: what each shows, and how forms and the desk's requests answer."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from campaign.models import Document, Task
from judging.models import PreferenceAct, PreferenceAssignment, PreferenceOrder
from judging.preferences.selectors import standing_of
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_collection, make_topics
from tests.judging.makers import client_of
from tests.judging.preferences.makers import answer_all, answer_next, make_comparison

DOCNOS = ["D1", "D2", "D3"]
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def comparison(cast: Cast) -> PreferenceAssignment:
    topic, _ = make_topics(cast.task, ["401", "402"])
    make_collection(cast.task, DOCNOS)
    make_qrels(cast.task, {"401": dict.fromkeys(DOCNOS, 3), "402": {"D1": 2, "D3": 2}}, cast.organiser)
    return make_comparison(cast, topic, DOCNOS)


def submit(client: Client, cast: Cast, compared: PreferenceAssignment, *acts: Any, **body: Any) -> Any:
    url = cast.task.url("preference_submit", topic_number="401")
    sent = {"assessor": cast.assessor.pk, "assignment": f"preferences-{compared.pk}", "judgments": acts, **body}
    return client.post(url, json.dumps(sent), content_type="application/json")


def act_of(assignment: PreferenceAssignment, answer: str = "left") -> dict[str, Any]:
    left, right = standing_of(assignment).state.open[0]
    return {"uuid": str(uuid4()), "left": left, "right": right, "answer": answer}


def test_the_desk_shows_both_texts_and_nothing_of_runs_or_ranks(cast: Cast, comparison: PreferenceAssignment) -> None:
    page = client_of(cast, "assessor").get(cast.task.url("preference_desk", topic_number="401"))
    [(left, right)] = standing_of(comparison).state.open
    assert page.content.index(f"text of {left}".encode()) < page.content.index(f"text of {right}".encode())
    assert b"rank" not in page.content


@pytest.mark.parametrize("shown_as", Task.DISPLAYS)
def test_the_desk_shows_documents_as_the_task_says(cast: Cast, comparison: PreferenceAssignment, shown_as: str) -> None:
    Document.objects.update(text=f"<p onclick=x>Boil <b>eggs</b></p>{HOSTILE}")
    Task.objects.update(documents_shown_as=shown_as)
    client, named = client_of(cast, "assessor"), {"topic_number": "401"}
    page = client.get(cast.task.url("preference_desk", **named))
    text = page.content.decode()
    address = cast.task.url("preference_documents", **named)
    [row] = client.get(address, {"assignment": comparison.pk, "docno": "D1"}).json()["documents"]
    assert HOSTILE not in text
    assert "onclick=x" not in text.replace("&lt;p onclick=x&gt;", "")
    assert ("&lt;b&gt;eggs" in text) == (shown_as == Task.TEXT) == bool(row["text"])
    assert ("<p>Boil <b>eggs</b></p>" in text) == (shown_as != Task.TEXT) == (row["html"] == "<p>Boil <b>eggs</b></p>")
    frame = cast.task.url("document_page", docno="D1")
    assert (frame in text) == (shown_as == Task.FRAME) == (row["frame"] == frame)
    assert "frame-src 'self'" in page["Content-Security-Policy"]


def test_without_scripts_each_press_is_a_form_and_undo_takes_the_last_back(
    cast: Cast, comparison: PreferenceAssignment
) -> None:
    client, url = client_of(cast, "assessor"), cast.task.url("preference_desk", topic_number="401")
    sent = act_of(comparison, "equal")
    for _ in range(2):  # the second by a double click
        assert client.post(url, {**sent, "note": "alike"}).status_code == 302
    [act] = PreferenceAct.objects.all()
    assert (act.answer, act.note, act.input_method) == ("equal", "alike", "form")
    client.post(url, {"answer": "undo"})
    assert standing_of(comparison).answers == {}
    refused = client.post(url, {**sent, "uuid": "nonsense"}, follow=True)
    assert b"valid UUID" in refused.content


def test_a_batch_is_answered_act_by_act_with_what_comes_next(cast: Cast, comparison: PreferenceAssignment) -> None:
    client, act = client_of(cast, "assessor"), act_of(comparison)
    answer = submit(client, cast, comparison, act, {"uuid": 7}, {**act_of(comparison), "right": HOSTILE})
    assert answer.status_code == 422
    assert [one["state"] for one in answer.json()["results"]] == ["saved", "refused", "refused"]
    assert answer.json()["saved"] == 1
    state = answer.json()["growth"]
    assert (state["ahead"]["left"], state["ahead"]["right"]) == standing_of(comparison).state.open[0]
    assert state["last"]["uuid"] == act["uuid"]


def test_sending_a_batch_again_changes_nothing(cast: Cast, comparison: PreferenceAssignment) -> None:
    client, act = client_of(cast, "assessor"), act_of(comparison)
    first, again = submit(client, cast, comparison, act), submit(client, cast, comparison, act)
    assert first.json() == again.json()
    assert PreferenceAct.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"assessor": 0}, 409),
        ({"assignment": "preferences-0"}, 404),
        ({"assignment": "x" * 99}, 404),
        ({"judgments": 3}, 400),
    ],
)
def test_requests_that_cannot_be_meant_are_refused(
    cast: Cast, comparison: PreferenceAssignment, body: dict[str, Any], status: int
) -> None:
    assert submit(client_of(cast, "assessor"), cast, comparison, **body).status_code == status
    assert not PreferenceAct.objects.exists()


def test_texts_of_documents_outside_the_comparison_are_not_given(cast: Cast, comparison: PreferenceAssignment) -> None:
    PreferenceAssignment.objects.filter(pk=comparison.pk).update(documents=["D1", "D2"])
    url = cast.task.url("preference_documents", topic_number="401")
    query = {"assignment": f"preferences-{comparison.pk}", "docno": ["D2", "D3", "D1"]}
    rows = client_of(cast, "assessor").get(url, query).json()["documents"]
    assert [row["docno"] for row in rows] == ["D2", "D1"]


def test_assessors_find_their_topics_from_the_task_and_from_the_topics_that_they_judge(
    cast: Cast, comparison: PreferenceAssignment
) -> None:
    client = client_of(cast, "assessor")
    address = cast.task.url("my_preferences").encode()
    assert address in client.get(cast.task.url("task_detail")).content
    assert address in client.get(cast.task.url("my_topics")).content
    answer_next(comparison)
    assert b"Continue with topic 401" in client.get(cast.task.url("my_preferences")).content
    answer_all(comparison)
    assert address not in client.get(cast.task.url("task_detail")).content


def test_an_organiser_starts_watches_and_releases(cast: Cast, comparison: PreferenceAssignment) -> None:
    client, page = client_of(cast, "organiser"), cast.task.url("preferences")
    assert b"402 title of 402: 2 of grade 2, at most 1 pair" in client.get(page).content
    chosen = {"topics": ["402"], "assessors": [cast.assessor.pk], "control_percent": 0}
    assert client.post(cast.task.url("preferences_begin"), chosen).status_code == 302
    assert PreferenceAssignment.objects.count() == 2
    early = client.post(cast.task.url("preferences_release"), {"note": ""})
    assert (early.status_code, b"no order to release" in early.content) == (422, True)
    answer_all(comparison)
    released = client.post(cast.task.url("preferences_release"), {"note": HOSTILE}, follow=True)
    assert b"Preferences v1" in released.content
    assert HOSTILE.encode() not in released.content
    order = PreferenceOrder.objects.get()
    manifest = client.get(cast.task.url("preference_manifest", version=1)).json()
    assert (manifest["sha256"], manifest["qrels"]["version"]) == (order.sha256, 1)
    [facts] = manifest["topics"]
    assert (facts["topic"], facts["levels"], facts["comparisons"] <= facts["bound"]) == ("401", 3, True)
    taken = PreferenceAssignment.objects.get(topic__number="402")
    client.post(cast.task.url("preferences_remove"), {"remove": taken.pk})
    assert PreferenceAssignment.objects.get() == comparison


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"topics": []}, "Choose at least one topic."),
        ({"topics": ["999"]}, "not one of the available choices"),
        ({"assessors": ["x"]}, "not a valid value"),
        ({"control_percent": "51"}, "less than or equal to 50"),
        ({"best": "0"}, "greater than or equal to 1"),
    ],
)
def test_a_start_that_cannot_be_is_refused_with_the_field(
    cast: Cast, comparison: PreferenceAssignment, sent: dict[str, Any], says: str
) -> None:
    chosen = {"topics": ["402"], "assessors": [cast.assessor.pk], "control_percent": 10, **sent}
    answer = client_of(cast, "organiser").post(cast.task.url("preferences_begin"), chosen)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert PreferenceAssignment.objects.count() == 1


def test_the_page_tells_that_newer_qrels_do_not_change_what_is_compared(
    cast: Cast, comparison: PreferenceAssignment
) -> None:
    make_qrels(cast.task, {"401": {"D1": 3}}, cast.organiser)
    page = client_of(cast, "organiser").get(cast.task.url("preferences")).content.decode()
    assert "qrels v2 is newer than qrels v1" in " ".join(page.split())


def test_without_qrels_the_page_says_what_to_do_first(cast: Cast) -> None:
    page = client_of(cast, "organiser").get(cast.task.url("preferences")).content
    assert b"No qrels yet" in page
    assert client_of(cast, "organiser").post(cast.task.url("preferences_begin")).status_code == 302


def test_the_page_of_an_order_says_which_documents_are_not_put_in_order(
    cast: Cast, comparison: PreferenceAssignment
) -> None:
    PreferenceAssignment.objects.filter(pk=comparison.pk).update(best=1)
    comparison.refresh_from_db()
    answer_all(comparison)
    client = client_of(cast, "organiser")
    page = client.post(cast.task.url("preferences_release"), {"note": ""}, follow=True).content.decode()
    assert 'D2 = D3 <span class="muted">(not put in order)</span>' in " ".join(page.split())
