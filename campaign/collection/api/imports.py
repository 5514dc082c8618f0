"""Files that organisers import: sent, checked by a job, looked at, confirmed. The same steps for every kind of file."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, File, Form, Path, Query, Router, Schema, Status, UploadedFile

from campaign.api.auth import ORGANISING, ORGANISING_UPLOAD
from campaign.api.bodies import Body, require_known_parts
from campaign.api.fields import one_of
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.jobs import JobOut, job_out, path_of
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.collection.forms import DocumentsImportForm, ImportForm, TopicsImportForm
from campaign.collection.selectors.imports import import_progress
from campaign.collection.services import imports as services
from campaign.models import Import, Task
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.web.links import absolute
from campaign.web.uploads import upload_place

router = Router(tags=["Organising: files"])
IMPORTS = f"{TASK}/imports"
IMPORT = f"{IMPORTS}/{{uuid:import_id}}"
REPLACE: dict[str, Any] = {
    "replace": (bool, Field(False, description="Replace all topics, as long as no run and no pool rests on them."))
}
TopicsImportIn = form_body("TopicsImportIn", TopicsImportForm, more=REPLACE)
DocumentsImportIn = form_body("DocumentsImportIn", DocumentsImportForm)


class FoundProblem(Schema):
    code: str
    severity: str = one_of(("error", "warning"))
    line: int | None
    count: int
    message: str
    remedy: str
    excerpt: str


class ImportOut(Schema):
    id: UUID
    kind: str = one_of(Import.KINDS)
    state: str = one_of(
        Import.STATES, "checking; ready: confirm or discard it; bad: `problems` has errors; applying; done; discarded."
    )
    file_name: str
    size: int
    sha256: str = Field(description="Of the bytes that arrived.")
    options: dict[str, Any]
    format: str = Field(description="As it was recognised; empty before the check.")
    records: int = Field(description="Topics, documents or lines that the check has found.")
    preview: list[dict[str, Any]] = Field(description="The first records, with long texts cut.")
    found: dict[str, Any] = Field(description="What the check found besides.")
    errors: int
    warnings: int
    problems: list[FoundProblem] = Field(description="The first 200.")
    job: JobOut | None = Field(description="That checks or applies it; the newest.")
    is_stuck: bool = Field(description="Its job failed or is lost: confirm it again, or discard it.")
    created_at: datetime
    finished_at: datetime | None


class ImportFilter(Paging):
    kind: Literal["topics", "documents", "qrels", "pool", "judgments"] | None = None


@router.post(f"{IMPORTS}/topics", response={202: ImportOut}, summary="Send topics", **ORGANISING_UPLOAD)
def import_topics(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: Form[TopicsImportIn],  # type: ignore[valid-type]
    file: File[UploadedFile],
) -> Status[ImportOut]:
    """TREC, XML, TSV, CSV with headings or JSON, plain or gzip. It is checked; nothing is imported before you confirm."""
    return take_in(request, response, path, TopicsImportForm, data, file, services.COLLECTION_JOBS)


@router.post(f"{IMPORTS}/documents", response={202: ImportOut}, summary="Send documents", **ORGANISING_UPLOAD)
def import_documents(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: Form[DocumentsImportIn],  # type: ignore[valid-type]
    file: File[UploadedFile],
) -> Status[ImportOut]:
    """TREC, JSON lines, TSV or CSV with headings, plain or gzip. Large collections go in several files, each confirmed alone."""
    return take_in(request, response, path, DocumentsImportForm, data, file, services.COLLECTION_JOBS)


@router.get(IMPORTS, response=Page[ImportOut], summary="List imports")
def list_imports(request: HttpRequest, path: Path[TaskPath], wanted: Query[ImportFilter]) -> Page[ImportOut]:
    """For organisers, the newest first."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    imports = task.imports.order_by("-created_at", "pk")
    return page_of(request, imports.filter(kind=wanted.kind) if wanted.kind else imports, wanted, import_out)


@router.get(IMPORT, response=ImportOut, summary="Read an import")
def read_import(request: HttpRequest, path: Path[TaskPath], import_id: UUID) -> ImportOut:
    """Ask until `state` is neither checking nor applying."""
    return import_out(import_or_404(request, path, import_id))


@router.post(f"{IMPORT}/confirm", response={202: ImportOut}, summary="Confirm an import", **ORGANISING)
def confirm_import(
    request: HttpRequest, response: HttpResponse, path: Path[TaskPath], import_id: UUID
) -> Status[ImportOut]:
    """Import what was checked; a pool is frozen, qrels are released, judgments are stored. Confirming twice imports once."""
    import_ = import_or_404(request, path, import_id)
    services.import_confirm(actor=signed_in(request.user), import_=import_, jobs=services.jobs_of(import_.kind))
    return import_answer(response, import_)


@router.post(f"{IMPORT}/discard", response=ImportOut, summary="Discard an import", **ORGANISING)
def discard_import(request: HttpRequest, path: Path[TaskPath], import_id: UUID) -> ImportOut:
    """Nothing of the file is imported."""
    import_ = import_or_404(request, path, import_id)
    services.import_discard(actor=signed_in(request.user), import_=import_)
    return import_out(import_)


def take_in(
    request: HttpRequest,
    response: HttpResponse,
    path: TaskPath,
    form: type[ImportForm],
    data: Body,
    file: UploadedFile,
    jobs: services.ImportJobs,
) -> Status[ImportOut]:
    """Store a file of the form's kind and have it checked; `data` holds the options that the page has beside the file."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    require_known_parts(request, type(data), files=("file",))
    with upload_place():
        bound = as_sent(_with_file(form, task, file), data.model_dump(exclude_unset=True))
        accepted(bound)
        actor = signed_in(request.user)
        received = services.import_receive(actor=actor, task=task, kind=form.kind, jobs=jobs, **bound.upload())
        return import_answer(response, received)


def _with_file(form: type[ImportForm], task: Task, file: UploadedFile) -> Callable[[Any], ImportForm]:
    return lambda data: form(data, {"file": file} if data is not None else None, task=task)


def import_answer(response: HttpResponse, import_: Import) -> Status[ImportOut]:
    names = {**path_of(import_.task), "import_id": import_.pk}
    response["Location"] = absolute(reverse("api:read_import", kwargs=names))
    return Status(202, import_out(import_))


def import_or_404(request: HttpRequest, path: TaskPath, key: UUID) -> Import:
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return get_or_404(task.imports.select_related("task__campaign", "created_by"), pk=key)


def import_out(import_: Import) -> ImportOut:
    progress = import_progress(import_)
    same = ("kind", "state", "file_name", "size", "sha256", "options", "format", "records", "preview", "found")
    problems = import_.problems
    return ImportOut(
        id=import_.pk,
        **{name: getattr(import_, name) for name in (*same, "created_at", "finished_at")},
        errors=problems.get("errors", 0),
        warnings=problems.get("warnings", 0),
        problems=[found_problem(one) for one in problems.get("shown", [])],
        job=job_out(progress.job) if progress.job else None,
        is_stuck=progress.is_stuck,
    )


def found_problem(found: dict[str, Any]) -> FoundProblem:
    return FoundProblem(**{name: found[name] for name in FoundProblem.model_fields})
