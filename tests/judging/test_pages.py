import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaign.models import Role, Task, User
from campaign.setup.services.lifecycle import campaign_close
from judging.core.modes.registry import judging_mode
from judging.models import Assignment, Judgment, Qrels
from judging.qrels.services.releases import qrels_release
from tests.factories import Cast, make_cast, make_topics, make_user
from tests.judging.makers import (
    BEST_POSITION,
    ROLES,
    RUN_COUNT,
    assign,
    client_of,
    judge,
    make_assignment,
    make_pool,
    make_subtopics,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def post_acts(client: Client, assignment: Assignment, acts: list[dict[str, Any]], **values: Any) -> Any:
    body = {"assessor": assignment.assessor_id, "assignment": assignment.pk, "judgments": acts, **values}
    url = assignment.pool.task.url("judgment_submit", topic_number=assignment.topic.number)
    return client.post(url, json.dumps(body), content_type="application/json")


def act(docno: str, grade: int, **values: Any) -> dict[str, Any]:
    return {"uuid": str(uuid4()), "docno": docno, "verdict": "graded", "grade": grade, **values}


ACCESS = {
    # organiser, assessor, member, other member, stranger, anonymous
    "my_topics": [200, 200, 403, 403, 403, 302],
    "desk": [404, 200, 404, 404, 404, 302],
    "judging_next": [404, 200, 404, 404, 404, 401],
    "judging_progress": [200, 403, 403, 403, 403, 302],
    "judging_card": [200, 200, 200, 200, 200, 200],
    "qrels_list": [200, 200, 200, 200, 200, 200],
    "qrels_release": [200, 403, 403, 403, 403, 302],
    "qrels_import": [200, 403, 403, 403, 403, 302],
    "qrels_detail": [200, 404, 404, 404, 404, 404],
    "qrels_download": [200, 404, 404, 404, 404, 404],
    "next_judging": [200, 200, 200, 200, 200, 200],
}


@pytest.mark.parametrize("page", list(ACCESS))
def test_who_may_open_which_page(cast: Cast, assignment: Assignment, page: str) -> None:
    judge(assignment, "D1", 2)
    qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    values: dict[str, Any] = {"topic_number": "401"} if page in {"desk", "judging_next"} else {}
    values |= {"version": 1} if page in {"qrels_detail", "qrels_download"} else {}
    url = reverse(page) if page == "next_judging" else cast.task.url(page, **values)
    answers = [client_of(cast, role).get(url) for role in ROLES]
    for answer in answers:
        if answer.streaming:
            answer.getvalue()  # read to its end, the file is closed
    assert [answer.status_code for answer in answers] == ACCESS[page]


@pytest.mark.parametrize("page", ["judging_progress", "my_topics", "qrels_list", "judging_card"])
def test_a_draft_campaign_hides_its_judging_from_outsiders(cast: Cast, page: str) -> None:
    cast.campaign.opened_at = None
    cast.campaign.save()
    assert client_of(cast, "stranger").get(cast.task.url(page)).status_code == 404


def test_a_closed_campaign_takes_no_judgments_and_shows_those_that_are_there(
    cast: Cast, assignment: Assignment
) -> None:
    judge(assignment, "D1", 2)
    campaign_close(actor=cast.organiser, campaign=cast.campaign)
    client, closed = client_of(cast, "assessor"), Assignment.objects.get(pk=assignment.pk)
    with pytest.raises(ValidationError, match="is closed"):
        judge(closed, "D2", 1)
    assert post_acts(client, assignment, [act("D2", 1)]).status_code == 403
    desk = client.get(cast.task.url("desk", topic_number="401"))
    assert desk.status_code == 403
    assert "What you judged before is kept" in desk.content.decode()
    assert client.get(cast.task.url("own_judgments", topic_number="401")).status_code == 200
    assert "401" not in client.get(reverse("next_judging")).content.decode()
    assert Judgment.objects.count() == 1


def test_another_assessors_desk_does_not_exist(cast: Cast, assignment: Assignment) -> None:
    other = make_user()
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ASSESSOR)
    client = signed_in(other)
    assert client.get(cast.task.url("desk", topic_number="401")).status_code == 404
    assert client.get(f"{cast.task.url('desk', topic_number='401')}?assignment={assignment.pk}").status_code == 404
    answer = post_acts(client, assignment, [act("D1", 1)], assessor=other.pk)
    assert answer.status_code == 404
    assert not Judgment.objects.exists()


