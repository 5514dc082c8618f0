"""A mode that is declared and registered in a test is set up, judged, refused, released and imported like any other."""

import json
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from campaign.models import Import, Task
from campaign.setup.services.tasks import task_create, task_update
from judging.models import Assignment, Judgment, Qrels
from judging.qrels.selectors.releases import released_table
from tests.factories import Cast, make_collection, make_topics
from tests.judging.core.modes import sureness
from tests.judging.makers import assign, client_of, make_pool

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mode(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    sureness.register(monkeypatch, settings)


@pytest.fixture
def task(cast: Cast) -> Task:
    cast.task = task_create(
        actor=cast.organiser, campaign=cast.campaign, slug="sure", title="Sure", judging_mode="sureness"
    )
    return cast.task


@pytest.fixture
def assignment(cast: Cast, task: Task) -> Assignment:
    [topic] = make_topics(task, ["401"])
    make_collection(task, ["D1", "D2", "D3"])
    return assign(make_pool(task, {topic: ["D1", "D2", "D3"]}, cast.organiser), topic, cast.assessor, cast.organiser)


def act(docno: str, grade: int, **answers: Any) -> dict[str, Any]:
    return {"uuid": str(uuid4()), "docno": docno, "verdict": "graded", "grade": grade, "answers": answers}


def send(cast: Cast, assignment: Assignment, *acts: dict[str, Any]) -> list[dict[str, str]]:
    body = {"assessor": cast.assessor.pk, "assignment": assignment.pk, "judgments": acts}
    url = cast.task.url("judgment_submit", topic_number="401")
    answer = client_of(cast, "assessor").post(url, json.dumps(body), content_type="application/json")
    return answer.json()["results"]


def desk(cast: Cast) -> str:
    return client_of(cast, "assessor").get(cast.task.url("desk", topic_number="401"), {"docno": "D1"}).content.decode()


def test_an_organiser_sets_it_up_by_form_with_its_own_scale_and_measures(cast: Cast) -> None:
    client = client_of(cast, "organiser")
    url = reverse("task_create", kwargs={"campaign_slug": cast.campaign.slug})
    page = client.get(url)
    assert "graded, with sureness: 0, 50, 100" in page.content.decode()
    untouched = {"title": "Sure", "slug": "sure", "judging_mode": "sureness"}
    for field in page.context["form"]:
        if field.name not in untouched and field.value() not in (None, ""):
            untouched[field.name] = field.field.prepare_value(field.value())
    for row in page.context["scale"]:
        untouched |= {field.html_name: field.value() for field in row if field.value() is not None}
    untouched |= {"grades-TOTAL_FORMS": "5", "grades-INITIAL_FORMS": "4"}
    untouched |= {"questions-TOTAL_FORMS": "0", "questions-INITIAL_FORMS": "0"}
    assert client.post(url, untouched).status_code == 302
    task = Task.objects.get(slug="sure")
    assert [(grade.value, grade.key) for grade in task.grades.all()] == [(0, "0"), (50, "5"), (100, "9")]
    assert task.measures == ["AP", "nDCG@3"]
    assert "judging: graded, with sureness" in client.get(task.get_absolute_url()).content.decode()


def test_a_scale_is_checked_by_the_mode(cast: Cast, task: Task) -> None:
    with pytest.raises(ValidationError, match="must end at 100"):
        task_update(actor=cast.organiser, task=task, grades=[{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}])


def test_a_change_to_another_mode_and_back_brings_the_usual_scales(cast: Cast, task: Task) -> None:
    task_update(actor=cast.organiser, task=task, judging_mode="binary")
    assert [grade.value for grade in task.grades.all()] == [0, 1]
    task_update(actor=cast.organiser, task=task, judging_mode="sureness")
    assert [grade.value for grade in task.grades.all()] == [0, 50, 100]


def test_the_desk_shows_its_controls_grades_and_keys(cast: Cast, assignment: Assignment) -> None:
    page = desk(cast)
    assert "How sure are you?" in page
    assert page.count('name="grade"') == 3
    assert "<dt>100 whole</dt>" in page
    assert "certain</" in page.split('id="keyboard-help"')[1]


def test_an_act_keeps_its_answers_and_the_desk_shows_them_again(cast: Cast, assignment: Assignment) -> None:
    [result] = send(cast, assignment, act("D1", 50, sureness=["3"]))
    assert result["state"] == "saved"
    judgment = Judgment.objects.get()
    assert (judgment.grade, judgment.details) == (50, {"sureness": 3})
    page = client_of(cast, "assessor").get(cast.task.url("desk", topic_number="401"), {"docno": "D1"})
    assert page.context["data"]["items"][0]["answers"] == {"sureness": ["3"]}
    assert page.content.decode().count("checked") == 1


def test_an_act_that_the_mode_does_not_take_is_refused_in_its_words(cast: Cast, assignment: Assignment) -> None:
    results = send(
        cast,
        assignment,
        act("D1", 50),
        act("D1", 50, sureness=["4"]),
        act("D1", 51, sureness=["3"]),
        act("D1", 50, sureness=["3"], subtopic=["1"]),
        act("D1", 50, sureness=["3"], certainty=["1"]),
    )
    assert {result["state"] for result in results} == {"refused"}
    unsure, unknown, off_the_scale, with_subtopics, misspelt = (result["message"] for result in results)
    assert unsure == unknown == "Say how sure you are: 1, 2 or 3."
    assert off_the_scale == "Grade 51 is not on the task's scale: use 0, 50, 100."
    assert "sureness takes no subtopic" in with_subtopics
    assert "sureness takes no certainty" in misspelt
    assert not Judgment.objects.exists()


def test_it_is_judged_without_scripts_and_by_command(cast: Cast, assignment: Assignment, tmp_path: Path) -> None:
    client, url = client_of(cast, "assessor"), cast.task.url("desk", topic_number="401")
    refused = client.post(url, {"docno": "D1", "grade": "50"}, follow=True)
    assert "Say how sure you are" in refused.content.decode()
    client.post(url, {"docno": "D1", "grade": "50", "sureness": "2"})
    file = tmp_path / "judgments.jsonl"
    file.write_text(json.dumps({"topic": "401", "docno": "D2", "grade": 100, "sureness": 1}))
    address = f"{cast.campaign.slug}/{cast.task.slug}"
    call_command("record_judgments", address, str(file), "--as", cast.assessor.username, stdout=StringIO())
    stored = dict(Judgment.objects.values_list("docno", "details"))
    assert stored == {"D1": {"sureness": 2}, "D2": {"sureness": 1}}


def test_its_acts_become_qrels_by_its_rule(cast: Cast, assignment: Assignment) -> None:
    send(cast, assignment, act("D1", 50, sureness=["3"]), act("D2", 100, sureness=["1"]))
    client = client_of(cast, "organiser")
    assert client.get(cast.task.url("judging_progress")).status_code == 200
    assert client.post(cast.task.url("qrels_release"), {"policy": "latest", "note": ""}).status_code == 302
    assert released_table(Qrels.objects.get(), "overall").rows() == [
        ("401", "0", "D1", 50),
        ("401", "0", "D2", -2),
        ("401", "0", "D3", -1),
    ]
    assert '<td class="num">1</td>' in client.get(Qrels.objects.get().get_absolute_url()).content.decode()


@pytest.mark.parametrize(("grade", "state"), [(50, Import.READY), (51, Import.BAD)])
def test_qrels_judged_elsewhere_hold_its_grades(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any, grade: int, state: str
) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("qrels_import")
    assert 'name="subtopics"' not in client.get(url).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(url, {"file": SimpleUploadedFile("q.txt", f"401 0 D1 {grade}\n".encode()), "note": ""})
    assert Import.objects.get().state == state


def test_it_needs_no_migration(task: Task) -> None:
    call_command("makemigrations", check=True, dry_run=True, stdout=StringIO())
