"""Preferences between documents, for organisers: who compares which topics, and the released orders."""

from datetime import datetime
from typing import Annotated, Any

from django.core.exceptions import ValidationError
from django.http import FileResponse, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, Path, Query, Router, Schema, Status

from campaign.api.auth import ORGANISING
from campaign.api.fields import LARGEST, one_of
from campaign.api.files import TEXT
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.jobs import path_of
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.storage.reading import open_verified
from campaign.web.links import absolute
from judging.models import PreferenceAssignment, PreferenceOrder
from judging.permissions import get_preference_order_or_404
from judging.preferences.exports import manifest
from judging.preferences.forms import BeginForm, OrderForm
from judging.preferences.selectors import Standing, candidates, compared_qrels, orders_of, standing_of, standings_of
from judging.preferences.services import preference_order_release, preferences_start, preferences_take_back
from judging.qrels.selectors.releases import latest_qrels

router = Router(tags=["Organising: judging"])
PREFERENCES = f"{TASK}/preferences"
ORDERS = f"{TASK}/preference-orders"
Key = Annotated[int, Path(ge=1, le=LARGEST)]
_topics: dict[str, Any] = {
    "topics": (list[str], Field(description="Numbers of topics that can be compared.", max_length=10_000))
}
BeginIn = form_body("PreferencesIn", BeginForm, more=_topics)
OrderIn = form_body("PreferenceOrderIn", OrderForm, optional=True)
NO_QRELS = "There are no qrels yet: release or import them first."
NOT_COMPARED = "Nothing is compared yet: there is no order to release."


class ComparedOut(Schema):
    id: int = Field(description="Names it in addresses.")
    topic: str
    assessor: str
    grade: int = Field(description="Of the documents that are compared.")
    documents: int
    state: str = one_of(("not begun", "under way", "done"))
    answers: int = Field(description="Pairs that are answered.")
    bound: int = Field(description="The most pairs that are asked.")


class CandidateOut(Schema):
    topic: str
    grade: int
    documents: int
    bound: int


class PreferencesOut(Schema):
    qrels: int | None = Field(description="The version whose documents are compared; null: none yet.")
    topics: list[ComparedOut]
    candidates: list[CandidateOut] = Field(description="Topics of the newest qrels that nobody compares yet.")


class OrderOut(Schema):
    version: int
    qrels: int
    topics: int
    documents: int
    sha256: str
    note: str
    released_by: str
    released_at: datetime


@router.get(PREFERENCES, response=PreferencesOut, summary="Read how far preferences are")
def read_preferences(request: HttpRequest, path: Path[TaskPath]) -> PreferencesOut:
    """For organisers."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    compared, newest = compared_qrels(task), latest_qrels(task)
    waiting = candidates(newest) if newest else []
    return PreferencesOut(
        qrels=compared.version if compared else None,
        topics=[_compared(one) for one in standings_of(compared)] if compared else [],
        candidates=[
            CandidateOut(topic=one.topic.number, grade=one.grade, documents=len(one.documents), bound=one.bound)
            for one in waiting
        ],
    )


@router.post(PREFERENCES, response={201: list[ComparedOut]}, summary="Have documents compared", **ORGANISING)
def start_preferences(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: BeginIn,  # type: ignore[valid-type]
) -> Status[list[ComparedOut]]:
    """The documents of the best grade of these topics, two at a time; each topic goes to one of the assessors."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    qrels = latest_qrels(task)
    if qrels is None:
        raise ValidationError(NO_QRELS)
    waiting = candidates(qrels)
    sent = data.model_dump(exclude_unset=True)  # type: ignore[attr-defined]
    values = accepted(as_sent(lambda typed: BeginForm(typed, task=task, topics=waiting), sent))
    values = {**values, "assessors": list(values["assessors"])}
    made = preferences_start(actor=signed_in(request.user), qrels=qrels, **values)
    response["Location"] = absolute(reverse("api:read_preferences", kwargs=path_of(task)))
    return Status(201, [_compared(standing_of(one)) for one in made])


@router.delete(f"{PREFERENCES}/{{preference}}", response={204: None}, summary="Take preferences back", **ORGANISING)
def remove_preferences(request: HttpRequest, path: Path[TaskPath], preference: Key) -> Status[None]:
    """Where nothing is compared yet."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    rows = PreferenceAssignment.objects.filter(qrels__task=task).select_related("qrels__task__campaign", "topic")
    preferences_take_back(actor=signed_in(request.user), assignment=get_or_404(rows, pk=preference))
    return Status(204, None)


@router.get(ORDERS, response=Page[OrderOut], summary="List orders by preferences")
def list_preference_orders(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[OrderOut]:
    """For organisers, the newest first."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return page_of(request, orders_of(task), paging, _order)


@router.post(ORDERS, response={201: OrderOut}, summary="Release an order by preferences", **ORGANISING)
def release_preference_order(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: OrderIn,  # type: ignore[valid-type]
) -> Status[OrderOut]:
    """The answers so far, as a version that never changes."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    qrels = compared_qrels(task)
    if qrels is None:
        raise ValidationError(NOT_COMPARED)
    values = accepted(as_sent(OrderForm, data.model_dump(exclude_unset=True)))  # type: ignore[attr-defined]
    made = preference_order_release(actor=signed_in(request.user), task=task, qrels=qrels, **values)
    where = {**path_of(task), "version": made.version}
    response["Location"] = absolute(reverse("api:read_preference_manifest", kwargs=where))
    return Status(201, _order(made))


@router.get(f"{ORDERS}/{{version}}/file", summary="Download an order by preferences", openapi_extra=TEXT)
def download_preference_order(request: HttpRequest, path: Path[TaskPath], version: Key) -> FileResponse:
    """For organisers: topic, docno, level; its checksum is that of these bytes."""
    order = _found(request, path, version)
    content = open_verified(str(order.file.name), found_by="a download of preferences")
    name = f"{path.campaign}-{path.task}-preferences-v{version}.txt"
    return FileResponse(content, as_attachment=True, filename=name, content_type="text/plain; charset=utf-8")


@router.get(
    f"{ORDERS}/{{version}}/manifest",
    response=dict[str, Any],
    summary="Read what an order rests on",
)
def read_preference_manifest(request: HttpRequest, path: Path[TaskPath], version: Key) -> dict[str, Any]:
    """For organisers: the qrels that its documents come from, and how each topic's order came about."""
    return manifest(_found(request, path, version))


def _found(request: HttpRequest, path: TaskPath, version: int) -> PreferenceOrder:
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return get_preference_order_or_404(request.user, task, version)


def _compared(one: Standing) -> ComparedOut:
    assigned = one.assignment
    return ComparedOut(
        id=assigned.pk,
        topic=assigned.topic.number,
        assessor=assigned.assessor.username,
        grade=assigned.grade,
        documents=len(assigned.documents),
        state=one.in_words,
        answers=len(one.answers),
        bound=one.tournament.bound,
    )


def _order(order: PreferenceOrder) -> OrderOut:
    return OrderOut(
        version=order.version,
        qrels=order.qrels.version,
        topics=len(order.topics),
        documents=order.document_count,
        sha256=order.sha256,
        note=order.note,
        released_by=order.released_by.username if order.released_by else "",
        released_at=order.released_at,
    )