def test_published_qrels_are_open_to_all(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    Qrels.objects.update(published_at=qrels.released_at)
    for role in ROLES:
        client = client_of(cast, role)
        assert client.get(qrels.get_absolute_url()).status_code == 200
        answer = client.get(cast.task.url("qrels_download", version=1))
        assert answer.getvalue() == b"401 0 D1 2\n401 0 D2 -1\n401 0 D3 -1\n"
        assert client.get(cast.task.url("subtopic_qrels_download", version=1)).status_code == 404


def test_the_desk_says_nothing_of_ranks_runs_or_other_assessors(cast: Cast, assignment: Assignment) -> None:
    other = make_user("zacharias")
    judge(assign(assignment.pool, assignment.topic, other, cast.organiser, 2), "D1", 3, note="seen by another")
    client = client_of(cast, "assessor")
    desk = client.get(cast.task.url("desk", topic_number="401")).content.decode()
    fetched = client.get(cast.task.url("judging_next", topic_number="401"), {"docno": ["D1", "D2"]}).content.decode()
    for secret in [str(BEST_POSITION), str(RUN_COUNT), "zacharias", "seen by another"]:
        assert secret not in desk + fetched


def test_the_desk_opens_at_the_first_document_without_a_judgment(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2)
    page = client_of(cast, "assessor").get(cast.task.url("desk", topic_number="401"))
    assert page.context["shown"].docno == "D2"
    assert "no-store" in page["Cache-Control"]


def test_texts_are_fetched_only_of_the_own_pool(cast: Cast, assignment: Assignment) -> None:
    cast.task.collection.documents.create(docno="SECRET", text="not pooled")
    answer = client_of(cast, "assessor").get(
        cast.task.url("judging_next", topic_number="401"), {"docno": ["D3", "SECRET", "D1"]}
    )
    assert [row["docno"] for row in answer.json()["documents"]] == ["D3", "D1"]
    assert answer.json()["documents"][0]["text"] == "text of D3"


def test_a_batch_is_answered_act_by_act(cast: Cast, assignment: Assignment) -> None:
    acts = [act("D1", 2), act("D2", 9), {"docno": "D3"}, act("D3", 0, judged_at="2026-01-01T10:00:00Z", active_ms=900)]
    answer = post_acts(client_of(cast, "assessor"), assignment, acts)
    assert answer.status_code == 422
    assert [result["state"] for result in answer.json()["results"]] == ["saved", "refused", "refused", "saved"]
    assert "not on the task's scale" in answer.json()["results"][1]["message"]
    assert (answer.json()["saved"], answer.json()["total"]) == (2, 3)


def test_the_same_batch_again_changes_nothing(cast: Cast, assignment: Assignment) -> None:
    client, acts = client_of(cast, "assessor"), [act("D1", 2), act("D2", 1)]
    first, second = post_acts(client, assignment, acts), post_acts(client, assignment, acts)
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    assert Judgment.objects.count() == 2


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"judgments": 3}', '{"judgments": [3]}', "{", '"x"', "\xff"])
def test_a_broken_batch_gets_a_clear_answer(cast: Cast, assignment: Assignment, body: str) -> None:
    url = cast.task.url("judgment_submit", topic_number="401")
    answer = client_of(cast, "assessor").post(url, body.encode("latin-1"), content_type="application/json")
    assert answer.status_code == 400
    assert "Send an object" in answer.json()["detail"]


