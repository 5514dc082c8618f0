"""Who judges what, as organisers assign it: by hand or by a plan, with its progress."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Annotated, Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from ninja import Field, File, Form, Path, Query, Router, Schema, Status, UploadedFile

from campaign.api.auth import ORGANISING, ORGANISING_UPLOAD
from campaign.api.fields import LARGEST, Text, one_of
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.collection.api.imports import IMPORTS, ImportOut, take_in
from campaign.models import Task
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from judging.assigning.forms import AssignForm, DistributeForm, OverlapForm, PlanForm, RepeatForm, RulesForm
from judging.assigning.selectors.planning import (
    Plan,
    distribution_plan,
    in_words,
    overlap_plan,
    repeats_plan,
    who_gets_what,
)
from judging.assigning.selectors.workload import rules_of
from judging.assigning.services.assignments import assignment_remove, assignments_create
from judging.assigning.services.planning import plan_carry_out
from judging.assigning.services.self_assignment import assigning_rules_set
from judging.judgment_imports.forms import JudgmentsImportForm
from judging.judgment_imports.services import JUDGMENTS_JOBS
from judging.models import AssigningRules, Assignment
from judging.progress.selectors.pool_share import pool_share
from judging.progress.selectors.progress import (
    Progress,
    pool_numbered,
    pools_assigned,
    progress_of,
    task_assignments,
    task_overall,
    unassigned_topics,
)
from judging.progress.selectors.progress_counts import shares_of
from pooling.models import Pool

router = Router(tags=["Organising: judging"])
JUDGING = f"{TASK}/judging"
NO_POOL = "There is no pool yet: freeze one first."
Key = Annotated[int, Path(ge=1, le=LARGEST)]
Part: Any = (Text, Field("", max_length=12, description="2 of 3: a third of each topic's documents. Empty: all."))
AssignmentIn = form_body("AssignmentIn", AssignForm, more={"part": Part})
JudgmentsImportIn = form_body("JudgmentsImportIn", JudgmentsImportForm)
RulesIn = form_body("AssigningRulesIn", RulesForm, optional=True)


_confirm: dict[str, Any] = {
    "confirm": (bool, Field(False, description="true: assign. Otherwise the answer shows who would get what."))
}
DistributionIn = form_body("DistributionIn", DistributeForm, more=_confirm)
OverlapIn = form_body("OverlapIn", OverlapForm, optional=True, more=_confirm)
RepeatsIn = form_body("RepeatsIn", RepeatForm, optional=True, more=_confirm)


class AssignmentProgress(Schema):
    id: int
    topic: str
    assessor: str
    pool: int
    pass_number: int
    extent: str = Field(description="What of the topic it is about; empty: all.")
    due_on: date | None
    assigned_at: datetime
    finished_at: datetime | None
    state: str = one_of(Progress.TONES)
    total: int = Field(description="Documents, so far where the pool grows.")
    judged: int
    left: int
    relevant: int
    flagged: int


class JudgingProgress(Schema):
    judged: int
    left: int
    cannot_judge: int
    hours_left: float
    unassigned_topics: int = Field(description="Of the latest pool.")
    pooled: int | None = Field(
        description="Documents of the latest pool; null without a pool, and if only a file judged it."
    )
    pooled_judged: int | None = Field(description="How many of them are judged.")
    is_open: bool = Field(description="A pool grows while it is judged: what is left is the least.")


class Assigned(Schema):
    assignments: list[int] = Field(description="The ids of the new ones.")


class Share(Schema):
    assessor: str
    topics: str
    documents: int
    hours: float
    documents_in_all: int


class PlanOut(Schema):
    summary: str
    shares: list[Share]
    left_out: list[str] = Field(description="What is not assigned, and why.")
    seed: int | None = Field(description="Of a drawn share: send it with `confirm` to get what was shown.")
    assignments: list[int] = Field(description="The ids of the new ones; empty until confirmed.")


class AssignmentsWanted(Paging):
    topic: Text = Field("", max_length=200)
    assessor: Text = Field("", max_length=150, description="User name.")


class RulesOut(Schema):
    due_on: date | None
    remind_days: int
    topics_are_open: bool = Field(description="Assessors take topics that nobody has.")
    topics_at_once: int
    avoids_conflicts: bool


@dataclass(frozen=True, slots=True)
class Planning:
    form: type[PlanForm]
    make: Callable[[Pool, Any], Plan]


@router.get(f"{JUDGING}/progress", response=JudgingProgress, summary="Read how much is judged")
def read_judging_progress(request: HttpRequest, path: Path[TaskPath]) -> JudgingProgress:
    """For organisers: all assignments of the task."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    pools, pool = pools_assigned(task), pool_numbered(task)
    total = task_overall(pools, shares_of(pools))
    same = ("judged", "left", "cannot_judge", "hours_left", "is_open")
    waiting, share = unassigned_topics(pool).count() if pool else 0, pool_share(task)
    return JudgingProgress(
        **{name: getattr(total, name) for name in same},
        unassigned_topics=waiting,
        pooled=share.total if share else None,
        pooled_judged=share.judged if share else None,
    )


