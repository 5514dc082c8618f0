"""Tasks as their organisers create and change them: all settings of the page, its grade scale, rules and questions."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Literal

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, Path, Router, Schema, Status
from pydantic import create_model

from campaign.api.auth import ORGANISING
from campaign.api.bodies import Body, ToConfirm, Unconfirmed
from campaign.api.fields import LARGEST, Text, one_of
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.jobs import path_of
from campaign.api.paths import CAMPAIGN, TASK, CampaignPath, TaskPath
from campaign.models import Campaign, Task
from campaign.permissions import get_organised_campaign_or_404, get_organised_task_or_404, signed_in
from campaign.setup.forms.task_form import TaskForm
from campaign.setup.selectors.phases import phase_consequences
from campaign.setup.selectors.schedule import run_window
from campaign.setup.services import tasks as services
from campaign.text import limits
from campaign.web.links import absolute

router = Router(tags=["Organising: tasks"])
PARTS = ("grades", "rule_severities", "questions")
"""What stands beside the fields of the form."""


class GradeIn(Body):
    value: int = Field(ge=0, le=100)
    label: Text = Field(min_length=1, max_length=limits.GRADE_LABEL)
    key: Text = Field("", max_length=1, description="At the desk. Left out: the value.")
    gain: float | None = Field(None, ge=0, le=LARGEST, description="For graded measures. Left out: the value.")
    definition: Text = Field("", max_length=limits.GRADE_DEFINITION)


class QuestionIn(Body):
    key: Text = Field(max_length=40)
    label: Text
    kind: Text = "text"
    required: bool = False
    help: Text = ""
    choices: list[Text] = []


class TaskParts(ToConfirm):
    grades: list[GradeIn] | None = Field(None, max_length=20, description="The whole scale anew.")
    rule_severities: dict[Text, Text] | None = Field(None, description="Rule to error, warning or off; others: usual.")
    questions: list[QuestionIn] | None = Field(None, max_length=30, description="All questions about each run anew.")


MEASURES: Any = (list[Text], Field(default_factory=list, description="The first ranks the leaderboard. Empty: usual."))
REASONS: Any = (list[Text], Field(default_factory=list, description="Why a document cannot be judged."))
_of_lists: dict[str, Any] = {"measures": MEASURES, "cannot_judge_reasons": REASONS}
TaskIn = form_body("TaskIn", TaskForm, base=TaskParts, more=_of_lists)
TaskEdit = form_body("TaskEdit", TaskForm, without=("slug",), optional=True, base=TaskParts, more=_of_lists)


class TaskState(Schema):
    campaign: str
    slug: str
    phase: str = one_of(Task.PHASES)
    grades: list[GradeIn]
    rule_severities: dict[str, str] = Field(description="Those that differ from the usual ones.")
    questions: list[QuestionIn]
    follows: str = Field(description="The round before; empty: none.")
    runs_closed_at: datetime | None = Field(description="When a pool or qrels closed the uploads before the deadline.")
    qrels_known_at: datetime | None = Field(description="Since when participants can see qrels: later runs never rank.")
    why_no_runs: str = Field(description="What keeps it from taking runs now; empty: it takes them.")
    url: str = Field(description="Its page.")


_answered: dict[str, Any] = {
    name: (field.annotation, Field(description=field.description, json_schema_extra=field.json_schema_extra))
    for name, field in TaskEdit.model_fields.items()
    if name not in (*PARTS, "confirm")
}
TaskSettings = create_model("TaskSettings", __base__=TaskState, **_answered)


class PhaseIn(ToConfirm):
    phase: Literal["setup", "runs", "pool", "judging", "scores", "published"]


@router.post(f"{CAMPAIGN}/tasks", response={201: TaskSettings}, summary="Create a task", **ORGANISING)
def create_task(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[CampaignPath],
    data: TaskIn,  # type: ignore[valid-type]
) -> Status[Any]:
    """In its set-up, which only organisers and assessors see. What is left out is usual for the judging mode."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    fields, parts = _read(campaign, None, data)
    if "lowest_relevant_grade" not in data.model_fields_set and "grades" not in parts:  # type: ignore[attr-defined]
        fields["lowest_relevant_grade"] = None  # that of the judging mode
    task = services.task_create(actor=signed_in(request.user), campaign=campaign, **fields, **parts)
    response["Location"] = absolute(reverse("api:read_task_settings", kwargs=path_of(task)))
    return Status(201, task_settings(task))