def test_acts_of_another_user_are_refused_whole(cast: Cast, assignment: Assignment) -> None:
    answer = post_acts(client_of(cast, "organiser"), assignment, [act("D1", 2)])
    assert answer.status_code == 409
    assert post_acts(Client(), assignment, [act("D1", 2)]).status_code == 401
    assert not Judgment.objects.exists()


def test_judging_goes_on_in_whatever_phase(cast: Cast, assignment: Assignment) -> None:
    cast.task.phase = Task.PUBLISHED
    cast.task.save()
    assert post_acts(client_of(cast, "assessor"), assignment, [act("D1", 2)]).status_code == 200


def test_whose_role_was_taken_away_judges_no_more_and_is_told_so(cast: Cast, assignment: Assignment) -> None:
    client = client_of(cast, "assessor")
    post_acts(client, assignment, [act("D1", 2)])
    Role.objects.filter(user=cast.assessor).delete()
    answer = post_acts(client, assignment, [act("D2", 1), act("D1", 0)])
    assert answer.status_code == 422
    assert {row["state"] for row in answer.json()["results"]} == {"refused"}
    assert "You are no assessor of" in answer.json()["results"][0]["message"]
    desk = client.get(cast.task.url("desk", topic_number="401"))
    assert desk.status_code == 403
    assert "You are no assessor of" in desk.content.decode()
    assert client.post(cast.task.url("desk", topic_number="401"), {"docno": "D2", "grade": "1"}).status_code == 403
    assert client.get(cast.task.url("judging_next", topic_number="401"), {"docno": "D2"}).status_code == 403
    assert list(Judgment.objects.values_list("docno", "grade")) == [("D1", 2)]


def test_the_plain_form_judges_and_comes_back_to_the_next_document(cast: Cast, assignment: Assignment) -> None:
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    sent = {"uuid": str(uuid4()), "docno": "D1", "grade": "2", "note": "short"}
    answer = client.post(url, sent, follow=True)
    assert answer.context["shown"].docno == "D2"
    client.post(url, sent)
    assert Judgment.objects.get().note == "short"
    answer = client.post(url, {"docno": "D2", "act": "skip"}, follow=True)
    assert answer.context["shown"].docno == "D3"
    answer = client.post(url, {"docno": "D3", "act": "undo"}, follow=True)
    assert answer.context["shown"].docno == "D1"
    answer = client.post(url, {"docno": "D1", "grade": "77"}, follow=True)
    assert "not on the task&#x27;s scale" in answer.content.decode()


@pytest.mark.parametrize("act", ["skip", "flag", "undo"])
def test_every_button_of_the_plain_form_keeps_what_was_written(cast: Cast, assignment: Assignment, act: str) -> None:
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    for _ in range(2):
        client.post(url, {"uuid": str(uuid4()), "docno": "D1", "act": act, "note": "two\r\nlines"})
    kept = client.get(f"{url}?docno=D1").context["shown"]
    assert (kept.verdict, kept.note, kept.flagged) == ("", "two\nlines", False), "flagged twice: not flagged"
    assert Judgment.objects.count() == (2 if act == "flag" else 1)


def plain_page(client: Client, url: str, docno: str) -> dict[str, Any]:
    """What the form of a desk without scripts sends if nothing in it is changed."""
    page = client.get(f"{url}?docno={docno}").context
    answers = judging_mode(page["task"].judging_mode).values(page["shown"].details)
    return {
        "uuid": str(page["uuid"]),
        "docno": docno,
        "note": page["shown"].note,
        "written": page["written"],
        **{name: values[::-1] for name, values in answers.items()},
    }


