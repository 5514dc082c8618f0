"""What organisers decide on runs, through the services of the pages."""

from collections.abc import Callable
from typing import Literal

from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import ORGANISING
from campaign.api.bodies import Body
from campaign.api.fields import Text
from campaign.api.paths import RUN, TASK, RunPath, TaskPath
from campaign.models import Run
from campaign.permissions import (
    get_organised_task_or_404,
    get_run_or_404,
    get_task_or_404,
    require_organiser,
    signed_in,
)
from campaign.runs.api.schemas import Attempt, RunDetail, run_detail
from campaign.runs.selectors.progress import run_progress
from campaign.runs.services import decisions as services
from campaign.runs.services.rechecks import runs_check_again

router = Router(tags=["Organising: runs"])
DECISIONS: dict[str, Callable[..., None]] = {
    "reject": services.run_reject,
    "accept": services.run_accept,
    "reinstate": services.run_reinstate,
}


class DecisionIn(Body):
    decision: Literal["reject", "accept", "reinstate"] = Field(
        description="reject: it is not scored, and no new pool takes it; accept: it counts in spite of its errors; "
        "reinstate: a withdrawn run is checked and counts if it passes."
    )
    reason: Text = Field(description="Sent to the team by mail, shown on the run's page, and kept in the log.")


class Rechecked(Schema):
    runs: int = Field(description="How many are checked again.")
    skipped: list[str] = Field(description="Rejected runs that could not count after any check, and why.")


@router.post(f"{RUN}/decision", response=RunDetail, summary="Decide on a run", **ORGANISING)
def decide_run(request: HttpRequest, path: Path[RunPath], wanted: Query[Attempt], data: DecisionIn) -> RunDetail:
    """Reject, accept or reinstate it by hand. The team gets a mail with your reason and your name."""
    run = _organised(request, path, wanted)
    DECISIONS[data.decision](actor=signed_in(request.user), run=run, reason=data.reason)
    return _detail(run)


@router.post(f"{RUN}/check", response=RunDetail, summary="Check a run again", **ORGANISING)
def check_run_again(request: HttpRequest, path: Path[RunPath], wanted: Query[Attempt]) -> RunDetail:
    """By the task's current rules; ask for the run until `queue` is null."""
    run = _organised(request, path, wanted)
    services.run_check_again(actor=signed_in(request.user), run=run)
    return _detail(run)


@router.post(f"{TASK}/check-runs", response=Rechecked, summary="Check all runs again", **ORGANISING)
def check_runs_again(request: HttpRequest, path: Path[TaskPath]) -> Rechecked:
    """By the task's current rules. Decisions by hand hold."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    asked = runs_check_again(actor=signed_in(request.user), task=task)
    return Rechecked(runs=asked.count, skipped=asked.skipped)


def _organised(request: HttpRequest, path: RunPath, wanted: Attempt) -> Run:
    task = get_task_or_404(request.user, path.campaign, path.task)
    run = get_run_or_404(request.user, task, path.tag, str(wanted.attempt or ""))
    require_organiser(request.user, task.campaign)
    return run


def _detail(run: Run) -> RunDetail:
    run.refresh_from_db()
    return run_detail(run, run_progress(run))
