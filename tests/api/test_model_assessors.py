"""The token of a model assessor reads its task and posts grades; they stay apart from everything that people judge."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from campaign.models import Campaign, Role, Task, User
from campaign.setup.services.people import role_revoke
from judging.model_assessors.services import (
    ModelGrade,
    model_assessor_revoke,
    model_grades_record,
    model_token_renew,
)
from judging.models import Judgment, ModelAssessor, ModelJudgment
from tests.api.makers import World, ask
from tests.api.test_access import NOBODY, ROWS, filled
from tests.factories import make_campaign, make_user
from tests.judging.makers import PROMPT, make_model_assessor, model_grades

MODEL = "model-assessor"


def grade(docno: str, value: int | None = 1, **values: Any) -> dict[str, Any]:
    return {"uuid": str(uuid4()), "topic": "1", "docno": docno, "grade": value, "prompt_sha256": PROMPT, **values}


def post(world: World, *grades: dict[str, Any]) -> Any:
    return world.ask("model", f"{MODEL}/grades", method="POST", data={"grades": grades})


def messages(response: Any) -> list[str]:
    assert response.status_code == 200
    return [result["message"] for result in response.json()["results"]]


def test_a_model_reads_the_scale_the_topics_and_what_it_has_not_graded_and_posts_grades(world: World) -> None:
    told = world.ask("model", MODEL).json()
    assert (told["name"], told["task"], [step["value"] for step in told["grades"]][:2]) == (
        "grader",
        world.cast.task.slug,
        [0, 1],
    )
    assert [topic["number"] for topic in world.ask("model", f"{MODEL}/topics").json()["items"]] == ["1", "2"]
    first = world.ask("model", f"{MODEL}/documents?topic=1&limit=2").json()
    assert ([row["docno"] for row in first["documents"]], first["left"]) == (["a", "b"], 3)
    assert messages(post(world, grade("a", 1), grade("b", None))) == ["", ""]
    rest = world.ask("model", f"{MODEL}/documents?topic=1").json()
    assert [row["docno"] for row in rest["documents"]] == ["c"]
    rows = ModelJudgment.objects.values_list("docno", "grade", "verdict", "name", "version", "prompt_sha256")
    assert list(rows) == [
        ("a", 1, "graded", "grader", "1", PROMPT),
        ("b", None, "cannot_judge", "grader", "1", PROMPT),
    ]
    assert not Judgment.objects.exists()


def test_a_closed_campaign_takes_no_model_grades_even_if_it_is_closed_or_deleted_while_they_come(world: World) -> None:
    Campaign.objects.update(closed_at=timezone.now())
    assert "is closed" in messages(post(world, grade("a")))[0]
    assessor = ModelAssessor.objects.select_related("task__campaign").get(name="grader")
    Campaign.objects.update(deleted_at=timezone.now())
    [outcome] = model_grades_record(assessor=assessor, grades=[ModelGrade(uuid4(), "1", "a", 1, PROMPT)])
    assert "was deleted meanwhile" in outcome.refusal
    assert not ModelJudgment.objects.exists()


def test_another_grade_of_a_document_is_a_new_row_and_a_repeated_uuid_is_not(world: World) -> None:
    first = grade("a", 1)
    assert messages(post(world, first)) == messages(post(world, first)) == [""]
    assert "new UUID" in messages(post(world, {**first, "grade": 0}))[0]
    assert messages(post(world, grade("a", 0))) == [""]
    assert list(ModelJudgment.objects.values_list("grade", "is_current")) == [(1, False), (0, True)]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (grade("a", 9), "no grade of this task"),
        (grade("elsewhere"), "neither in a pool of topic 1 nor"),
        (grade("a", topic="99"), "no topic 99"),
        (grade("a", prompt_sha256="cd" * 32), "another prompt"),
    ],
    ids=["off the scale", "unknown document", "unknown topic", "another prompt"],
)
def test_a_wrong_grade_is_refused_in_words_and_holds_up_none(world: World, wrong: dict[str, Any], words: str) -> None:
    [before, message, after] = messages(post(world, grade("b"), wrong, grade("c")))
    assert words in message
    assert before == after == ""
    assert set(ModelJudgment.objects.values_list("docno", flat=True)) == {"b", "c"}


def test_the_token_opens_nothing_else_and_no_token_of_a_user_opens_this(world: World) -> None:
    for row in ROWS:
        cache.clear()  # of the limit of wrong tokens
        data = filled(row.data, {**world.values, "role": "x"}) if row.data is not None and not row.file else None
        status = world.ask("model", row.address.format(**world.values), method=row.method, data=data).status_code
        assert (status == 401) != (row.expected == NOBODY), row.name
    assert "token of a model assessor" in world.ask("organiser", MODEL).json()["detail"]


def test_a_revoked_an_expired_and_a_renewed_token_are_refused(world: World) -> None:
    assessor = ModelAssessor.objects.get()
    text = model_token_renew(actor=world.cast.organiser, assessor=assessor)
    assert world.ask("model", MODEL).status_code == 401
    assert ask(MODEL, text).status_code == 200
    model_assessor_revoke(actor=world.cast.organiser, assessor=assessor)
    assert ask(MODEL, text).status_code == 401
    text = model_token_renew(actor=world.cast.organiser, assessor=ModelAssessor.objects.get())
    ModelAssessor.objects.update(token_expires_at=timezone.now())
    assert ask(MODEL, text).status_code == 401


def test_a_token_that_is_revoked_while_its_grades_are_on_their_way_stores_none_of_them(world: World) -> None:
    on_its_way = ModelAssessor.objects.get()
    model_assessor_revoke(actor=world.cast.organiser, assessor=ModelAssessor.objects.get())
    [outcome] = model_grades(on_its_way, "1", {"a": 1})
    assert "was revoked or renewed meanwhile" in outcome.refusal
    assert not ModelJudgment.objects.exists()


def test_a_token_works_as_long_as_who_made_it_organises_the_campaign(world: World, client: Client) -> None:
    """They have seen it, and would go on reading texts with it."""
    on_its_way = ModelAssessor.objects.get()
    campaign, other = world.cast.campaign, make_user()
    Role.objects.create(campaign=campaign, user=other, role=Role.ORGANISER)
    role_revoke(actor=other, campaign=campaign, user=world.cast.organiser, role=Role.ORGANISER)
    Role.objects.create(campaign=make_campaign(), user=world.cast.organiser, role=Role.ORGANISER)
    for address in ("", "/topics", "/documents?topic=1"):
        assert world.ask("model", MODEL + address).status_code == 401
    assert post(world, grade("a")).status_code == 401
    [outcome] = model_grades(on_its_way, "1", {"a": 1})
    assert "organises the campaign no more" in outcome.refusal
    assert not ModelJudgment.objects.exists()
    client.force_login(other)
    page = client.get(world.cast.task.url("model_assessor_list")).content.decode()
    assert f"refused: <bdi>{world.cast.organiser}</bdi> is no longer an organiser" in page
    text = model_token_renew(actor=other, assessor=ModelAssessor.objects.get())
    assert ask(MODEL, text).status_code == 200
    assert ModelAssessor.objects.get().created_by == world.cast.organiser, "who declared the model stays"
    assert "no longer an organiser" not in client.get(world.cast.task.url("model_assessor_list")).content.decode()


def test_a_token_that_an_operator_made_works_as_long_as_they_are_one(world: World) -> None:
    operator = make_user(is_superuser=True)
    text = model_token_renew(actor=operator, assessor=ModelAssessor.objects.get())
    assert ask(MODEL, text).status_code == 200
    User.objects.filter(pk=operator.pk).update(is_superuser=False)
    assert ask(MODEL, text).status_code == 401


def test_a_model_grades_its_own_task_only(world: World) -> None:
    task = Task.objects.create(campaign=world.cast.campaign, slug="other", title="Other")
    _, text = make_model_assessor(task, world.cast.organiser)
    [message] = messages(ask(f"{MODEL}/grades", text, method="POST", data={"grades": [grade("a")]}))
    assert "no topic 1" in message
    assert ask(f"{MODEL}/documents?topic=1", text).status_code == 404


@pytest.mark.sqlite("judging.model_assessors.services.model_grades_record")
def test_the_database_refuses_to_change_or_delete_a_model_grade(world: World) -> None:
    post(world, grade("a", 1))
    for statement in ("UPDATE judging_modeljudgment SET grade = 0", "DELETE FROM judging_modeljudgment"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
