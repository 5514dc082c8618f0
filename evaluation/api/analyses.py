"""Reports on a board: its reliability and its curves, as in the JSON files of their pages."""

from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Path, Router, Status

from campaign.api.auth import ORGANISING, PUBLIC
from campaign.api.fields import LARGEST
from campaign.api.jobs import JobOut, job_out
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import get_organised_task_or_404, signed_in
from evaluation.analysis.curves.exports import curves_json
from evaluation.analysis.reliability.selectors import reliability_job, stored_report
from evaluation.analysis.reliability.services import reliability_request
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView

router = Router(tags=["Results"])
Number = Annotated[int, Path(ge=1, le=LARGEST)]
NO_REPORT = "There is no report on this board yet. Organisers ask for it."
COMPUTING = "The report is being computed. Ask again in a moment."
FAILED = "The report could not be computed, or you may not see all that it names. Organisers see why on its page."
NO_CURVES = "This board has no curves: it was computed before there were any, or its runs are too many."
LEADERBOARD = f"{TASK}/leaderboards/{{number}}"
WORKING = f"{TASK}/working-board"


@router.get(
    f"{LEADERBOARD}/reliability", response=dict[str, Any], summary="Read the reliability of a leaderboard", **PUBLIC
)
def read_reliability(request: HttpRequest, path: Path[TaskPath], number: Number) -> HttpResponse:
    """The report as it was stored. 404 before organisers had it computed."""
    return _report(get_board_or_404(request, path.campaign, path.task, number))


@router.get(f"{WORKING}/reliability", response=dict[str, Any], summary="Read the reliability of the working board")
def read_working_reliability(request: HttpRequest, path: Path[TaskPath]) -> HttpResponse:
    """For organisers. 404 before it is computed."""
    return _report(get_board_or_404(request, path.campaign, path.task))


@router.post(
    f"{LEADERBOARD}/reliability",
    response={202: JobOut},
    summary="Compute the reliability of a leaderboard",
    tags=["Organising: scores"],
    **ORGANISING,
)
def compute_reliability(request: HttpRequest, path: Path[TaskPath], number: Number) -> Status[JobOut]:
    """For organisers. Read the report until it is there."""
    return _compute(request, path, number)


@router.post(
    f"{WORKING}/reliability",
    response={202: JobOut},
    summary="Compute the reliability of the working board",
    tags=["Organising: scores"],
    **ORGANISING,
)
def compute_working_reliability(request: HttpRequest, path: Path[TaskPath]) -> Status[JobOut]:
    """For organisers. Read the report until it is there."""
    return _compute(request, path, None)


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


def _report(seen: BoardView) -> HttpResponse:
    stored, job = stored_report(seen), reliability_job(seen)
    if stored is None and job is not None:
        raise Http404(COMPUTING if job.is_unfinished else FAILED)
    if stored is None:
        raise Http404(NO_REPORT)
    return HttpResponse(stored.content, content_type="application/json; charset=utf-8")


def _compute(request: HttpRequest, path: TaskPath, number: int | None) -> Status[JobOut]:
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    seen = get_board_or_404(request, path.campaign, path.task, number)
    job = reliability_request(actor=signed_in(request.user), task=task, leaderboard=seen.leaderboard)
    job.refresh_from_db()
    return Status(202, job_out(job))


def _curves(seen: BoardView) -> dict[str, Any]:
    if seen.board.curves is None:
        raise Http404(NO_CURVES)
    return curves_json(seen, seen.board.curves)
