"""Two organisers edit at once: the second one sees what changed, and nothing of either is lost."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from campaign.models import AuditEvent, Campaign, Role, Task, User
from campaign.modes import GradeStep
from campaign.setup.forms.settings_page import TABLES, TaskSettings
from campaign.setup.selectors import edits
from campaign.setup.services.campaigns import campaign_update
from campaign.setup.services.tasks import task_update
from campaign.setup.views import tasks as task_views
from tests.factories import Cast, make_cast, make_collection, make_user

pytestmark = pytest.mark.django_db


def entries(client: Client, address: str) -> dict[str, str]:
    """What a browser sends back of the forms of a page that nobody touched."""
    context = client.get(address).context
    parts = [context["form"]]
    if "scale" in context:
        parts += [context["scale"].management_form, *context["scale"], context["rules"]]
        parts += [context["questions"].management_form, *context["questions"]]
    fields = [field for part in parts for field in part]
    ticked = {field.html_name: "on" for field in fields if field.value() is True}
    shown = {field.html_name: field.field.widget.format_value(field.value()) for field in fields}
    sent = {name: value[0] if isinstance(value, list) and value else value for name, value in shown.items()}
    hidden = {f"shown_{name}": digest for name, digest in context.get("shown", {}).items()}
    entered = {name: value for name, value in sent.items() if isinstance(value, str)}
    return entered | ticked | hidden | {"seen": str(context["seen"])}


def organiser_of(cast: Cast, name: str) -> User:
    user = make_user(name)
    Role.objects.create(campaign=cast.campaign, user=user, role=Role.ORGANISER)
    return user


def other_organiser(cast: Cast) -> Client:
    client = Client()
    client.force_login(organiser_of(cast, "second"))
    return client


def test_settings_that_somebody_else_changed_meanwhile_are_shown_and_kept() -> None:
    cast = make_cast()
    second, address = other_organiser(cast), cast.task.url("task_edit")
    sent = entries(second, address) | {"max_runs_per_team": "9"}
    later = timezone.now() + timedelta(days=20)
    task_update(actor=cast.organiser, task=cast.task, title="Renamed", closes_at=later)
    answer = second.post(address, sent)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "this was changed meanwhile" in page
    assert str(cast.organiser) in page
    assert Task.objects.get().max_runs_per_team == cast.task.max_runs_per_team
    form = answer.context["form"]
    assert form["title"].value() == "Renamed"
    assert form["max_runs_per_team"].value() == "9"
    again = sent | {name: form[name].value() for name in ("title", "closes_at")} | {"seen": str(answer.context["seen"])}
    saved = second.post(address, again)
    assert saved.status_code == 302, saved.context["form"].errors
    stored = Task.objects.get()
    assert (stored.title, stored.max_runs_per_team) == ("Renamed", 9)
    assert stored.closes_at is not None
    assert abs(stored.closes_at - later) < timedelta(minutes=1)


def test_a_campaign_that_somebody_else_changed_meanwhile_is_shown_and_kept() -> None:
    cast = make_cast()
    second, address = other_organiser(cast), f"{cast.campaign.get_absolute_url()}edit/"
    sent = entries(second, address) | {"summary": "mine"}
    campaign_update(actor=cast.organiser, campaign=cast.campaign, title="Theirs")
    answer = second.post(address, sent)
    assert answer.status_code == 409
    assert second.post(address, sent | {"title": "Theirs", "seen": str(answer.context["seen"])}).status_code == 302
    assert Campaign.objects.values_list("title", "summary").get() == ("Theirs", "mine")


def test_what_one_changed_in_another_window_is_not_lost_and_what_one_types_again_counts() -> None:
    cast = make_cast()
    client = Client()
    client.force_login(cast.organiser)
    address = f"{cast.campaign.get_absolute_url()}edit/"
    sent = entries(client, address)
    campaign_update(actor=cast.organiser, campaign=cast.campaign, summary="first")
    answer = client.post(address, sent | {"title": "Renamed"})
    assert (answer.status_code, answer.context["form"]["summary"].value()) == (409, "first")
    assert client.post(address, sent | {"summary": "second"}).status_code == 302
    assert Campaign.objects.get().summary == "second"


def test_moments_and_numbers_that_one_changed_in_another_window_are_not_lost() -> None:
    cast = make_cast()
    client = Client()
    client.force_login(cast.organiser)
    address = cast.task.url("task_edit")
    for closes_at in (timezone.now() + timedelta(days=20), timezone.now() + timedelta(days=30)):
        sent = entries(client, address) | {"title": "Renamed"}
        task_update(actor=cast.organiser, task=Task.objects.get(), closes_at=closes_at, max_runs_per_team=9)
        answer = client.post(address, sent)
        assert answer.status_code == 409
        assert {edit.name for edit in answer.context["edits"]} >= {"closes_at"}
        assert Task.objects.get().closes_at == closes_at


def test_a_text_of_several_lines_that_a_browser_sends_back_is_no_change() -> None:
    cast = make_cast()
    reasons = "no text\nneeds knowledge that I lack"
    task_update(actor=cast.organiser, task=cast.task, cannot_judge_reasons=reasons)
    client = Client()
    client.force_login(cast.organiser)
    address = cast.task.url("task_edit")
    sent = {name: value.replace("\n", "\r\n") for name, value in entries(client, address).items()}
    assert client.post(address, sent | {"title": "Renamed"}).status_code == 302
    assert Task.objects.get().cannot_judge_reasons == reasons
    changed = AuditEvent.objects.filter(verb="update").latest("pk").data
    assert "title" in changed
    assert "cannot_judge_reasons" not in changed


def test_rows_that_somebody_else_changed_meanwhile_are_shown_and_kept() -> None:
    cast = make_cast()
    second, address = other_organiser(cast), cast.task.url("task_edit")
    sent = entries(second, address) | {"max_runs_per_team": "9"}
    asked = [{"key": "llm", "label": "Which model?", "kind": "text", "required": True, "help": "", "choices": []}]
    grades: Any = [{"value": one.value, "label": one.label, "gain": 5.0 * one.value} for one in cast.task.grades.all()]
    task_update(
        actor=cast.organiser, task=cast.task, questions=asked, grades=grades, rule_severities={"score_ties": "off"}
    )
    answer = second.post(address, sent)
    assert answer.status_code == 409
    assert {edit.label for edit in answer.context["edits"]} >= {"Grades", "Run metadata fields"}
    assert {part.kind.key for part in answer.context["parts"] if part.is_open} == {"grades", "rules", "questions"}
    context = answer.context
    fields = (field for part in (context["scale"], context["questions"]) for form in part for field in form)
    again = {field.html_name: value for field in fields if (value := field.value()) is not None}
    counts = (field for part in (context["scale"], context["questions"]) for field in part.management_form)
    again |= {field.html_name: field.value() for field in counts}
    again |= {field.html_name: field.value() for field in context["rules"]}
    rest = {name: value for name, value in sent.items() if not name.startswith(("grades-", "questions-", "rules-"))}
    saved = second.post(address, rest | {name: str(value) for name, value in again.items()} | {"seen": context["seen"]})
    assert saved.status_code == 302, [saved.context[part].errors for part in ("form", "scale", "rules", "questions")]
    stored = Task.objects.get()
    assert stored.max_runs_per_team == 9
    assert [question["key"] for question in stored.questions] == ["llm"]
    assert stored.rule_severities == {"score_ties": "off"}
    assert [grade.gain for grade in stored.grades.all()] == [5.0 * one["value"] for one in grades]


def test_ones_own_change_is_a_conflict_where_a_draft_was_restored() -> None:
    cast = make_cast()
    client = Client()
    client.force_login(cast.organiser)
    address = cast.task.url("task_edit")
    sent = entries(client, address) | {"title": "Older"}
    task_update(actor=cast.organiser, task=cast.task, title="Newer", max_runs_per_team=9)
    assert client.post(address, sent | {"restored": "1"}).status_code == 409
    assert Task.objects.get().max_runs_per_team == 9


ASKED: Any = {
    "key": "llm",
    "label": "Which model?",
    "kind": "choice",
    "required": True,
    "help": "",
    "choices": ["A", "B"],
}


def gains(task: Task, factor: float) -> list[GradeStep]:
    return [{**one.step(), "gain": factor * one.value} for one in task.grades.all()]


def own_window(cast: Cast) -> tuple[Client, str]:
    client = Client()
    client.force_login(cast.organiser)
    return client, cast.task.url("task_edit")


def test_rows_that_one_changed_in_another_window_are_not_lost_whatever_row_the_old_form_changes() -> None:
    cast = make_cast()
    client, address = own_window(cast)
    task_update(actor=cast.organiser, task=cast.task, questions=[ASKED])
    added, helped = [ASKED, {**ASKED, "key": "index", "label": "Which index?"}], [{**ASKED, "help": "one"}]
    changes: list[tuple[str, dict[str, Any], dict[str, str]]] = [
        ("grades", {"grades": gains(cast.task, 5.0)}, {"grades-1-gain": "8"}),
        ("questions", {"questions": added}, {"questions-0-label": "Which one?"}),
        ("questions", {"questions": helped}, {"questions-0-help": "another"}),
        ("rule_severities", {"rule_severities": {"score_ties": "off"}}, {"rules-topic_unknown": "off"}),
    ]
    for name, change, typed in changes:
        sent = entries(client, address)
        task_update(actor=cast.organiser, task=Task.objects.get(), **change)
        for more in ({"max_runs_per_team": "9"}, typed):
            answer = client.post(address, sent | more)
            assert answer.status_code == 409, (name, more)
            assert [edit.name for edit in answer.context["edits"]] == [name]
        shown = entries(client, address)
        assert client.post(address, shown | typed).status_code == 302, f"{name}: the page shows what is stored"
    stored = Task.objects.get()
    assert [grade.gain for grade in stored.grades.all()] == [0.0, 8.0, 10.0, 15.0]
    assert [(one["key"], one["help"]) for one in stored.questions] == [("llm", "another")]
    assert stored.rule_severities == {"score_ties": "off", "topic_unknown": "off"}


def test_rows_that_are_stored_as_they_were_shown_or_as_they_are_sent_are_no_conflict() -> None:
    cast = make_cast()
    client, address = own_window(cast)
    before = gains(cast.task, 1.0)
    sent = entries(client, address)
    for organiser in (cast.organiser, organiser_of(cast, "second")):
        task_update(actor=organiser, task=Task.objects.get(), grades=gains(cast.task, 5.0), max_runs_per_team=9)
        task_update(
            actor=organiser, task=Task.objects.get(), grades=before, max_runs_per_team=cast.task.max_runs_per_team
        )
    assert client.post(address, sent | {"title": "Renamed"}).status_code == 302, "changed there and back"
    again = entries(client, address) | {"grades-1-gain": "8"}
    assert [client.post(address, again).status_code for _ in range(2)] == [302, 302], "sent twice"
    assert Task.objects.get().grades.get(value=1).gain == 8.0


def test_entries_that_two_organisers_set_to_the_same_value_are_no_conflict() -> None:
    cast = make_cast()
    second, address = other_organiser(cast), cast.task.url("task_edit")
    later = (timezone.now() + timedelta(days=20)).replace(second=30, microsecond=5)
    changes: dict[str, Any] = {
        "collection": make_collection(cast.task, ["D1"]),
        "closes_at": later,
        "max_runs_per_team": 9,
        "measures": ["P@5", "AP"],
        "cannot_judge_reasons": "no text\nno time",
        "passage_first": not cast.task.passage_first,
    }
    Task.objects.update(collection=None)
    before = entries(second, address)
    task_update(actor=cast.organiser, task=Task.objects.get(), **changes)
    same = entries(second, address) | {"seen": before["seen"]}
    other = second.post(address, same | {"max_runs_per_team": "8"})
    assert [edit.name for edit in other.context["edits"]] == ["max_runs_per_team"]
    answer = second.post(address, same | {"title": "Renamed"})
    assert answer.status_code == 302, answer.context["edits"]
    stored = Task.objects.get()
    assert (stored.title, stored.max_runs_per_team, stored.measures) == ("Renamed", 9, ["P@5", "AP"])


def test_measures_and_a_collection_of_before_that_an_older_window_sends_are_told() -> None:
    cast = make_cast()
    collection = make_collection(cast.task, ["D1"])
    client, address = own_window(cast)
    older = entries(client, address)
    task_update(actor=cast.organiser, task=Task.objects.get(), measures=["P@5"], collection=None)
    answer = client.post(address, older | {"title": "Renamed", "collection": str(collection.pk)})
    assert answer.status_code == 409
    assert {edit.name for edit in answer.context["edits"]} == {"measures", "collection"}


def test_what_is_saved_while_the_form_is_compared_is_not_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    cast = make_cast()
    second, address = other_organiser(cast), cast.task.url("task_edit")
    sent = entries(second, address) | {"title": "Renamed"}
    compare = edits.edits_since

    def saved_before(*args: Any, **values: Any) -> list[edits.Edit]:
        task_update(actor=cast.organiser, task=Task.objects.get(), max_runs_per_team=9)
        return compare(*args, **values)

    monkeypatch.setattr(task_views, "edits_since", saved_before)
    assert second.post(address, sent).status_code == 409
    assert Task.objects.get().max_runs_per_team == 9


def test_what_changed_twice_is_told_once_from_its_first_value_to_its_last() -> None:
    cast = make_cast()
    client, address = own_window(cast)
    sent = entries(client, address)
    for factor, most in ((5.0, 8), (7.0, 9)):
        changes: dict[str, Any] = {"grades": gains(cast.task, factor), "max_runs_per_team": most}
        task_update(actor=cast.organiser, task=Task.objects.get(), **changes)
    answer = client.post(address, sent)
    told = sorted((edit.name, edit.before, edit.after) for edit in answer.context["edits"])
    assert told == [("grades", "", ""), ("max_runs_per_team", str(cast.task.max_runs_per_team), "9")]


def test_a_page_that_nobody_touched_sends_the_rows_that_it_showed() -> None:
    cast = make_cast()
    client = Client()
    client.force_login(cast.organiser)
    address = cast.task.url("task_edit")
    task_update(actor=cast.organiser, task=cast.task, questions=[ASKED], grades=gains(cast.task, 1.5))
    sent = {name: value.replace("\n", "\r\n") for name, value in entries(client, address).items()}
    task = Task.objects.get()
    data = QueryDict(urlencode(sent))
    scale = [grade.step() for grade in task.grades.all()]
    settings = TaskSettings(data, task=task, campaign=task.campaign, scale=scale)
    assert settings.digests() == {name: sent[f"shown_{name}"] for name in TABLES}
    assert settings.tables_to_tell(QueryDict("seen=0")) == {}, "sent as they are stored, whatever was shown"