@router.get(f"{JUDGING}/assignments", response=Page[AssignmentProgress], summary="List all assignments")
def list_all_assignments(
    request: HttpRequest, path: Path[TaskPath], wanted: Query[AssignmentsWanted]
) -> Page[AssignmentProgress]:
    """For organisers, with their progress: the newest pool first."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    asked = {"topic__number": wanted.topic, "assessor__username": wanted.assessor}
    found = task_assignments(task).filter(**{name: value for name, value in asked.items() if value})
    page = page_of(request, found, wanted, _as_it_is)
    return Page(items=[_progress(row) for row in progress_of(page.items)], count=page.count, next=page.next)


@router.post(f"{JUDGING}/assignments", response={201: Assigned}, summary="Assign topics", **ORGANISING)
def create_assignments(request: HttpRequest, path: Path[TaskPath], data: AssignmentIn) -> Status[Assigned]:  # type: ignore[valid-type]
    """Topics of the latest pool, by their numbers, to an assessor. What somebody has already is handed over."""
    task, pool = _pooled(request, path)
    form = as_sent(partial(AssignForm, task=task, pool=pool), _sent(data))
    accepted(form)
    return Status(201, _created(assignments_create(actor=signed_in(request.user), pool=pool, **form.chosen)))


@router.delete(f"{JUDGING}/assignments/{{assignment}}", response={204: None}, summary="Take a topic back", **ORGANISING)
def remove_assignment(request: HttpRequest, path: Path[TaskPath], assignment: Key) -> Status[None]:
    """Where nothing is judged yet; to hand over the rest of a topic, assign it to another assessor."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    found = get_or_404(task_assignments(task).select_related("pool__task__campaign"), pk=assignment)
    assignment_remove(actor=signed_in(request.user), assignment=found)
    return Status(204, None)


@router.post(f"{JUDGING}/plans/distribute", response=PlanOut, summary="Distribute topics", **ORGANISING)
def distribute_topics(request: HttpRequest, path: Path[TaskPath], data: DistributionIn) -> PlanOut:  # type: ignore[valid-type]
    """The topics that nobody has, balanced over assessors by documents or hours. Without `confirm` a preview."""
    return _plan(request, path, data, Planning(DistributeForm, distribution_plan))


@router.post(f"{JUDGING}/plans/overlap", response=PlanOut, summary="Plan second opinions", **ORGANISING)
def plan_second_opinions(request: HttpRequest, path: Path[TaskPath], data: OverlapIn) -> PlanOut:  # type: ignore[valid-type]
    """A drawn share of each topic for a second person. Without `confirm` a preview; send its `seed` to get the same."""
    return _plan(request, path, data, Planning(OverlapForm, overlap_plan))


@router.post(f"{JUDGING}/plans/repeats", response=PlanOut, summary="Plan hidden repeats", **ORGANISING)
def plan_repeats(request: HttpRequest, path: Path[TaskPath], data: RepeatsIn) -> PlanOut:  # type: ignore[valid-type]
    """A drawn share of each assignment for the same assessor once more. Without `confirm` a preview."""
    return _plan(request, path, data, Planning(RepeatForm, repeats_plan))