def test_undo_of_the_plain_form_takes_every_grade_back_one_by_one(cast: Cast, assignment: Assignment) -> None:
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    for docno, grade, note in (("D2", "1", ""), ("D1", "0", "a"), ("D1", "2", "b")):
        client.post(url, {**plain_page(client, url, docno), "grade": grade, "note": note})
    states = []
    for _ in range(4):
        client.post(url, {**plain_page(client, url, "D1"), "act": "undo"})
        first, second = (client.get(f"{url}?docno={docno}").context["shown"] for docno in ("D1", "D2"))
        states.append((first.grade, first.note, second.grade))
    assert states == [(0, "a", 1), (None, "a", 1), (None, "a", None), (None, "a", None)]


def test_undo_of_the_plain_form_keeps_a_note_that_was_written_on_the_page(cast: Cast, assignment: Assignment) -> None:
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    for docno, grade in (("D1", "2"), ("D2", "1")):
        client.post(url, {"uuid": str(uuid4()), "docno": docno, "grade": grade})
    client.post(url, {**plain_page(client, url, "D1"), "act": "undo", "note": "see D2"})
    first, second = (client.get(f"{url}?docno={docno}").context["shown"] for docno in ("D1", "D2"))
    assert (first.grade, first.note, second.grade) == (2, "see D2", None)


@pytest.mark.parametrize("act", ["skip", "flag", "undo"])
def test_an_older_plain_page_brings_nothing_back_that_it_only_showed(db: None, act: str) -> None:
    cast = make_cast(judging_mode="subtopic")
    make_subtopics(make_assignment(cast, ["D1", "D2"]).topic, ["a", "b"])
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    client.post(url, {**plain_page(client, url, "D2"), "grade": "1"})
    older = plain_page(client, url, "D1")
    client.post(url, {**older, "grade": "2", "subtopic": ["a", "b"], "note": "important"})
    if act == "undo":
        client.post(url, {**plain_page(client, url, "D2"), "grade": "0"})
    client.post(url, {**older, "act": act})
    kept = client.get(f"{url}?docno=D1").context["shown"]
    assert (kept.grade, kept.note, kept.details) == (2, "important", {"a": 1, "b": 1})
    assert client.get(f"{url}?docno=D2").context["shown"].grade == 1


def test_a_note_with_other_ends_of_lines_is_not_stored_again_by_a_plain_page_that_showed_it(
    cast: Cast, assignment: Assignment
) -> None:
    judge(assignment, "D1", 2, note="  read\r\ntwice ")
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    client.post(url, {**plain_page(client, url, "D1"), "note": "read\r\ntwice", "act": "skip"})
    assert Judgment.objects.count() == 1


def test_the_plain_form_keeps_what_was_written_where_a_grade_is_refused_and_the_flag_where_one_is_given(
    cast: Cast, assignment: Assignment
) -> None:
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    client.post(url, {"docno": "D1", "act": "flag"})
    refused = client.post(url, {"docno": "D1", "grade": "77", "note": "read twice"}, follow=True)
    assert "not on the task&#x27;s scale" in refused.content.decode()
    assert (refused.context["shown"].note, refused.context["shown"].flagged) == ("read twice", True)
    client.post(url, {"docno": "D1", "grade": "2", "note": "read twice"})
    kept = client.get(f"{url}?docno=D1").context["shown"]
    assert (kept.grade, kept.note, kept.flagged) == (2, "read twice", True)


def test_another_answer_on_the_same_plain_page_is_another_judgment(cast: Cast, assignment: Assignment) -> None:
    """The Back button brings back a page with the identifier that has been used already."""
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    sent = {"uuid": str(uuid4()), "docno": "D1"}
    for answer in ({"grade": "2"}, {"grade": "3"}, {"grade": "3"}, {"grade": "2"}, {"act": "cannot_judge"}):
        client.post(url, {**sent, **answer})
    rows = Judgment.objects.order_by("pk").values_list("grade", "is_current")
    assert list(rows) == [(2, False), (3, False), (3, False), (2, False), (None, True)]


