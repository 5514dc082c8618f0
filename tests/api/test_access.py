"""Every operation of the API for everybody who may ask for it. An operation without a row here fails the suite."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from campaign.models import AuditEvent, Campaign, Role, Run, Task
from campaign.project.api import api
from evaluation.models import Evaluation
from tests.api.makers import ROLES, World, ask, make_token, publish, score
from tests.evaluation.makers import rewrite_evaluation
from tests.factories import make_campaign, make_task, run_lines

PUBLIC = "200 200 200 200 200 200"
SIGNED_IN = "401 200 200 200 200 200"
DOCUMENTS = "401 403 200 200 200 200"
OWN_RUN = "401 404 200 404 404 200"
OWNED_TEAM = "401 404 {} 404 404 403"
JUDGING = "401 403 403 403 200 200"
NOBODY = "401 401 401 401 401 401"
"""Of the token of a model assessor only: test_model_assessors.py."""
TASK = "campaigns/{campaign}/tasks/{task}"
OWN_DESK = TASK + "/assignments/{assignment}"
MODEL = "model-assessor"
JUDGMENT = {"uuid": "11111111-1111-4111-8111-111111111111", "docno": "{docno}", "grade": 1}
MODEL_GRADE = {**JUDGMENT, "topic": "1", "prompt_sha256": "0" * 64}


@dataclass(frozen=True)
class Row:
    """What each role gets, in the order of ROLES."""

    name: str
    address: str
    expected: str
    method: str = "GET"
    data: dict[str, Any] | None = None
    file: str = ""


ROWS = [
    Row("me", "me", SIGNED_IN),
    Row("list_campaigns", "campaigns", PUBLIC),
    Row("read_campaign", "campaigns/{campaign}", PUBLIC),
    Row(
        "register_team",
        "campaigns/{campaign}/registrations",
        "401 422 201 422 422 422",
        "POST",
        {"team": "free", "agreements": ["{agreement}"]},
    ),
    Row("withdraw_registration", "campaigns/{campaign}/registrations/{team}", "401 404 422 404 404 404", "DELETE"),
    Row(
        "accept_agreements",
        "campaigns/{campaign}/agreements",
        "401 422 200 422 422 422",
        "POST",
        {"team": "{team}", "agreements": ["{agreement}"]},
    ),
    Row("list_tasks", "campaigns/{campaign}/tasks", PUBLIC),
    Row("read_task", TASK, PUBLIC),
    Row("download_check_script", TASK + "/check-script", PUBLIC),
    Row("download_topics", TASK + "/topic-files/xml", PUBLIC),
    Row("download_docnos", TASK + "/docnos", DOCUMENTS),
    Row("list_topics", TASK + "/topics", PUBLIC),
    Row("list_documents", TASK + "/documents", DOCUMENTS),
    Row("read_document", TASK + "/documents/{docno}", DOCUMENTS),
    Row("list_teams", "teams", SIGNED_IN),
    Row("found_team", "teams", "401 201 201 201 201 201", "POST", {"name": "New {role}"}),
    Row("join_team", "teams/join", "401 201 201 201 201 201", "POST", {"key": "{key}"}),
    Row("read_team", "teams/{team}", "401 404 200 404 404 200"),
    Row("update_team", "teams/{team}", OWNED_TEAM.format(200), "PUT", {"name": "Other"}),
    Row("leave_team", "teams/{team}/leave", "401 404 422 404 404 404", "POST"),
    Row("renew_invitation_key", "teams/{team}/invitation-key", OWNED_TEAM.format(200), "POST"),
    Row("invite", "teams/{team}/invitations", OWNED_TEAM.format(201), "POST", {"email": "lee@example.org"}),
    Row("withdraw_invitation", "teams/{team}/invitations/{invitation}", OWNED_TEAM.format(204), "DELETE"),
    Row("make_owner", "teams/{team}/owners", OWNED_TEAM.format(200), "POST", {"username": "{username}"}),
    Row("step_down", "teams/{team}/step-down", OWNED_TEAM.format(422), "POST"),
    Row("remove_member", "teams/{team}/members/{username}", OWNED_TEAM.format(204), "DELETE"),
    Row("list_runs", TASK + "/runs", "401 404 200 200 403 200"),
    Row(
        "submit_run",
        TASK + "/runs",
        "401 422 201 422 422 422",
        "POST",
        {"team": "{team}", "tag": "bm25"},
        file="bm25",
    ),
    Row("read_run", TASK + "/runs/{tag}", OWN_RUN),
    Row("edit_run", TASK + "/runs/{tag}", OWN_RUN, "PATCH", {"priority": 3}),
    Row("list_problems", TASK + "/runs/{tag}/problems", OWN_RUN),
    Row("withdraw_run", TASK + "/runs/{tag}/withdraw", OWN_RUN, "POST"),
    Row("download_run", TASK + "/runs/{tag}/file", OWN_RUN),
    Row("read_scores", TASK + "/runs/{tag}/scores", OWN_RUN),
    Row("list_assignments", TASK + "/assignments", JUDGING),
    Row("next_documents", OWN_DESK + "/next-documents", "401 404 404 404 200 404", "POST", {"limit": 2}),
    Row("submit_judgments", OWN_DESK + "/judgments", "401 404 404 404 200 404", "POST", {"judgments": [JUDGMENT]}),
    Row("undo_judgment", OWN_DESK + "/undo", "401 404 404 404 422 404", "POST"),
    Row("list_judgments", TASK + "/judgments", JUDGING),
    Row("read_model_assessor", MODEL, NOBODY),
    Row("list_model_topics", MODEL + "/topics", NOBODY),
    Row("list_model_documents", MODEL + "/documents?topic=1", NOBODY),
    Row("post_model_grades", MODEL + "/grades", NOBODY, "POST", {"grades": [MODEL_GRADE]}),
    Row("list_qrels", TASK + "/qrels", PUBLIC),
    Row("download_qrels", TASK + "/qrels/{version}/file", PUBLIC),
    Row("download_sample_qrels", TASK + "/qrels/{version}/sample", PUBLIC),
    Row("download_twins", TASK + "/qrels/{version}/twins", PUBLIC),
    Row("list_leaderboards", TASK + "/leaderboards", PUBLIC),
    Row("read_leaderboard", TASK + "/leaderboards/{number}", PUBLIC),
]
WRITING = [row for row in ROWS if row.method != "GET"]


def filled(value: Any, values: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: filled(entry, values) for key, entry in value.items()}
    if isinstance(value, list):
        return [int(filled(entry, values)) if isinstance(entry, str) else filled(entry, values) for entry in value]
    return value.format(**values) if isinstance(value, str) else value


def send(world: World, row: Row, role: str, token: str | None = None, **headers: str) -> Any:
    values = {**world.values, "role": role}
    token = world.tokens.get(role, "") if token is None else token
    file = run_lines({"1": ["a"], "2": ["c"]}, row.file) if row.file else None
    data = filled(row.data, values) if row.data is not None else None
    return ask(row.address.format(**values), token, method=row.method, data=data, file=file, **headers)


def operations() -> dict[str, Any]:
    document = api.get_openapi_schema()
    return {operation["operationId"]: operation for path in document["paths"].values() for operation in path.values()}


def test_every_operation_has_a_row() -> None:
    assert {row.name for row in ROWS} == set(operations())


def test_every_operation_says_who_may_ask() -> None:
    bound = [
        operation
        for router in api._get_bound_routers()
        for view in router.path_operations.values()
        for operation in view.operations
    ]
    assert all(operation.auth_callbacks and operation.throttle_objects for operation in bound)
    writing = {operation.view_func.__name__ for operation in bound if operation.methods != ["GET"]}
    by_scope = {op.view_func.__name__ for op in bound if op.auth_callbacks[0].scope == "submit"}
    assert writing == by_scope == {row.name for row in WRITING}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_role_gets_what_the_matrix_says(world: World, row: Row) -> None:
    if row.name in {"read_leaderboard", "download_qrels", "download_sample_qrels", "download_twins"}:
        publish(world)
    found = []
    for role in ROLES:
        with transaction.atomic():
            found.append(str(send(world, row, role).status_code))
            transaction.set_rollback(True)
    assert " ".join(found) == row.expected


def test_a_cookie_alone_gives_nothing(world: World) -> None:
    publish(world)
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.cast.organiser)
    for row in ROWS:
        address = row.address.format(**world.values)
        response = client.generic(row.method, f"/api/v1/{address}", "{}", content_type="application/json")
        assert response.status_code == int(row.expected.split()[0]), row.name
        assert b'"my_teams": [{' not in response.getvalue()


def test_a_token_that_may_only_read_changes_nothing(world: World) -> None:
    token = make_token(world.cast.member, "read")
    events = AuditEvent.objects.count()
    for row in WRITING:
        response = send(world, row, "member", token)
        if row.expected == NOBODY:
            assert response.status_code == 401, row.name
            continue
        assert response.status_code == 403, row.name
        assert "scope “submit”" in response.json()["detail"]
    assert AuditEvent.objects.count() == events
    assert send(world, ROWS[0], "member", token).json()["token"]["scope"] == "read"


def test_a_wrong_token_is_never_taken_for_none(world: World) -> None:
    for row in ROWS:
        cache.clear()
        response = send(world, row, "member", "rp_wrong")
        assert response.status_code == 401, row.name
        assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_draft_does_not_exist_for_outsiders(world: World) -> None:
    Campaign.objects.update(opened_at=None)
    for row in ROWS:
        if "{campaign}" in row.address:
            assert send(world, row, "stranger").status_code == 404, row.name
            assert send(world, row, "anonymous").status_code in (401, 404), row.name


def test_a_task_in_its_set_up_does_not_exist_for_outsiders(world: World) -> None:
    Task.objects.update(phase=Task.SETUP)
    for row in ROWS:
        if "{task}" in row.address:
            assert send(world, row, "stranger").status_code == 404, row.name


def test_an_organiser_of_another_campaign_is_an_outsider(world: World) -> None:
    publish(world)
    foreign = make_campaign()
    Role.objects.create(campaign=foreign, user=world.cast.stranger, role=Role.ORGANISER)
    make_task(foreign)
    for row in ROWS:
        if "{task}" in row.address:
            assert send(world, row, "stranger").status_code == int(row.expected.split()[1]), row.name


def test_judgments_are_for_organisers_until_they_are_published(world: World) -> None:
    score(world)
    for row in ROWS:
        if row.name in {"download_qrels", "download_sample_qrels", "download_twins"}:
            assert [send(world, row, role).status_code for role in ROLES] == [404, 404, 404, 404, 404, 200]
    assert world.ask("member", f"{world.task}/qrels").json()["count"] == 0


def test_no_score_leaks_before_publication(world: World) -> None:
    score(world)
    for evaluation in Evaluation.objects.all():
        rewrite_evaluation(evaluation, means={"AP": 0.7531, "RR": 0.7531})
    told = {}
    for role in ROLES:
        for row in ROWS:
            if row.method == "GET":
                response = send(world, row, role)
                content = response.content_seen if response.streaming else response.content
                told[role] = told.get(role, b"") + content
    assert [role for role, content in told.items() if b".7531" in content] == ["organiser"]


def test_nothing_is_written_by_a_refused_request(world: World) -> None:
    before = (Run.objects.count(), AuditEvent.objects.count())
    for row in WRITING:
        for role in ("anonymous", "stranger"):
            if row.name not in {"found_team", "join_team"}:
                assert send(world, row, role).status_code >= 400
    assert (Run.objects.count(), AuditEvent.objects.count()) == before
