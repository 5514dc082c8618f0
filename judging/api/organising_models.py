"""Model assessors of a task and their tokens, for organisers who do not judge in it."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables
from ninja import Field, Path, Query, Router, Schema, Status

from campaign.api.auth import ORGANISING
from campaign.api.fields import LARGEST
from campaign.api.files import TEXT
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.jobs import path_of
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import signed_in
from campaign.web.links import absolute
from judging.forms import ModelAssessorForm
from judging.model_assessors.exports import model_grades_file, model_grades_name
from judging.model_assessors.selectors import model_assessors
from judging.model_assessors.services import model_assessor_create, model_assessor_revoke, model_token_renew
from judging.models import ModelAssessor
from judging.permissions import get_model_assessor_or_404, get_model_graded_task_or_404

router = Router(tags=["Organising: judging"])
MODELS = f"{TASK}/model-assessors"
ONE = f"{MODELS}/{{model_assessor}}"
Key = Annotated[int, Path(ge=1, le=LARGEST)]
DeclaredIn = form_body("ModelAssessorIn", ModelAssessorForm)


class DeclaredOut(Schema):
    id: int = Field(description="Names it in addresses.")
    name: str
    version: str
    family: str
    prompt_sha256: str
    description: str
    token_start: str = Field(description="The first characters of its token.")
    token_expires_at: datetime
    revoked_at: datetime | None = Field(
        description="When its token was revoked. It is refused as well once it has expired or its maker organises no longer."
    )


class GradedOut(DeclaredOut):
    graded: int = Field(description="Documents that it has graded.")
    unable: int = Field(description="Documents that it could not judge.")


class WithToken(DeclaredOut):
    token: str = Field(description="Shown in this answer only: the site does not keep it.")


@router.get(MODELS, response=Page[GradedOut], summary="List model assessors")
def list_model_assessors(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[GradedOut]:
    """For organisers who judge nothing in the task."""
    task = get_model_graded_task_or_404(request.user, path.campaign, path.task)
    return page_of(request, model_assessors(task).order_by("pk"), paging, _graded)


@router.post(MODELS, response={201: WithToken}, summary="Declare a model assessor", **ORGANISING)
@sensitive_variables("token")
def declare_model_assessor(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: DeclaredIn,  # type: ignore[valid-type]
) -> Status[WithToken]:
    """A program that posts grades under its own token. The token is in this answer only."""
    task = get_model_graded_task_or_404(request.user, path.campaign, path.task)
    values = accepted(as_sent(ModelAssessorForm, data.model_dump(exclude_unset=True)))  # type: ignore[attr-defined]
    made, token = model_assessor_create(actor=signed_in(request.user), task=task, **values)
    where = {**path_of(task), "model_assessor": made.pk}
    response["Location"] = absolute(reverse("api:download_model_grades", kwargs=where))
    return Status(201, WithToken(token=token, **_declared(made)))


@router.post(f"{ONE}/token", response=WithToken, summary="Renew the token of a model assessor", **ORGANISING)
@sensitive_variables("token")
def renew_model_token(request: HttpRequest, path: Path[TaskPath], model_assessor: Key) -> WithToken:
    """Another token, in this answer only; the one before is refused from now on."""
    found = get_model_assessor_or_404(request.user, path.campaign, path.task, model_assessor)
    token = model_token_renew(actor=signed_in(request.user), assessor=found)
    return WithToken(token=token, **_declared(found))


@router.post(f"{ONE}/revoke", response=DeclaredOut, summary="Revoke the token of a model assessor", **ORGANISING)
def revoke_model_token(request: HttpRequest, path: Path[TaskPath], model_assessor: Key) -> DeclaredOut:
    """It is refused from now on; the grades stay."""
    found = get_model_assessor_or_404(request.user, path.campaign, path.task, model_assessor)
    model_assessor_revoke(actor=signed_in(request.user), assessor=found)
    found.refresh_from_db()
    return DeclaredOut(**_declared(found))


@router.get(f"{ONE}/grades", summary="Download the grades of a model assessor", openapi_extra=TEXT)
def download_model_grades(request: HttpRequest, path: Path[TaskPath], model_assessor: Key) -> HttpResponse:
    """As qrels, for organisers who judge nothing in the task."""
    found = get_model_assessor_or_404(request.user, path.campaign, path.task, model_assessor)
    headers = {"Content-Disposition": f'attachment; filename="{model_grades_name(found)}"'}
    return HttpResponse(model_grades_file(found), content_type="text/plain; charset=utf-8", headers=headers)


def _declared(found: ModelAssessor) -> dict[str, Any]:
    same = (
        "name",
        "version",
        "family",
        "prompt_sha256",
        "description",
        "token_start",
        "token_expires_at",
        "revoked_at",
    )
    return {"id": found.pk, **{name: getattr(found, name) for name in same}}


def _graded(found: ModelAssessor) -> GradedOut:
    counts = {name: getattr(found, name) for name in ("graded", "unable")}  # annotated
    return GradedOut(**counts, **_declared(found))
