"""Runs of the round before that a team resubmits."""

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Field, Path, Router, Schema

from campaign.api.auth import WRITING
from campaign.api.bodies import Body
from campaign.api.fields import Text
from campaign.api.paths import TASK, TaskPath
from campaign.models import Run
from campaign.permissions import get_task_or_404, signed_in
from campaign.runs.api.schemas import RunOut, run_out
from campaign.runs.selectors.resubmission import runs_to_resubmit
from campaign.runs.services.resubmission import runs_resubmit

router = Router(tags=["Runs"])
EARLIER = f"{TASK}/earlier-runs"


class EnteredIn(Body):
    tags: list[Text] = Field(min_length=1, max_length=200, description="Of runs of the round before.")


class EnteredOut(Schema):
    tag: str
    is_entered: bool
    message: str = Field(description="Why it was not entered; empty where it was.")


@router.get(EARLIER, response=list[RunOut], summary="List runs that can be resubmitted")
def list_earlier_runs(request: HttpRequest, path: Path[TaskPath]) -> list[RunOut]:
    """The valid runs of your teams in the round before whose tags this round does not have yet."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    return [run_out(run) for run in runs_to_resubmit(request.user, task)]


@router.post(EARLIER, response=list[EnteredOut], summary="Resubmit runs", **WRITING)
def enter_runs_again(request: HttpRequest, path: Path[TaskPath], data: EnteredIn) -> list[EnteredOut]:
    """The same bytes become new runs of this round under the same tags, checked by its rules. Ask for each run's state."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    there = {run.tag: run for run in runs_to_resubmit(request.user, task)}
    if unknown := [tag for tag in data.tags if tag not in there]:
        known = ", ".join(there) or "none"
        raise ValidationError({"tags": f"These cannot be resubmitted: {', '.join(unknown)}. There are: {known}."})
    wanted = [there[tag] for tag in dict.fromkeys(data.tags)]
    entered = runs_resubmit(actor=signed_in(request.user), task=task, runs=wanted)
    return [_outcome(run, outcome) for run, outcome in entered]


def _outcome(run: Run, outcome: Run | ValidationError) -> EnteredOut:
    is_entered = isinstance(outcome, Run)
    message = "" if isinstance(outcome, Run) else " ".join(outcome.messages)
    return EnteredOut(tag=run.tag, is_entered=is_entered, message=message)
