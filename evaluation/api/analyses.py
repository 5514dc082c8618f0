"""Reports on a board: its reliability and its curves, as in the JSON files of their pages."""

from typing import Annotated, Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from ninja import Path, Router, Status

from campaign.api.auth import ORGANISING, PUBLIC
from campaign.api.fields import LARGEST
from campaign.api.jobs import JobOut, Waiting, job_out
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.web.links import absolute
from evaluation.analysis.curves.exports import curves_json
from evaluation.analysis.reliability.selectors import reliability_job, stored_report
from evaluation.analysis.reliability.services import reliability_request
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView

router = Router(tags=["Results"])
Number = Annotated[int, Path(ge=1, le=LARGEST)]
REPORT = {200: dict[str, Any], 202: Waiting}
NO_REPORT = "There is no report on this board yet. Organisers ask for it."
COMPUTING = "The report is being computed. Ask again in a moment."
FAILED = "The report could not be computed, or you may not see all that it names. Organisers see why on its page."
NO_CURVES = "This board has no curves: it was computed before there were any, or its runs are too many."
LEADERBOARD = f"{TASK}/leaderboards/{{number}}"
WORKING = f"{TASK}/working-board"


@router.get(
    f"{LEADERBOARD}/reliability",
    response=REPORT,
    summary="Read the reliability of a leaderboard",
    **PUBLIC,
)
def read_reliability(
    request: HttpRequest, response: HttpResponse, path: Path[TaskPath], number: Number
) -> HttpResponse | Status[Waiting]:
    """The report as it was stored. 202 as long as it is computed; refused before organisers asked for it."""
    return _report(request, response, get_board_or_404(request, path.campaign, path.task, number))


@router.get(
    f"{WORKING}/reliability",
    response=REPORT,
    summary="Read the reliability of the working board",
)
def read_working_reliability(
    request: HttpRequest, response: HttpResponse, path: Path[TaskPath]
) -> HttpResponse | Status[Waiting]:
    """For organisers. 202 as long as it is computed; refused before somebody asked for it."""
    return _report(request, response, get_board_or_404(request, path.campaign, path.task))


@router.post(
    f"{LEADERBOARD}/reliability",
    response={202: JobOut},
    summary="Compute the reliability of a leaderboard",
    tags=["Organising: scores"],
    **ORGANISING,
)
def compute_reliability(
    request: HttpRequest, response: HttpResponse, path: Path[TaskPath], number: Number
) -> Status[JobOut]:
    """For organisers. Read the report until it is there."""
    return _compute(request, response, path, number)


@router.post(
    f"{WORKING}/reliability",
    response={202: JobOut},
    summary="Compute the reliability of the working board",
    tags=["Organising: scores"],
    **ORGANISING,
)
def compute_working_reliability(request: HttpRequest, response: HttpResponse, path: Path[TaskPath]) -> Status[JobOut]:
    """For organisers. Read the report until it is there."""
    return _compute(request, response, path, None)


@router.get(
    f"{LEADERBOARD}/curves",
    response=dict[str, Any],
    summary="Read the curves of a leaderboard",
    **PUBLIC,
)
def read_curves(request: HttpRequest, path: Path[TaskPath], number: Number) -> dict[str, Any]:
    """Precision against recall and rank, of all runs."""
    return _curves(get_board_or_404(request, path.campaign, path.task, number))


@router.get(f"{WORKING}/curves", response=dict[str, Any], summary="Read the curves of the working board")
def read_working_curves(request: HttpRequest, path: Path[TaskPath]) -> dict[str, Any]:
    """For organisers."""
    return _curves(get_board_or_404(request, path.campaign, path.task))


def _report(request: HttpRequest, response: HttpResponse, seen: BoardView) -> HttpResponse | Status[Waiting]:
    stored, job = stored_report(seen), reliability_job(seen)
    if stored is not None:
        return HttpResponse(stored.content, content_type="application/json; charset=utf-8")
    if job is not None and job.is_unfinished:
        response["Location"] = absolute(request.path)  # ask there again
        return Status(202, Waiting(message=COMPUTING))
    raise ValidationError(NO_REPORT if job is None else FAILED)


def _compute(request: HttpRequest, response: HttpResponse, path: TaskPath, number: int | None) -> Status[JobOut]:
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    seen = get_board_or_404(request, path.campaign, path.task, number)
    job = reliability_request(actor=signed_in(request.user), task=task, leaderboard=seen.leaderboard)
    job.refresh_from_db()
    response["Location"] = absolute(request.path)  # where the report will be
    return Status(202, job_out(job))


def _curves(seen: BoardView) -> dict[str, Any]:
    if seen.board.curves is None:
        raise ValidationError(NO_CURVES)
    return curves_json(seen, seen.board.curves)
