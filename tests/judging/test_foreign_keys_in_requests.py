"""An organiser of one campaign names rows of another one, in addresses and in what is sent: nothing is told or changed."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.core import serializers
from django.test import Client

from campaign.models import Role, Task, User
from judging.adjudication.selectors.disagreements import dispute
from judging.adjudication.services import adjudication_record
from judging.models import Adjudication, Assignment, ModelAssessor, PracticeAnswer, PreferenceAssignment
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_cast, make_user
from tests.judging.makers import assign, judge, make_assignment, make_model_assessor
from tests.judging.preferences.makers import make_comparison

pytestmark = pytest.mark.django_db
SECRET = "zqx-secret"


@pytest.fixture
def foreign(db: None) -> Cast:
    """Another campaign, with a row of each kind that judging has."""
    cast = make_cast()
    first = make_assignment(cast, ["a", "b"])
    second = assign(first.pool, first.topic, make_user(), cast.organiser, pass_number=2)
    judge(first, "a", 0, note=SECRET)
    judge(second, "a", 3, note=SECRET)
    assign(first.pool, first.topic, make_user(), cast.organiser, pass_number=3)
    found = dispute(cast.task, first.topic, "a")
    assert found is not None
    made = {"topic": first.topic, "docno": "a", "uuid": uuid4(), "grade": 1, "seen": found.seen, "note": SECRET}
    adjudication_record(actor=cast.organiser, task=cast.task, **made)  # type: ignore[arg-type]
    make_model_assessor(cast.task, cast.organiser, description=SECRET)
    PracticeAnswer.objects.create(task=cast.task, topic=first.topic, docno="a", grade=1, why=SECRET, position=1)
    make_comparison(cast, first.topic, ["a", "b"], qrels=make_qrels(cast.task, {"401": {"a": 3}}, cast.organiser))
    return cast


@pytest.fixture
def own(foreign: Cast) -> Cast:
    cast = make_cast()
    make_assignment(cast, ["a", "b"], assessor=cast.organiser)
    make_qrels(cast.task, {"401": {"a": 3}}, cast.organiser)
    return cast


@pytest.fixture
def client(own: Cast) -> Client:
    made = Client()
    made.force_login(own.organiser, backend="allauth.account.auth_backends.AuthenticationBackend")
    return made


def rows_of(task: Task) -> str:
    kinds = [
        Assignment.objects.filter(pool__task=task),
        PreferenceAssignment.objects.filter(qrels__task=task),
        ModelAssessor.objects.filter(task=task),
        Adjudication.objects.filter(topic__task=task),
        Role.objects.filter(campaign=task.campaign),
    ]
    return "".join(serializers.serialize("json", kind.order_by("pk")) for kind in kinds)


def test_forms_of_ones_own_task_do_nothing_to_rows_of_another(client: Client, own: Cast, foreign: Cast) -> None:
    before, task = rows_of(foreign.task), own.task
    [judged, *_, fresh] = Assignment.objects.filter(pool__task=foreign.task).order_by("pk")
    compared = PreferenceAssignment.objects.get(qrels__task=foreign.task)
    topic = foreign.task.topics.get()
    role = Role.objects.filter(campaign=foreign.campaign, role=Role.ASSESSOR).first()
    assert role is not None
    sent: list[tuple[str, dict[str, Any]]] = [
        ("assignment_create", {"remove": fresh.pk}),
        ("assignment_create", {"free": judged.pk}),
        ("assignment_create", {"assessor": foreign.assessor.pk, "topics": [topic.pk], "pass_number": 1}),
        ("assignment_create", {"languages": "1", f"languages_{role.pk}": "de"}),
        ("topic_claim", {"topic": topic.pk}),
        ("preferences_remove", {"remove": compared.pk}),
        ("preferences_begin", {"topics": ["401"], "assessors": [foreign.assessor.pk], "control_percent": 10}),
        ("practice", {"answer": PracticeAnswer.objects.get().pk, "round": 1, "grade": 1}),
    ]
    for name, data in sent:
        answer = client.post(task.url(name), data, follow=True)
        assert answer.status_code in (200, 404, 422), (name, data)
        assert SECRET not in answer.content.decode()
    assert rows_of(foreign.task) == before
    assert not PreferenceAssignment.objects.filter(qrels__task=own.task).exists()
    assert not Assignment.objects.filter(pool__task=own.task, assessor=foreign.assessor).exists()


def test_addresses_of_ones_own_task_open_no_row_of_another(client: Client, own: Cast, foreign: Cast) -> None:
    task, model = own.task, ModelAssessor.objects.get()
    Assignment.objects.filter(pool__task=task).delete()
    judged = Assignment.objects.filter(pool__task=foreign.task).earliest("pk")
    compared = PreferenceAssignment.objects.get()
    of_topic = {"topic_number": "401"}
    for address in (
        task.url("model_grades", key=model.pk),
        task.url("model_scores", key=model.pk),
        task.url("adjudicate", **of_topic, docno="a"),
        f"{task.url('judgment_history', **of_topic)}?docno=a",
        f"{task.url('desk', **of_topic)}?assignment={judged.pk}",
        f"{task.url('own_judgments', **of_topic)}?assignment={judged.pk}",
        f"{task.url('judging_next', **of_topic)}?assignment={judged.pk}&docno=a",
        f"{task.url('preference_desk', **of_topic)}?assignment={compared.pk}",
    ):
        assert client.get(address).status_code == 404, address
    assert client.post(task.url("model_token", key=model.pk), {"revoke": ""}).status_code == 404
    listed = client.get(f"{task.url('judgment_list')}?assignment={judged.pk}").content.decode()
    assert SECRET not in listed


@pytest.mark.parametrize("name", ["judgment_submit", "preference_submit"])
def test_a_batch_for_the_assignment_of_another_task_is_not_taken(
    client: Client, own: Cast, foreign: Cast, name: str
) -> None:
    user: User = own.organiser
    keys = {
        "judgment_submit": Assignment.objects.filter(pool__task=foreign.task).earliest("pk").pk,
        "preference_submit": f"preferences-{PreferenceAssignment.objects.get().pk}",
    }
    sent = {
        "assessor": user.pk,
        "assignment": keys[name],
        "judgments": [{"uuid": str(uuid4()), "docno": "a", "grade": 1}],
    }
    for task in (own.task, foreign.task):
        url = task.url(name, topic_number="401")
        assert client.post(url, json.dumps(sent), content_type="application/json").status_code == 404
