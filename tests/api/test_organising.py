"""Organising by program: what is sent is checked as on the pages, and what has consequences waits to be confirmed."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.utils import timezone
from ninja import Schema

from campaign.models import AuditEvent, Import, Job, Mail, RoleInvitation, Run, Task
from campaign.models.role_invitation import INVITED_FOR
from campaign.setup.forms.campaigns import CampaignForm
from campaign.setup.forms.task_form import TaskForm
from evaluation.models import Leaderboard
from evaluation.services import publication_requests
from judging.models import Assignment, Judgment, Qrels
from judging.qrels.services.merged_imports import SET
from pooling.models import Pool
from runpool.api import api
from tests.api.makers import World, score
from tests.factories import make_task, make_user

pytestmark = pytest.mark.sqlite

DEADLINE = datetime(2031, 5, 4, 11, 59, 59, tzinfo=UTC)


def task_of(world: World) -> Task:
    return Task.objects.get(pk=world.cast.task.pk)


def send(world: World, method: str, address: str, data: Any = None, **values: Any) -> HttpResponse:
    return world.ask("organiser", f"{world.task}/{address}", method=method, data=data, **values)


def refused(answer: HttpResponse, status: int = 422) -> dict[str, str]:
    """The messages of a refusal by field."""
    assert answer.status_code == status, answer.content
    return {error["field"]: error["message"] for error in answer.json()["errors"]}


def test_every_field_of_the_settings_pages_is_in_the_api() -> None:
    schemas = api.get_openapi_schema()["components"]["schemas"]
    assert set(TaskForm.base_fields) <= set(schemas["TaskIn"]["properties"])
    assert set(TaskForm.base_fields) - {"slug"} <= set(schemas["TaskEdit"]["properties"])
    assert set(CampaignForm.base_fields) <= set(schemas["CampaignIn"]["properties"])
    assert set(TaskForm.base_fields) <= set(schemas["TaskSettings"]["properties"])


def test_no_two_schemas_of_the_document_have_the_same_name() -> None:
    """The document knows schemas by their name alone: of two it describes one, and no program can send the other."""
    named: dict[str, set[type[Schema]]] = {}
    for schema in _below(Schema):
        if schema.__name__ != "NinjaResponseSchema":  # around the answer of each operation, and not in the document
            named.setdefault(schema.__name__, set()).add(schema)
    assert len(named) > 100
    assert {name: found for name, found in named.items() if len(found) > 1} == {}


def _below(schema: type[Schema]) -> Iterator[type[Schema]]:
    for child in schema.__subclasses__():
        yield child
        yield from _below(child)


def test_a_task_is_made_as_the_page_makes_it_and_changed_by_what_is_sent_alone(world: World) -> None:
    sent = {
        "slug": "second",
        "title": "Second",
        "judging_mode": "graded",
        "measures": ["AP", "P@5"],
        "grades": [{"value": 0, "label": "no"}, {"value": 1, "label": "yes", "gain": 3}],
        "lowest_relevant_grade": 1,
        "questions": [{"key": "neural", "label": "Neural?", "kind": "yes/no"}],
        "rule_severities": {"not_q0": "error"},
    }
    address = f"campaigns/{world.cast.campaign.slug}/tasks"
    made = world.ask("organiser", address, method="POST", data=sent)
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["measures"], [one["gain"] for one in told["grades"]]) == (["AP", "P@5"], [0, 3])
    assert told["questions"][0]["kind"] == "yes/no"
    assert world.ask("organiser", made["Location"].partition("/api/v1/")[2]).json() == told

    Task.objects.filter(slug="second").update(closes_at=DEADLINE)
    settings = f"{address}/second/settings"
    changed = world.ask("organiser", settings, method="PATCH", data={"title": "Other", "measures": ["RR"]})
    assert changed.status_code == 200, changed.content
    second = Task.objects.get(slug="second")
    assert (second.title, second.measures, second.closes_at) == ("Other", ["RR"], DEADLINE)
    assert second.questions[0]["key"] == "neural"
    cleared = world.ask("organiser", settings, method="PATCH", data={"closes_at": None})
    assert cleared.json()["closes_at"] is None


def test_a_time_without_a_zone_is_one_of_the_campaigns_zone(world: World) -> None:
    world.cast.campaign.time_zone = "Europe/Zurich"
    world.cast.campaign.save()
    for written, hour in (("2031-05-04T12:00", 10), ("2031-05-04T12:00:00Z", 12)):
        answer = send(world, "PATCH", "settings", {"closes_at": written})
        assert answer.status_code == 200, answer.content
        assert task_of(world).closes_at == datetime(2031, 5, 4, hour, tzinfo=UTC)


@pytest.mark.parametrize("written", ["2031-05-04", "20310504", 20310504, 1935705600, "2031-05-04T", "05/04/2031 12:00"])
def test_a_deadline_without_a_time_is_refused_whatever_a_program_may_mean_by_it(world: World, written: object) -> None:
    answer = send(world, "PATCH", "settings", {"closes_at": written})
    assert answer.status_code == 422, answer.content
    [problem] = answer.json()["errors"]
    assert problem["field"] == "closes_at"
    assert "Give the time, such as 2031-05-04 23:59." in problem["message"] or "Write it like" in problem["message"]


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"measures": ["Beauty@10"]}, "measures"),
        ({"max_runs_per_team": 0}, "max_runs_per_team"),
        ({"judging_mode": "by taste"}, "judging_mode"),
        ({"collection": "elsewhere"}, "collection"),
        ({"grades": [{"value": 0, "label": "a"}, {"value": 0, "label": "b"}]}, "grades"),
        ({"rule_severities": {"no_such_rule": "error"}}, "rule_severities"),
        ({"questions": [{"key": "Not a key", "label": "?"}]}, "questions"),
    ],
)
def test_what_the_page_refuses_is_refused_with_its_field_and_nothing_is_changed(
    world: World, sent: dict[str, Any], field: str
) -> None:
    events = AuditEvent.objects.count()
    assert field in refused(send(world, "PATCH", "settings", {"title": "Changed", **sent}))
    assert (task_of(world).title, AuditEvent.objects.count()) == (world.cast.task.title, events)


def test_a_collection_is_named_by_its_slug(world: World) -> None:
    slug = world.cast.task.collection.slug
    assert send(world, "PATCH", "settings", {"collection": slug}).json()["collection"] == slug
    assert slug in refused(send(world, "PATCH", "settings", {"collection": "elsewhere"}))["collection"]


def test_what_changes_scores_is_told_first_and_done_when_it_is_confirmed(world: World) -> None:
    score(world)
    told = refused(send(world, "PATCH", "settings", {"measures": ["RR", "AP"]}), 409)
    assert "ranking measure changed" in told["confirm"]
    assert task_of(world).measures == ["AP", "RR"]
    assert send(world, "PATCH", "settings", {"measures": ["RR", "AP"], "confirm": True}).status_code == 200
    assert task_of(world).measures == ["RR", "AP"]


def test_a_phase_is_entered_when_its_consequences_are_confirmed(world: World) -> None:
    answer = send(world, "POST", "phase", {"phase": "setup"})
    assert "disappears for everybody" in answer.content.decode()
    assert refused(answer, 409)["confirm"]
    assert task_of(world).phase == Task.RUNS
    assert send(world, "POST", "phase", {"phase": "setup", "confirm": True}).json()["phase"] == "setup"


def test_a_file_is_checked_shown_and_imported_when_it_is_confirmed(world: World) -> None:
    sent = send(world, "POST", "imports/topics", {}, file=b"7\tgarden tools\n8\twater pumps\n")
    assert sent.status_code == 202, sent.content
    address = sent["Location"].partition("/api/v1/")[2]
    checked = world.ask("organiser", address).json()
    assert (checked["state"], checked["records"], checked["preview"][0]["number"]) == ("ready", 2, "7")
    assert not world.cast.task.topics.filter(number="7").exists()
    for _ in range(2):
        assert world.ask("organiser", f"{address}/confirm", method="POST").status_code == 202
    assert world.ask("organiser", address).json()["state"] == "done"
    assert world.cast.task.topics.filter(number__in=["7", "8"]).count() == 2


def test_number_title_and_further_parts_of_topics_are_chosen_by_program(world: World) -> None:
    line = b'{"id": 5, "code": "C1", "words": "old boats", "year": 2020}\n'
    options = {"number_from": "code", "title_from": "words", "other_parts": "narrative"}
    several = line[:-2] + b', "lang": "en"}\n' + line[:-2].replace(b"old boats", b"Boote") + b', "lang": "de"}\n'
    german = send(world, "POST", "imports/topics", {**options, "language": "de"}, file=several)
    [topic] = world.ask("organiser", german["Location"].partition("/api/v1/")[2]).json()["preview"]
    assert topic["title"] == "Boote"
    address = send(world, "POST", "imports/topics", options, file=line)["Location"].partition("/api/v1/")[2]
    checked = world.ask("organiser", address).json()
    assert checked["options"] == options
    [topic] = checked["preview"]
    assert (topic["number"], topic["title"], topic["narrative"]) == ("C1", "old boats", "id: 5\n\nyear: 2020")
    assert "other_parts" in refused(send(world, "POST", "imports/topics", {"other_parts": "all"}, file=line))
    unknown = send(world, "POST", "imports/topics", {"number_from": "no"}, file=line)["Location"].partition("/api/v1/")[
        2
    ]
    [problem] = [one for one in world.ask("organiser", unknown).json()["problems"] if one["severity"] == "error"]
    assert problem["remedy"] == "It has “id” (1), “code” (1), “words” (1), “year” (1)."


def test_a_bad_file_gives_its_problems_and_cannot_be_imported(world: World) -> None:
    sent = send(world, "POST", "imports/documents", {}, file=b'{"docno": "z", "text": "x"}\n{"text": "no number"}\n')
    address = sent["Location"].partition("/api/v1/")[2]
    bad = world.ask("organiser", address).json()
    [problem] = [one for one in bad["problems"] if one["severity"] == "error"]
    assert (bad["state"], bad["errors"], problem["line"]) == ("bad", 1, 2)
    assert problem["remedy"]
    world.ask("organiser", f"{address}/confirm", method="POST")
    assert world.ask("organiser", address).json()["state"] == "bad"
    assert world.ask("organiser", f"{address}/discard", method="POST").json()["state"] == "discarded"
    assert not world.cast.task.collection.documents.filter(docno="z").exists()


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("topics", "7\t卵をゆでる\n"),
        ("documents", '{"docno": "z", "text": "卵をゆでる"}\n'),
        ("documents", "卵をゆでる\n"),
        ("pool", "1 卵をゆでる\n"),
        ("qrels", "1 0 卵をゆでる 1\n"),
        ("judgments", '{"topic": "1", "docno": "卵をゆでる", "assessor": "x", "grade": 1}\n'),
    ],
)
def test_each_kind_of_file_is_read_in_the_encoding_that_is_chosen(world: World, kind: str, line: str) -> None:
    options = {"encoding": "euc-jp", **({"docnos_only": "true"} if line == "卵をゆでる\n" else {})}
    sent = send(world, "POST", f"imports/{kind}", options, file=line.encode("euc-jp"))
    found = world.ask("organiser", sent["Location"].partition("/api/v1/")[2]).json()
    assert "卵をゆでる" in json.dumps([found["preview"], found["problems"]], ensure_ascii=False)
    assert found["options"]["encoding"] == "euc-jp"
    assert "encoding" in refused(send(world, "POST", f"imports/{kind}", {"encoding": "zip"}, file=line.encode()))


def test_an_import_is_checked_again_with_other_choices_without_its_file_being_sent_again(world: World) -> None:
    def sent(kind: str, file: bytes, **options: str) -> str:
        return send(world, "POST", f"imports/{kind}", options, file=file)["Location"].partition("/api/v1/")[2]

    def again(address: str, status: int = 202, **options: Any) -> dict[str, Any]:
        answer = world.ask("organiser", f"{address}/check", method="POST", data={"options": options})
        assert answer.status_code == status, answer.content
        return world.ask("organiser", address).json()

    topics = sent(
        "topics", "7;code-7;caf\xe9\n".encode("latin-1").replace(b"7;", b"id;code;title\n7;", 1), number_from="code"
    )
    assert world.ask("organiser", topics).json()["state"] == "bad"
    mended = again(topics, encoding="windows-1252")
    assert (mended["state"], mended["options"]) == ("ready", {"number_from": "code", "encoding": "windows-1252"})
    assert [(one["number"], one["title"]) for one in mended["preview"]] == [("code-7", "caf\xe9")]
    assert again(topics, number_from="")["preview"][0]["number"] == "7"
    for wrong, status in (({"nmber_from": "id"}, 400), ({"encoding": "zip"}, 422), ({"replace": True}, 422)):
        assert again(topics, status, **wrong)["options"] == {"number_from": "", "encoding": "windows-1252"}

    documents = sent("documents", b'{"docno": "z", "title": "a", "text": "b", "year": "c"}\n')
    assert again(documents, shown_fields="year")["preview"][0]["text"] == "c"
    assert again(documents, docnos_only=True, status=422)["options"] == {"shown_fields": "year"}
    assert world.ask("organiser", f"{documents}/confirm", method="POST").status_code == 202
    [text] = world.cast.task.collection.documents.filter(docno="z").values_list("text", flat=True)
    assert text == "c", "what the first check had stored is gone"
    assert again(documents, 422, shown_fields="text")["state"] == "done"

    qrels = sent("qrels", b"1 0 a 0\n1 0 a 1\n2 0 c 0\n", new_set="readability")
    assert world.ask("organiser", qrels).json()["state"] == "bad"
    for taken_back in ({"new_set": ""}, {SET: ""}):
        again(qrels, new_set="readabilty")
        again(qrels, **taken_back)
        assert not Import.objects.latest("created_at").options[SET], "a set that is mistyped can be taken back"
    again(qrels, new_set="readability")
    assert again(qrels, repeated="last", leave_out=True)["state"] == "ready"
    world.ask("organiser", f"{qrels}/confirm", method="POST")
    assert (Qrels.objects.get().set_name, Qrels.objects.get().topics) == ("readability", ["1"])


def test_an_option_that_an_import_does_not_have_is_refused_and_nothing_is_stored(world: World) -> None:
    before = Import.objects.count()
    assert "replce" in refused(send(world, "POST", "imports/topics", {"replce": "true"}, file=b"7\tx\n"), 400)
    assert "file" in refused(send(world, "POST", "imports/topics", {}, file=b""))
    in_use = send(world, "POST", "imports/topics", {"replace": "true"}, file=b"7\tx\n")
    assert "replace" in refused(in_use)
    assert Import.objects.count() == before


def test_the_options_of_qrels_are_those_of_the_page(world: World) -> None:
    lines = b"1,0,a,0\n1,0,b,0\n2,0,c,0\n1,0,a,1\n"
    options = {"new_set": "readability", "note": "By hand.", "leave_out": "true", "repeated": "last"}
    sent = send(world, "POST", "imports/qrels", options, file=lines)
    assert sent.status_code == 202, sent.content
    address = sent["Location"].partition("/api/v1/")[2]
    assert world.ask("organiser", f"{address}/confirm", method="POST").status_code == 202
    qrels = Qrels.objects.get()
    assert (qrels.set_name, qrels.note) == ("readability", "By hand.")
    assert qrels.topics == ["1"], "2 has no relevant document"
    assert "repeated" in refused(send(world, "POST", "imports/qrels", {"repeated": "lowest"}, file=lines))
    letters = {"new_set": "letters", "grade_words": "E=3 I=0", "grade_column": "4"}
    sent = send(world, "POST", "imports/qrels", letters, file=b"1 0 a E 7\n1 0 b I 7\n")
    address = sent["Location"].partition("/api/v1/")[2]
    assert world.ask("organiser", f"{address}/confirm", method="POST").status_code == 202
    assert Qrels.objects.get(set_name="letters").judgment_count == 2
    assert "grade_words" in refused(send(world, "POST", "imports/qrels", {"grade_words": "E"}, file=lines))
    assert "grade_column" in refused(send(world, "POST", "imports/qrels", {"grade_column": "7"}, file=lines))


def test_that_qrels_stand_alone_may_be_said_while_nothing_is_judged_and_a_merge_is_refused(world: World) -> None:
    lines = b"1 0 a 1\n"
    assert send(world, "POST", "imports/qrels", {"combine": "alone"}, file=lines).status_code == 202
    refused = send(world, "POST", "imports/qrels", {"combine": "here"}, file=lines)
    assert refused.status_code == 422
    assert "Nothing is judged here yet" in refused.json()["errors"][0]["message"]


def test_judgments_of_a_file_are_checked_and_stored_when_they_are_confirmed(world: World) -> None:
    lines = f"topic,docno,assessor,grade\n1,a,{world.cast.assessor.username},1\n".encode()
    sent = send(world, "POST", "imports/judgments", {}, file=lines)
    assert (sent.status_code, Judgment.objects.count()) == (202, 0), sent.content
    address = sent["Location"].partition("/api/v1/")[2]
    assert world.ask("organiser", f"{address}/confirm", method="POST").status_code == 202
    judgment = Judgment.objects.get()
    assert (judgment.assessor, judgment.grade, judgment.input_method) == (world.cast.assessor, 1, "import")


def test_a_pool_is_previewed_and_frozen_by_a_job_once_it_is_confirmed(world: World) -> None:
    wanted = {"strategy": "depth-k", "settings": {"depth": 1}, "seed": 3}
    preview = send(world, "POST", "pool-preview", wanted).json()
    assert (preview["is_ready"], preview["pairs"], preview["runs"][0]["tag"]) == (True, 2, "one")
    told = send(world, "POST", "pools", wanted)
    assert [error["message"] for error in told.json()["errors"]] == preview["consequences"]
    assert told.status_code == 409
    asked = send(world, "POST", "pools", {**wanted, "confirm": True})
    assert asked.status_code == 202, asked.content
    job = world.ask("organiser", asked["Location"].partition("/api/v1/")[2]).json()
    assert job["state"] == "done", job
    frozen = send(world, "GET", "pools").json()["items"][0]
    assert (frozen["version"], frozen["pairs"], frozen["seed"]) == (2, 2, 3)
    assert send(world, "GET", "pools/2/file").content.decode().split() == ["1", "a", "2", "c"]


def test_settings_that_a_pool_does_not_have_are_named(world: World) -> None:
    assert "dpth" in refused(send(world, "POST", "pools", {"settings": {"dpth": 1}, "confirm": True}), 400)
    assert "depth" in refused(send(world, "POST", "pools", {"settings": {"depth": 0}, "confirm": True}))
    assert "strategy" in refused(send(world, "POST", "pools", {"strategy": "magic"}))
    assert (Pool.objects.count(), Job.objects.filter(name="freeze pool").count()) == (1, 0)


def test_a_plan_assigns_nothing_until_it_is_confirmed(world: World) -> None:
    Assignment.objects.all().delete()
    wanted = {"assessors": [world.cast.assessor.username]}
    plan = send(world, "POST", "judging/plans/distribute", wanted).json()
    assert (plan["shares"][0]["documents"], plan["assignments"]) == (3, [])
    assert not Assignment.objects.exists()
    done = send(world, "POST", "judging/plans/distribute", {**wanted, "confirm": True}).json()
    assert list(Assignment.objects.values_list("pk", flat=True)) == done["assignments"]
    assert "assessors" in refused(send(world, "POST", "judging/plans/distribute", {"assessors": ["nobody"]}))


def test_a_board_is_published_as_it_was_looked_at_or_not_at_all(
    world: World, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    score(world)
    wanted = {"audience": "public", "licence": "CC-BY-4.0", "note": "First."}
    assert refused(send(world, "POST", "leaderboards", wanted), 409)["confirm"]
    assert send(world, "POST", "leaderboards", {**wanted, "seen": "0" * 64, "confirm": True}).status_code == 422
    assert not Leaderboard.objects.exists()
    mark = send(world, "GET", "publication").json()["mark"]
    made = send(world, "POST", "leaderboards", {**wanted, "seen": mark, "confirm": True})
    assert made.status_code == 201, made.content
    assert (made.json()["number"], made.json()["licence"]) == (1, "CC-BY-4.0")
    for seen in ({"seen": mark}, {}):  # the answer was lost, and the client sends it again
        again = send(world, "POST", "leaderboards", {**wanted, **seen, "confirm": True})
        assert (again.status_code, again.json()["number"]) == (200, 1), again.content
    other = send(world, "POST", "leaderboards", {**wanted, "note": "Second.", "confirm": True})
    assert (other.status_code, other.json()["number"]) == (201, 2)
    monkeypatch.setattr(publication_requests, "MOST_VALUES_AT_ONCE", 1)
    with django_capture_on_commit_callbacks(execute=True):
        asked = send(world, "POST", "leaderboards", {**wanted, "note": "Third.", "confirm": True})
    assert (asked.status_code, asked.json()["state"], Leaderboard.objects.count()) == (202, "queued", 3)
    job = send(world, "GET", f"jobs/{asked.json()['id']}").json()
    assert (job["state"], job["message"]) == ("done", "Leaderboard 3 is published for everybody.")
    assert send(world, "GET", "scoring").json()["is_current"]


def test_an_equivalence_margin_is_named_and_removed_until_somebody_can_have_seen_scores(world: World) -> None:
    make_task(world.cast.campaign, "later", measures=["AP"])
    later = f"{world.task.rpartition('/')[0]}/later/board-tests"
    named = world.ask("organiser", later, method="PATCH", data={"margin": 0.02}).json()
    assert (named["margin"], named["margin_measure"]) == (0.02, "AP")
    assert datetime.fromisoformat(named["margin_named_at"]).tzinfo is not None
    assert world.ask("organiser", later).json() == named
    removed = world.ask("organiser", later, method="PATCH", data={"margin": None}).json()
    assert (removed["margin"], removed["margin_measure"], removed["margin_named_at"]) == (None, "", "")
    score(world)
    assert "Somebody may have seen scores" in refused(send(world, "PATCH", "board-tests", {"margin": 0.02}))["margin"]


def test_a_mail_to_teams_says_to_how_many_and_goes_out_once(world: World) -> None:
    address = f"campaigns/{world.cast.campaign.slug}/mails"
    mail = {"teams": [world.cast.team.slug], "subject": "News", "text": "Soon.", "batch": str(uuid4())}
    assert "1 person of 1 team" in refused(world.ask("organiser", address, method="POST", data=mail), 409)["confirm"]
    for _ in range(2):
        sent = world.ask("organiser", address, method="POST", data={**mail, "confirm": True})
        assert sent.json() == {"mails": 1}, sent.content
    assert Mail.objects.filter(batch=mail["batch"]).count() == 1
    strangers = {**mail, "teams": ["free"], "batch": str(uuid4()), "confirm": True}
    assert "teams" in refused(world.ask("organiser", address, method="POST", data=strangers))


def test_a_person_is_invited_by_name_and_takes_the_role_by_program(world: World) -> None:
    people = f"campaigns/{world.cast.campaign.slug}/people"
    kim = make_user("kim-new")
    invited = world.ask("organiser", people, method="POST", data={"person": kim.username, "role": "assessor"})
    assert invited.json()["username"] == "kim-new", invited.content
    assert "person" in refused(world.ask("organiser", people, method="POST", data={"person": "nobody"}))
    told = world.ask("organiser", people).json()
    assert "kim-new" in [one["username"] for one in told["invitations"]]
    assert "kim-new" not in [one["username"] for one in told["people"]]


def test_the_list_of_invitations_says_which_nobody_can_accept_and_inviting_again_opens_them(world: World) -> None:
    people = f"campaigns/{world.cast.campaign.slug}/people"
    data = {"person": make_user("kim-new").username, "role": "assessor"}

    def are_open() -> list[bool]:
        return [one["is_open"] for one in world.ask("organiser", people).json()["invitations"]]

    before = are_open()
    world.ask("organiser", people, method="POST", data=data)
    [invitation] = RoleInvitation.objects.filter(user__username="kim-new")
    assert sorted(are_open()) == sorted([*before, True])
    RoleInvitation.objects.filter(pk=invitation.pk).update(invited_by=make_user())
    assert sorted(are_open()) == sorted([*before, False])
    assert world.ask("organiser", people, method="POST", data=data).json()["is_open"]
    RoleInvitation.objects.filter(pk=invitation.pk).update(invited_at=timezone.now() - INVITED_FOR)
    assert sorted(are_open()) == sorted([*before, False])


def test_a_run_is_rejected_with_a_reason_that_its_team_reads(world: World) -> None:
    assert "reason" in refused(send(world, "POST", "runs/one/decision", {"decision": "reject", "reason": " "}))
    answer = send(world, "POST", "runs/one/decision", {"decision": "reject", "reason": "Made by hand."})
    assert (answer.json()["state"], answer.json()["decision_reason"]) == ("rejected", "Made by hand.")
    assert world.ask("member", f"{world.task}/runs/one").json()["decision"] == Run.REJECTED_BY_HAND
    listed = send(world, "GET", "runs?decision=any").json()
    assert [run["tag"] for run in listed["items"]] == ["one"]
    assert send(world, "GET", "runs?decision=accepted").json()["count"] == 0