@router.get(f"{TASK}/settings", response=TaskSettings, summary="Read a task's settings")
def read_task_settings(request: HttpRequest, path: Path[TaskPath]) -> Any:
    """For organisers: all that can be changed."""
    return task_settings(get_organised_task_or_404(request.user, path.campaign, path.task))


@router.patch(f"{TASK}/settings", response=TaskSettings, summary="Change a task", **ORGANISING)
def change_task(request: HttpRequest, path: Path[TaskPath], data: TaskEdit) -> Any:  # type: ignore[valid-type]
    """Fields that are not sent stay as they are. What changes scores that there are already has to be confirmed."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    fields, parts = _read(task.campaign, task, data)
    sent = {name: value for name, value in fields.items() if name in data.model_fields_set}  # type: ignore[attr-defined]
    is_confirmed = data.confirm  # type: ignore[attr-defined]
    try:
        changed = services.task_update(
            actor=signed_in(request.user), task=task, is_confirmed=is_confirmed, **sent, **parts
        )
    except services.UnconfirmedChangesError as asked:
        raise Unconfirmed([*asked.changes, *asked.told]) from asked
    return task_settings(changed)


@router.post(f"{TASK}/phase", response=TaskSettings, summary="Enter a phase", **ORGANISING)
def enter_phase(request: HttpRequest, path: Path[TaskPath], data: PhaseIn) -> Any:
    """Move the task to a phase, forwards or back. Freezing, releasing and publishing move it on by themselves."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    if data.phase != task.phase:
        data.require(phase_consequences(task, data.phase))
    return task_settings(services.task_enter_phase(actor=signed_in(request.user), task=task, phase=data.phase))


def _read(campaign: Campaign, task: Task | None, data: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of the form, and beside them the parts of the page that were sent."""
    sent = data.model_dump(exclude_unset=True, exclude={"confirm"})
    parts = {name: sent[name] for name in PARTS if sent.get(name) is not None}
    if "grades" in parts:
        parts["grades"] = [{**grade, "gain": _gain(grade)} for grade in parts["grades"]]
    fields = {name: value for name, value in sent.items() if name not in PARTS}
    return accepted(as_sent(partial(TaskForm, campaign=campaign, instance=task), fields)), parts


def _gain(grade: Mapping[str, Any]) -> float:
    given = grade.get("gain")
    return float(grade["value"] if given is None else given)


def task_settings(task: Task) -> Any:
    values = {name: _plain(getattr(task, name)) for name in _answered}
    values["cannot_judge_reasons"] = task.reasons
    values["measures"] = task.measures or list(task.mode.measures)
    steps = [
        GradeIn(value=g.value, label=g.label, key=g.key, gain=g.gain, definition=g.definition)
        for g in task.grades.all()
    ]
    return TaskSettings(
        **values,
        campaign=task.campaign.slug,
        slug=task.slug,
        phase=task.phase,
        grades=steps,
        rule_severities=task.rule_severities,
        questions=[QuestionIn(**question) for question in task.questions],
        follows=task.follows.slug if task.follows else "",
        runs_closed_at=task.runs_closed_at,
        qrels_known_at=task.qrels_known_at,
        why_no_runs=run_window(task).why_closed,
        url=absolute(task.get_absolute_url()),
    )


def _plain(value: Any) -> Any:
    return value.slug if isinstance(value, Model) else value  # type: ignore[attr-defined]  # of tasks and collections