def test_a_plain_page_sent_twice_is_one_judgment(cast: Cast, assignment: Assignment) -> None:
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    sent = {"uuid": str(uuid4()), "docno": "D1", "grade": "2", "note": "short"}
    for _ in range(2):
        client.post(url, sent)
    assert Judgment.objects.count() == 1


def test_the_plain_form_takes_subtopics(db: None) -> None:
    cast = make_cast(judging_mode="subtopic")
    make_subtopics(make_assignment(cast, ["D1"]).topic, ["a", "b"])
    client_of(cast, "assessor").post(
        cast.task.url("desk", topic_number="401"), {"docno": "D1", "grade": "2", "subtopic": ["b"]}
    )
    assert Judgment.objects.get().details == {"a": 0, "b": 1}


def test_the_plain_form_keeps_ticks_of_a_grade_that_does_not_go_with_them(db: None) -> None:
    cast = make_cast(judging_mode="subtopic", contradictions="stop")
    make_subtopics(make_assignment(cast, ["D1"]).topic, ["a", "b"])
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    refused = client.post(url, {"docno": "D1", "grade": "0", "subtopic": ["b"]}, follow=True)
    assert "Correct one of the two." in refused.content.decode()
    assert (refused.context["shown"].verdict, refused.context["shown"].details) == ("", {"a": 0, "b": 1})


def test_the_desk_gets_back_the_answers_that_it_sent(db: None) -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, ["D1", "D2"])
    make_subtopics(assignment.topic, ["a", "b"])
    client = client_of(cast, "assessor")
    acts = [
        act("D1", 2, answers={"subtopic": ["b"]}),
        act("D2", 2, answers={}),
        act("D2", 2, answers={"subtopic": ["z"]}),
    ]
    answer = post_acts(client, assignment, acts)
    assert [result["state"] for result in answer.json()["results"]] == ["saved", "saved", "refused"]
    page = client.get(cast.task.url("desk", topic_number="401"), {"docno": "D1"})
    assert [item.get("answers") for item in page.context["data"]["items"]] == [{"subtopic": ["b"]}, None]
    assert page.content.decode().count("checked") == 1


def test_my_topics_and_the_home_page_say_where_to_go_on(cast: Cast) -> None:
    first, second = make_topics(cast.task, ["401", "402"])
    pool = make_pool(cast.task, {first: ["D1"], second: ["D2", "D3"]}, cast.organiser)
    assign(pool, first, cast.assessor, cast.organiser)
    judge(assign(pool, second, cast.assessor, cast.organiser), "D3", 2)
    client = client_of(cast, "assessor")
    page, home = client.get(cast.task.url("my_topics")), client.get(reverse("next_judging"))
    for shown in (page, home):
        assert "Continue with topic 402" in " ".join(shown.content.decode().split())
    assert "2 topics to judge; 1 document left in topic 402" in " ".join(home.content.decode().split())
    assert "about 1 min left" in page.content.decode()
    assert (page.context["overall"].judged, page.context["overall"].total) == (1, 3)


def test_a_topic_that_others_have_judged_is_not_called_judged_by_its_assessor(
    cast: Cast, assignment: Assignment
) -> None:
    others = assign(assignment.pool, assignment.topic, make_user("other-assessor"), cast.organiser)
    for docno in ("D1", "D2", "D3"):
        judge(others, docno, 1)
    page = client_of(cast, "assessor").get(cast.task.url("desk", topic_number="401")).content.decode()
    assert "Topic 401 is done: others have judged all of its documents." in page


def test_an_assessor_without_topics_is_told_what_will_happen(cast: Cast) -> None:
    page = client_of(cast, "assessor").get(cast.task.url("my_topics"))
    assert "No topic is assigned to you" in page.content.decode()


