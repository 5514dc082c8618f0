"""Reports on a board: its reliability and its curves, as in the JSON files of their pages."""

from typing import Annotated, Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from ninja import Path, Router, Status

from campaign.api.auth import ORGANISING, PUBLIC
from campaign.api.fields import LARGEST
from campaign.api.jobs import JobOut, Waiting, job_out
from campaign.api.paths import TASK, TaskPath
from campaign.models import Job
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.web.links import absolute
from evaluation.analysis.curves.exports import curves_json
from evaluation.analysis.reliability.selectors import reliability_job, said_of_job, stored_report
from evaluation.analysis.reliability.services import reliability_request
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView
from evaluation.selectors.boards import is_current, scored_runs, working_board

router = Router(tags=["Results"])
Number = Annotated[int, Path(ge=1, le=LARGEST)]
REPORT = {200: dict[str, Any], 202: Waiting}
AGAIN = "Organisers have it computed by a POST to this address."
NO_REPORT = f"There is no report on this board yet. {AGAIN}"
EARLIER = f"The report is of the board as it was before runs, qrels or settings changed. {AGAIN}"
COMPUTING = "The report is being computed. Ask again in a moment."
NAMES_MORE = "The report names runs or teams that this board does not show you."
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
    """For organisers. 202 as long as it is computed; refused before it was asked for, and when the board has changed since."""
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
    """For organisers. `is_current`: false if runs, qrels, settings or the version of Runpool have changed since the board was
    computed.
    """
    seen = get_board_or_404(request, path.campaign, path.task)
    return {**_curves(seen), "is_current": is_current(working_board(seen.task), scored_runs(seen.task))}


def _report(request: HttpRequest, response: HttpResponse, seen: BoardView) -> HttpResponse | Status[Waiting]:
    stored, job = stored_report(seen), reliability_job(seen)
    if stored is not None and stored.is_current:
        return HttpResponse(stored.content, content_type="application/json; charset=utf-8")
    if job is not None and job.is_unfinished:
        response["Location"] = absolute(request.path)  # ask there again
        return Status(202, Waiting(message=COMPUTING))
    if job is not None and job.state == Job.FAILED:
        raise ValidationError(f"The report has failed. {said_of_job(seen, job)} {AGAIN}")
    if stored is not None:
        raise ValidationError(EARLIER)
    raise ValidationError(NO_REPORT if job is None else NAMES_MORE)


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
