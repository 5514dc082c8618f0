"""A campaign in which every operation has something to answer, and everybody who may ask with a token."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from io import BytesIO
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.http import HttpResponse
from django.test import Client, TestCase
from django.utils import timezone
from ninja.operation import Operation

from campaign.accounts.services.tokens import token_create
from campaign.collection.services.imports import import_receive
from campaign.models import (
    Agreement,
    ApiToken,
    Archive,
    Import,
    Invitation,
    Job,
    Membership,
    Restoration,
    Role,
    RoleInvitation,
    Run,
    RunProblem,
    Task,
    User,
)
from campaign.storage import store
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from judging.models import Assignment
from judging.preferences.services import preference_order_release, preferences_start
from runpool.api import api
from tests.campaign.news.makers import make_milestone, make_question
from tests.campaign.runs.makers import RANKING
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_cast, make_collection, make_task, make_team, make_topics, make_user, run_lines
from tests.judging.makers import assign, judge, make_model_assessor, make_pool

ROLES = ("anonymous", "stranger", "member", "other_member", "assessor", "organiser")
API = "/api/v1"


def operations() -> list[Operation]:
    return [
        operation
        for router in api._get_bound_routers()
        for view in router.path_operations.values()
        for operation in view.operations
    ]


def make_token(user: User, scope: str = ApiToken.ORGANISE, name: str = "", days: float = 30) -> str:
    expires_at = timezone.now() + timedelta(days=days)
    return token_create(actor=user, name=name or f"{scope} {days}", scope=scope, expires_at=expires_at)[1]


def ask(
    address: str, token: str = "", *, method: str = "GET", data: Any = None, file: bytes | None = None, **headers: str
) -> HttpResponse:
    """One request as a program sends it; jobs that it asks for are done."""
    client = Client(raise_request_exception=False)
    if token:
        headers["authorization"] = f"Bearer {token}"
    address = address if address.startswith("/") else f"{API}/{address}"
    with TestCase.captureOnCommitCallbacks(execute=True):
        if file is not None:
            form = {**(data or {}), "file": SimpleUploadedFile("run.txt", file)}
            response = client.post(address, form, headers=headers)
        else:
            body = "" if data is None else json.dumps(data)
            response = client.generic(method, address, body, content_type="application/json", headers=headers)
    if response.streaming:
        response.content_seen = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    return response


_django = cache(get_wsgi_application)


def application(environ: Any, start_response: Any) -> list[bytes]:
    """The whole application; an answer is read to its end and closed, as a web server does it.

    A request must not close the connection, as it may in a server: it is that of the test's own transaction.
    """
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    answer = _django()(environ, start_response)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


@dataclass
class World:
    cast: Cast
    tokens: dict[str, str]
    values: dict[str, Any]

    @property
    def task(self) -> str:
        return f"campaigns/{self.cast.campaign.slug}/tasks/{self.cast.task.slug}"

    def ask(self, role: str, address: str, **values: Any) -> HttpResponse:
        return ask(address, self.tokens.get(role, ""), **values)

    def submit(
        self, role: str = "member", tag: str = "bm25", content: bytes | None = None, **data: Any
    ) -> HttpResponse:
        content = run_lines(RANKING, tag) if content is None else content
        form = {"team": self.cast.team.slug, "tag": tag, **data}
        return self.ask(role, f"{self.task}/runs", method="POST", data=form, file=content)


def make_world() -> World:
    cast = make_cast(measures=["AP", "RR"])
    make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b", "c"])
    run = make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"], "2": ["c"]})
    Run.objects.filter(pk=run.pk).update(warning_count=1)
    RunProblem.objects.create(run=run, code="not_q0", severity="warning", message="It is 0.", remedy="Write Q0.")
    agreement = Agreement.objects.create(campaign=cast.campaign, title="Terms", text="Be fair.")
    for team in (cast.team, cast.other_team):
        agreement.acceptances.create(team=team, accepted_by=cast.organiser, text_sha256="0" * 64)
    second = make_user()
    Membership.objects.create(team=cast.team, user=second)
    invitation = Invitation.objects.create(team=cast.team, email="kim@example.org", invited_by=cast.member)
    make_team("Free", members=(cast.member,))
    [topic, _] = cast.task.topics.order_by("position")
    pool = make_pool(cast.task, {topic: ["a", "b", "c"]}, cast.organiser)
    assignment = assign(pool, topic, cast.assessor, cast.organiser)
    role_invitation = RoleInvitation.objects.create(
        campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR, invited_by=cast.organiser
    )
    import_ = make_checked_import(cast)
    deleted = make_task(cast.campaign, phase=Task.SETUP, deleted_at=timezone.now())
    zipped = store(BytesIO(b"no archive"), folder="archives", suffix=".zip")
    stored = {"file": zipped.name, "sha256": zipped.sha256, "size": zipped.size, "created_by": cast.organiser}
    archive = Archive.objects.create(campaign=cast.campaign, made_at=timezone.now(), **stored)
    restoration = Restoration.objects.create(file_name="a.zip", state=Restoration.READY, **stored)
    job = Job.objects.create(name="score task", key="{}", task=cast.task, state=Job.DONE)
    users = {role: getattr(cast, role) for role in ROLES[1:]}
    values = {
        "campaign": cast.campaign.slug,
        "task": cast.task.slug,
        "team": cast.team.slug,
        "tag": "one",
        "docno": "a",
        "file_format": "trec",
        "number": 1,
        "version": 1,
        "invitation": invitation.pk,
        "username": second.username,
        "key": cast.other_team.invitation_key,
        "agreement": agreement.pk,
        "assessor": cast.assessor.username,
        "role_invitation": role_invitation.pk,
        "import_id": import_.pk,
        "job": job.pk,
        "deleted": deleted.pk,
        "archive": archive.pk,
        "milestone": make_milestone(cast.campaign).pk,
        "question": make_question(cast).pk,
        "restoration": str(restoration.pk),
        "assignment": assignment.pk,
        "preference": 1,
        "topic": "1",
        "vote": uuid4(),
        "other_vote": uuid4(),
    }
    tokens = {role: make_token(user) for role, user in users.items()}
    model, tokens["model"] = make_model_assessor(cast.task, cast.organiser)
    values["model_assessor"] = model.pk
    return World(cast, tokens, values)


def make_checked_import(cast: Cast) -> Import:
    """A file of one further topic, ready to be confirmed."""
    file = SimpleUploadedFile("topics.tsv", b"3\tgarden tools\n")
    with TestCase.captureOnCommitCallbacks(execute=True):
        received = import_receive(
            actor=cast.organiser, task=cast.task, kind=Import.TOPICS, file=file, file_name="topics.tsv"
        )
    received.refresh_from_db()
    return received


def follow_a_round(world: World) -> Run:
    """Have the task follow a round in which the team has the valid run “again”."""
    task, cast = world.cast.task, world.cast
    earlier = make_task(cast.campaign, phase=Task.RUNS, collection=task.collection)
    make_topics(earlier, ["1", "2"])
    task.follows = earlier
    task.save()
    return make_valid_run(earlier, cast.team, "again", RANKING)


def disagree(world: World) -> None:
    """Two assessors give the document another grade."""
    first = Assignment.objects.get(pk=world.values["assignment"])
    second = assign(first.pool, first.topic, world.cast.stranger, world.cast.organiser, pass_number=2)
    votes = [judge(assigned, "a", grade) for assigned, grade in ((first, 0), (second, 1))]
    Role.objects.filter(user=world.cast.stranger).delete()
    world.values.update(zip(("vote", "other_vote"), (vote.uuid for vote in votes), strict=True))


def compare(world: World) -> None:
    """The documents of the first topic are compared."""
    cast = world.cast
    actors = {"actor": cast.organiser, "assessors": [cast.assessor]}
    [made] = preferences_start(qrels=cast.task.qrels.get(), topics=["1"], **actors)
    world.values["preference"] = made.pk


def release_order(world: World) -> None:
    compare(world)
    task = world.cast.task
    preference_order_release(actor=world.cast.organiser, task=task, qrels=task.qrels.get())


def score(world: World) -> None:
    grades = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    make_qrels(
        world.cast.task,
        grades,
        world.cast.organiser,
        subtopic_grades={"1": {"1": {"a": 1}}},
        strata={"1": {"a": 1}},
        twins=[("1", "b", "a")],
    )
    task_score(task=world.cast.task, report=lambda done, total: None)


def publish(world: World) -> None:
    score(world)
    leaderboard_publish(actor=world.cast.organiser, task=world.cast.task)


def operations_of(document: Any) -> Iterator[tuple[str, str, Any]]:
    """Path, method and operation, which has the parameters of its path."""
    for path, operations in document["paths"].items():
        common = operations.get("parameters", [])
        for method, operation in operations.items():
            if method != "parameters":
                yield path, method, {**operation, "parameters": [*common, *operation.get("parameters", [])]}