def test_progress_counts_grades_pace_and_hours(cast: Cast, assignment: Assignment) -> None:
    judge(assignment, "D1", 2, active_ms=10_000)
    judge(assignment, "D2", None, active_ms=50_000)
    page = client_of(cast, "organiser").get(cast.task.url("judging_progress"))
    [row] = page.context["rows"]
    progress = row["progress"]
    assert (progress.total, progress.judged, progress.cannot_judge, progress.left) == (3, 2, 1, 1)
    assert progress.grades == {2: 1}
    assert progress.hours_left == pytest.approx(30 / 3600)


def test_assigning_dealing_out_and_taking_back_by_form(cast: Cast, assignment: Assignment) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("assignment_create")
    client.post(url, {"remove": assignment.pk})
    assert not Assignment.objects.exists()
    plan = {"assessors": [cast.assessor.pk], "by": "documents"}
    page = client.post(url, {**plan, "distribute": "preview"})
    assert not Assignment.objects.exists()
    client.post(url, {**plan, "distribute": page.context["preview"]["plan"].fingerprint})
    assert Assignment.objects.get().assessor == cast.assessor
    values = {"assessor": cast.assessor.pk, "topics": [assignment.topic.pk], "pass_number": 2}
    refused = client.post(url, values)
    assert (refused.status_code, Assignment.objects.filter(pass_number=2).count()) == (422, 0)
    assert "judges topic 401 in pass 1 already" in refused.content.decode()
    second = make_user()
    Role.objects.create(campaign=cast.campaign, user=second, role=Role.ASSESSOR)
    client.post(url, {**values, "assessor": second.pk})
    assert Assignment.objects.filter(pass_number=2).count() == 1
    assert client.post(url, {**values, "assessor": cast.member.pk}).status_code == 422
    assert client.post(url, {"remove": "x"}).status_code == 404
    assert client_of(cast, "assessor").post(url, values).status_code == 403


def test_progress_says_what_to_do_about_assignments_of_older_pools(cast: Cast, assignment: Assignment) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("judging_progress")
    said = "Some assignments are of pools before pool 2: let assessors finish them"
    assert "Some assignments are of pools before" not in client.get(url).content.decode()
    make_pool(cast.task, {assignment.topic: ["a", "b"]}, cast.organiser, version=2)
    assert said in " ".join(client.get(url).content.decode().split())


def test_releasing_by_form_tells_first_what_is_missing(cast: Cast, assignment: Assignment) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("qrels_release")
    assert "Nothing is judged yet" in client.get(url).content.decode()
    judge(assignment, "D1", 2)
    judge(assignment, "D2", None)
    page = client.get(url).content.decode()
    assert "1 of 3 topic-document pairs has a grade" in page
    assert "Not judged: 1 pair, released as -1" in page
    assert "Could not be judged: 1 pair, released as -2" in page
    assert "Runs are scored on 1 topic, " in page
    assert "1 assignment is not finished." in page
    assert "Pairs with fewer than 3 grades: 1 of 1" in page
    assert "Without a relevant document" not in page
    answer = client.post(url, {"policy": "latest", "note": "first"})
    assert answer.status_code == 302
    assert Qrels.objects.get().note == "first"
    again = client.post(url, {"policy": "latest"})
    assert again.status_code == 422
    assert "Nothing has changed since qrels v1" in again.content.decode()


def test_the_progress_page_asks_the_database_as_often_for_many_assignments_as_for_one(cast: Cast) -> None:
    topics = make_topics(cast.task, [str(number) for number in range(500, 540)])
    pool = make_pool(cast.task, {topic: ["D1", "D2"] for topic in topics}, cast.organiser)
    client, queries = client_of(cast, "organiser"), []
    for some in (topics[:1], topics[1:]):
        for topic in some:
            judge(assign(pool, topic, cast.assessor, cast.organiser), "D1", 1)
        client.get(cast.task.url("judging_progress"))  # after which figures are kept
        with CaptureQueriesContext(connection) as asked:
            page = client.get(cast.task.url("judging_progress"))
        queries.append(len(asked))
    assert queries[1] <= queries[0] <= 60
    assert len(page.context["rows"]) == 40
