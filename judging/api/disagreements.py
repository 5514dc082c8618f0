"""Disagreements of assessors and the decisions about them, for organisers: what the page of each one does."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, Path, Query, Router, Schema, Status

from campaign.api.auth import ORGANISING
from campaign.api.bodies import Body
from campaign.api.fields import Text, one_of
from campaign.api.jobs import path_of
from campaign.api.paging import Page, Paging, page_of_list
from campaign.api.paths import TASK, TaskPath
from campaign.models import Task
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.web.links import absolute
from judging.adjudication.selectors.disagreements import Disagreement, disagreements, dispute
from judging.adjudication.services import adjudication_record, adjudication_withdraw
from judging.api.shapes import Docno, Grade
from judging.models import Adjudication, Judgment

router = Router(tags=["Organising: judging"])
DISAGREEMENTS = f"{TASK}/judging/disagreements"
DECISIONS = f"{TASK}/judging/decisions"


class DisagreementOut(Schema):
    topic: str
    docno: str
    low: int | None = Field(description="The lowest grade; null: nobody grades it any more.")
    high: int | None
    votes: int = Field(description="How many assessors judged it.")
    unable: int = Field(description="How many of them cannot judge it.")
    crosses: bool = Field(description="Relevant for some, and not for others.")
    latest: datetime = Field(description="When it was last judged.")
    decided: datetime | None = Field(description="null: no decision stands, or the judgments are others since.")


class DisagreementsWanted(Paging):
    show: Literal["open", "decided", "all"] = "open"
    topic: Text = Field("", max_length=200, description="Only of the topic of this number.")


class VoteOut(Schema):
    uuid: UUID = Field(description="Of the judgment: send those of all votes as `seen`.")
    assessor: str
    verdict: str = one_of(Judgment.VERDICTS)
    grade: int | None
    note: str
    reason: str
    judged_at: datetime


class DecisionOut(Schema):
    uuid: UUID
    topic: str
    docno: str
    verdict: str = one_of(Adjudication.VERDICTS)
    grade: int | None
    note: str
    adjudicator: str
    decided_at: datetime


class DisputeOut(Schema):
    topic: str
    docno: str
    votes: list[VoteOut]
    decision: DecisionOut | None = Field(description="The one that stands; send its UUID as `previous`.")
    is_changed: bool = Field(description="Somebody judged it otherwise since the decision.")


class DecisionTakenBackIn(Body):
    uuid: UUID = Field(description="Made by you, one for each decision; sent again it names the same decision.")
    topic: Text = Field(max_length=200)
    docno: Docno
    previous: UUID | None = Field(None, description="The decision that you saw; null: none stood.")


class DisagreementDecisionIn(DecisionTakenBackIn):
    grade: Grade | None = Field(description="One of the task's grades; null: the document cannot be judged.")
    note: Text = ""
    seen: list[UUID] = Field(
        description="The judgments that you saw: a decision about others is refused.", max_length=1000
    )


@router.get(DISAGREEMENTS, response=Page[DisagreementOut], summary="List disagreements")
def list_disagreements(
    request: HttpRequest, path: Path[TaskPath], wanted: Query[DisagreementsWanted]
) -> Page[DisagreementOut]:
    """Documents that two assessors judged differently, the farthest apart first. For organisers."""
    found = disagreements(_task(request, path), wanted.show, wanted.topic)
    return page_of_list(request, found, wanted, _out)


@router.get(f"{DISAGREEMENTS}/{{topic:topic}}/{{path:docno}}", response=DisputeOut, summary="Read a disagreement")
def read_disagreement(request: HttpRequest, path: Path[TaskPath], topic: str, docno: str) -> DisputeOut:
    """All judgments of one document that two assessors judged, and the decision that stands. For organisers."""
    task = _task(request, path)
    found = dispute(task, get_or_404(task.topics.all(), number=topic), docno)
    if found is None:
        raise Http404("This document was not judged by two assessors.")
    return DisputeOut(
        topic=topic,
        docno=docno,
        votes=list(_votes(found.votes)),
        decision=_decision(found.decision) if found.decision else None,
        is_changed=found.is_changed,
    )


@router.post(DECISIONS, response={201: DecisionOut}, summary="Decide on a disagreement", **ORGANISING)
def decide_disagreement(
    request: HttpRequest, response: HttpResponse, path: Path[TaskPath], data: DisagreementDecisionIn
) -> Status[DecisionOut]:
    """The grade that counts. The judgments stay as they are; what assessors change afterwards opens the question again."""
    stated = _stated(request, path, data)
    made = adjudication_record(**stated, grade=data.grade, note=data.note, seen=data.seen)
    where = {**path_of(stated["task"]), "topic": data.topic, "docno": data.docno}
    response["Location"] = absolute(reverse("api:read_disagreement", kwargs=where))
    return Status(201, _decision(made))


@router.post(f"{DECISIONS}/withdraw", response=DecisionOut, summary="Take a decision back", **ORGANISING)
def withdraw_decision(request: HttpRequest, path: Path[TaskPath], data: DecisionTakenBackIn) -> DecisionOut:
    """The document waits for another decision then; both stay in the history."""
    return _decision(adjudication_withdraw(**_stated(request, path, data)))


def _task(request: HttpRequest, path: TaskPath) -> Task:
    return get_organised_task_or_404(request.user, path.campaign, path.task)


def _stated(request: HttpRequest, path: TaskPath, data: DecisionTakenBackIn) -> dict[str, Any]:
    """Who decides about which document, after which decision."""
    task = _task(request, path)
    topic = get_or_404(task.topics.all(), number=data.topic)
    about = {"task": task, "topic": topic, "docno": data.docno}
    return {"actor": signed_in(request.user), **about, "uuid": data.uuid, "previous": data.previous}


def _out(one: Disagreement) -> DisagreementOut:
    return DisagreementOut(**asdict(one))


def _votes(votes: Iterable[Judgment]) -> Iterable[VoteOut]:
    same = ("uuid", "verdict", "grade", "note", "reason", "judged_at")
    for vote in votes:
        yield VoteOut(assessor=vote.assessor.username, **{name: getattr(vote, name) for name in same})


def _decision(made: Adjudication) -> DecisionOut:
    same = ("uuid", "docno", "verdict", "grade", "note", "decided_at")
    values = {name: getattr(made, name) for name in same}
    return DecisionOut(topic=made.topic.number, adjudicator=made.adjudicator.username, **values)