@router.get(f"{JUDGING}/rules", response=RulesOut, summary="Read the rules of assigning")
def read_assigning_rules(request: HttpRequest, path: Path[TaskPath]) -> RulesOut:
    """For organisers: due date, reminders, whether assessors take topics themselves."""
    return _rules(rules_of(get_organised_task_or_404(request.user, path.campaign, path.task)))


@router.patch(f"{JUDGING}/rules", response=RulesOut, summary="Change the rules of assigning", **ORGANISING)
def change_assigning_rules(request: HttpRequest, path: Path[TaskPath], data: RulesIn) -> RulesOut:  # type: ignore[valid-type]
    """Fields that are not sent stay as they are."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    sent = _sent(data)
    values = accepted(as_sent(partial(RulesForm, instance=rules_of(task)), sent))
    changed = {name: values[name] for name in sent}
    return _rules(assigning_rules_set(actor=signed_in(request.user), task=task, fields=changed))


def _plan(request: HttpRequest, path: TaskPath, data: Any, planning: Planning) -> PlanOut:
    task, pool = _pooled(request, path)
    sent = {name: value for name, value in _sent(data).items() if name != "confirm"}
    form = as_sent(partial(planning.form, task=task), sent)
    accepted(form)
    wish = form.wish  # type: ignore[attr-defined]  # of every plan's form
    created: Sequence[Assignment] = []
    plan = planning.make(pool, wish)
    if data.confirm:
        actor = signed_in(request.user)
        make = partial(planning.make, pool, wish)
        created = plan_carry_out(actor=actor, pool=pool, make=make, shown=plan.fingerprint)
    gets = who_gets_what(plan)
    return PlanOut(
        summary=in_words(plan),
        shares=[
            Share(
                assessor=one.load.user.username,
                topics=one.topics,
                documents=one.documents,
                hours=one.hours,
                documents_in_all=one.in_all,
            )
            for one in gets
        ],
        left_out=list(plan.left_out),
        seed=form.cleaned_data.get("seed"),
        assignments=[assignment.pk for assignment in created],
    )


def _pooled(request: HttpRequest, path: TaskPath) -> tuple[Task, Pool]:
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    pool = pool_numbered(task)
    if pool is None:
        raise ValidationError(NO_POOL)
    return task, pool


def _sent(data: Any) -> dict[str, Any]:
    sent: dict[str, Any] = data.model_dump(exclude_unset=True)
    return sent


def _as_it_is(assignment: Assignment) -> Assignment:
    return assignment


def _created(assignments: Sequence[Assignment]) -> Assigned:
    return Assigned(assignments=[assignment.pk for assignment in assignments])


def _progress(row: Progress) -> AssignmentProgress:
    one = row.assignment
    counted = ("state", "total", "judged", "left", "relevant", "flagged")
    same = ("pass_number", "extent", "due_on", "assigned_at", "finished_at")
    return AssignmentProgress(
        id=one.pk,
        topic=one.topic.number,
        assessor=one.assessor.username,
        pool=one.pool.version,
        **{name: getattr(one, name) for name in same},
        **{name: getattr(row, name) for name in counted},
    )


def _rules(rules: AssigningRules) -> RulesOut:
    return RulesOut(**{name: getattr(rules, name) for name in RulesOut.model_fields})


@router.post(
    f"{IMPORTS}/judgments",
    response={202: ImportOut},
    summary="Send judgments of several assessors",
    **ORGANISING_UPLOAD,
)
def import_judgments(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: Form[JudgmentsImportIn],  # type: ignore[valid-type]
    file: File[UploadedFile],
) -> Status[ImportOut]:
    """CSV as judgments are exported, or JSON lines that name topic, docno, assessor and grade.

    Topics must be assigned to the assessors. The check names every line that cannot be stored; nothing is stored before you
    confirm the import, and then all of it. The same file twice stores nothing twice.
    """
    return take_in(request, response, path, JudgmentsImportForm, data, file, JUDGMENTS_JOBS)
