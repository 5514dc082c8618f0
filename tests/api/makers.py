"""A campaign in which every operation has something to answer, and everybody who may ask with a token."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client, TestCase
from django.utils import timezone

from campaign.accounts.services.tokens import token_create
from campaign.models import Agreement, ApiToken, Invitation, Membership, Run, RunProblem, User
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from tests.campaign.runs.makers import RANKING
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_cast, make_collection, make_team, make_topics, make_user, run_lines
from tests.judging.makers import assign, make_model_assessor, make_pool

ROLES = ("anonymous", "stranger", "member", "other_member", "assessor", "organiser")
API = "/api/v1"


def make_token(user: User, scope: str = ApiToken.SUBMIT, name: str = "", days: float = 30) -> str:
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
        "assignment": assignment.pk,
    }
    tokens = {role: make_token(user) for role, user in users.items()}
    _, tokens["model"] = make_model_assessor(cast.task, cast.organiser)
    return World(cast, tokens, values)


def score(world: World) -> None:
    grades = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    make_qrels(world.cast.task, grades, world.cast.organiser, strata={"1": {"a": 1}}, twins=[("1", "b", "a")])
    task_score(task=world.cast.task, report=lambda done, total: None)


def publish(world: World) -> None:
    score(world)
    leaderboard_publish(actor=world.cast.organiser, task=world.cast.task)
