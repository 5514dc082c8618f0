from typing import Any

from django.core.exceptions import ValidationError
from django.http import FileResponse, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import File, Form, Path, Query, Router, Status, UploadedFile

from campaign.api.auth import UPLOADING, WRITING
from campaign.api.bodies import require_known_parts
from campaign.api.files import answers_with
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import RUN, TASK, RunPath, TaskPath
from campaign.formats.json_values import RepeatedKeyError, json_with_single_keys
from campaign.models import Run
from campaign.permissions import get_or_404, get_run_or_404, get_task_or_404, signed_in
from campaign.runs.api.schemas import (
    Attempt,
    ProblemOut,
    RunDetail,
    RunEdit,
    RunFilter,
    RunIn,
    RunLinks,
    RunOut,
    problem_out,
    run_detail,
    run_out,
)
from campaign.runs.forms.filter import ALL, RunFilterForm
from campaign.runs.selectors.lists import require_run_reader
from campaign.runs.selectors.progress import run_progress
from campaign.runs.selectors.reading import sent_file
from campaign.runs.services import submission as services
from campaign.teams.api.registrations import own_team
from campaign.web.links import absolute
from campaign.web.uploads import received_at, upload_place

router = Router(tags=["Runs"])


BINARY = answers_with("application/octet-stream")


@router.get(f"{TASK}/runs", response=Page[RunOut], summary="List runs")
def list_runs(request: HttpRequest, path: Path[TaskPath], wanted: Query[RunFilter]) -> Page[RunOut]:
    """All attempts of your teams in the order in which they came; organisers get those of all teams."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    require_run_reader(request.user, task)
    more = wanted.model_dump(include={"kind", "decision", "problems", "priority", "search"}, exclude_none=True)
    asked = {"state": wanted.state, "team__slug": wanted.team, "tag": wanted.tag}
    found = RunFilterForm({**more, "attempts": ALL}, task=task, user=request.user).with_all_attempts()
    runs = found.filter(**{name: value for name, value in asked.items() if value})
    return page_of(
        request, runs.select_related("task__campaign").prefetch_related("problems").order_by("pk"), wanted, run_out
    )


@router.post(f"{TASK}/runs", response={201: RunDetail}, summary="Submit a run", **UPLOADING)
def submit_run(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: Form[RunIn],
    file: File[UploadedFile],
) -> Status[RunDetail]:
    """One request: the run's file, plain or gzip, as the part “file”, and its details as the other parts.

    The answer is the receipt. The check follows within seconds: ask for the run's state until `queue` is null.
    """
    require_known_parts(request, RunIn, files=("file",))
    with upload_place():
        run = services.run_submit(
            actor=signed_in(request.user),
            task=get_task_or_404(request.user, path.campaign, path.task),
            team=own_team(request.user, data.team),
            file=file,
            file_name=file.name or data.tag,
            answers=_answers(data.answers),
            received_at=received_at(request),
            **data.model_dump(exclude={"team", "answers"}),
        )
        names = {"campaign": run.task.campaign.slug, "task": run.task.slug, "tag": run.tag}
        response["Location"] = absolute(reverse("api:read_run", kwargs=names))
        return Status(201, run_detail(run, run_progress(run)))


@router.get(RUN, response=RunDetail, summary="Read a run and its state")
def read_run(request: HttpRequest, path: Path[RunPath], wanted: Query[Attempt]) -> RunDetail:
    """The newest attempt under the tag, or the one that is asked for; its place in the queue while it waits."""
    run = _run(request, path, wanted)
    return run_detail(run, run_progress(run))


@router.patch(RUN, response=RunDetail, summary="Edit the details of a run", **WRITING)
def edit_run(request: HttpRequest, path: Path[RunPath], data: RunEdit) -> RunDetail:
    """Fields that are not sent stay as they are. The file stays too: to send another, submit with replace=true."""
    run = _run(request, path)
    current = {"kind": run.kind, "priority": run.priority, "description": run.description, "answers": run.answers}
    changes = {name: value for name, value in data.model_dump(exclude_unset=True).items() if value is not None}
    edited = services.run_edit(actor=signed_in(request.user), run=run, **{**current, **changes})
    return run_detail(edited, run_progress(edited))


@router.patch(f"{RUN}/links", response=RunDetail, summary="Link paper and code of a run", **WRITING)
def link_run(request: HttpRequest, path: Path[RunPath], wanted: Query[Attempt], data: RunLinks) -> RunDetail:
    """For its team and organisers, until the campaign is archived. What is left out stays; "" takes a link away.

    Leaderboards that name the runs to everybody show the links of valid runs. Of a run that does not count its team can only
    take links away.
    """
    run = _run(request, path, wanted)
    linked = services.run_link(actor=signed_in(request.user), run=run, **data.model_dump())
    return run_detail(linked, run_progress(linked))


@router.get(f"{RUN}/problems", response=Page[ProblemOut], summary="Read a run's problems")
def list_problems(
    request: HttpRequest, path: Path[RunPath], wanted: Query[Attempt], paging: Query[Paging]
) -> Page[ProblemOut]:
    """What the check found, all in one go: the first places of each kind, with line, remedy and count."""
    run = _run(request, path, wanted)
    return page_of(request, run.problems.order_by("pk"), paging, problem_out)


@router.post(f"{RUN}/withdraw", response=RunDetail, summary="Withdraw a run", **WRITING)
def withdraw_run(request: HttpRequest, path: Path[RunPath]) -> RunDetail:
    """Frees the run's tag and its place in the quota. Allowed for its team before the deadline, for organisers always."""
    run = _run(request, path)
    services.run_withdraw(actor=signed_in(request.user), run=run)
    return run_detail(run, run_progress(run))


@router.get(f"{RUN}/file", summary="Download a run's file", openapi_extra=BINARY)
def download_run(request: HttpRequest, path: Path[RunPath], wanted: Query[Attempt]) -> FileResponse:
    """The bytes as they were sent: they have the checksum of the receipt."""
    run = _run(request, path, wanted)
    file = sent_file(run, found_by="a download of a run")
    return FileResponse(file, as_attachment=True, filename=run.file_name, content_type="application/octet-stream")


def _run(request: HttpRequest, path: RunPath, wanted: Attempt | None = None) -> Run:
    task = get_task_or_404(request.user, path.campaign, path.task)
    if wanted is None or wanted.attempt is None:
        return get_run_or_404(request.user, task, path.tag)
    visible = Run.objects.visible_to(request.user).select_related("task__campaign", "team", "submitted_by")
    return get_or_404(visible, task=task, tag=path.tag, attempt=wanted.attempt)


def _answers(text: str) -> dict[str, Any]:
    try:
        answers = json_with_single_keys(text) if text.strip() else {}
    except RepeatedKeyError as problem:
        raise ValidationError({"answers": f"{problem}."}) from problem
    except (ValueError, RecursionError) as problem:
        raise ValidationError({"answers": f"This is no JSON: {problem}."}) from problem
    if not isinstance(answers, dict):
        raise ValidationError({"answers": 'Send one JSON object, such as {"model": "bm25"}.'})
    return answers
