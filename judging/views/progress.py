"""The organiser's view of the judging: the progress of each assignment, and who gets which topic."""

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaign.forms import add_errors
from campaign.models import Task
from campaign.permissions import get_or_404, get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from campaign.words import number_of
from judging.forms import AssignForm, DistributeForm
from judging.models import Assignment, Qrels
from judging.modes.grades import tones
from judging.permissions import key_of
from judging.selectors.desk import assignments_of
from judging.selectors.progress import (
    Overall,
    assessors_of,
    overall,
    pool_numbered,
    pools_assigned,
    progress_of,
    task_assignments,
    task_overall,
    unassigned_topics,
)
from judging.selectors.releases import latest_qrels
from judging.selectors.shares import shares_of
from judging.selectors.waiting import judging_to_organise, topics_to_judge
from judging.services.assignments import assignment_remove, assignments_create, assignments_distribute
from judging.services.claims import claims_free

ASSIGNMENTS_ON_A_PAGE = 50


@login_required
@require_safe
def judging_progress(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    return _show(request, task)


def _show(request: HttpRequest, task: Task, assign: AssignForm | None = None, status: int = 200) -> HttpResponse:
    pool = pool_numbered(task)
    page = Paginator(task_assignments(task), ASSIGNMENTS_ON_A_PAGE).get_page(request.GET.get("page"))
    pools = pools_assigned(task)
    shares = shares_of(pools)
    rows = progress_of(page.object_list, shares)
    grades = list(task.grades.all())
    values = [grade.value for grade in grades]
    context = {
        "task": task,
        "pool": pool,
        "rows": [{"progress": row, "shares": _shares(row.grades, row.total, values)} for row in rows],
        "page": page,
        "overall": task_overall(pools, shares),
        "assessors": assessors_of(task),
        "of_older": any(one.pk != pool.pk for one in pools) if pool else False,
        "unassigned": unassigned_topics(pool).count() if pool else 0,
        "assign": assign or AssignForm(task=task, pool=pool),
        "distribute": DistributeForm(task=task, initial={"assessors": assessors_of(task)}),
        "grades": grades,
        "qrels": latest_qrels(task),
    }
    return render(request, "judging/judging_progress.html", context, status=status)


def _shares(grades: dict[int, int], total: int, values: Sequence[int]) -> list[dict[str, object]]:
    """Bars of the grade shares, left to right; tone 0 to 3 for every scale."""
    bars, start = [], 0.0
    for value, tone in zip(values, tones(values), strict=True):
        count = grades.get(value, 0)
        width = 100 * count / total if total else 0.0
        bars.append({"tone": tone, "x": f"{start:.2f}%", "width": f"{width:.2f}%", "value": value, "count": count})
        start += width
    return bars


@login_required
@require_POST
def assignment_create(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """Assign chosen topics, distribute those without an assessor, take one back, or free what is held, by the button."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if "remove" in request.POST:
        return _remove(request, task)
    if "free" in request.POST:
        return _free(request, task)
    if "distribute" in request.POST:
        return _distribute(request, task)
    pool = pool_numbered(task)
    form = AssignForm(request.POST, task=task, pool=pool)
    if pool is not None and form.is_valid():
        try:
            created = assignments_create(actor=signed_in(request.user), pool=pool, **form.cleaned_data)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            return _show_created(request, task, created)
    return _show(request, task, form, status=422)


def _distribute(request: HttpRequest, task: Task) -> HttpResponse:
    pool = pool_numbered(task)
    form = DistributeForm(request.POST, task=task)
    if pool is None or not form.is_valid():
        messages.error(request, "Choose at least one assessor; give the role on the campaign's people page.")
        return redirect(task.url("judging_progress"))
    chosen = list(form.cleaned_data["assessors"])
    return _show_created(
        request, task, assignments_distribute(actor=signed_in(request.user), pool=pool, assessors=chosen)
    )


def _show_created(request: HttpRequest, task: Task, created: Sequence[Assignment]) -> HttpResponse:
    if created:
        names = sorted({str(assignment.assessor) for assignment in created})
        messages.success(request, f"{number_of(len(created), 'topic')} assigned to {', '.join(names)}.")
    else:
        messages.info(request, "These topics are assigned already: nothing has changed.")
    return redirect(task.url("judging_progress"))


def _remove(request: HttpRequest, task: Task) -> HttpResponse:
    assignments = task_assignments(task).select_related("pool__task__campaign")
    assignment = get_or_404(assignments, pk=key_of(request.POST["remove"]))
    try:
        assignment_remove(actor=signed_in(request.user), assignment=assignment)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
    else:
        messages.success(request, f"Topic {assignment.topic.number} is taken back from {assignment.assessor}.")
    return redirect(task.url("judging_progress"))


def _free(request: HttpRequest, task: Task) -> HttpResponse:
    assignments = task_assignments(task).select_related("pool__task__campaign")
    assignment = get_or_404(assignments, pk=key_of(request.POST["free"]))
    count = claims_free(actor=signed_in(request.user), assignment=assignment)
    topic = f"topic {assignment.topic.number}"
    if count:
        messages.success(request, f"{number_of(count, 'document')} of {topic} can go to other assessors now.")
    else:
        messages.info(request, f"{assignment.assessor} holds no document of {topic} any more: nothing has changed.")
    return redirect(task.url("judging_progress"))


@require_safe
def judging_card(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The card on the task's overview: all judging for organisers, their own for assessors, released qrels for others."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    organises = is_organiser(request.user, task.campaign)
    rows, total, waits = task_assignments(task), Overall(), None
    if organises:
        pools = pools_assigned(task)
        total = task_overall(pools, shares_of(pools))
        waits = next(judging_to_organise(signed_in(request.user), [task]), None)
    elif request.user.is_authenticated:
        rows = assignments_of(signed_in(request.user), task)
        total = overall(progress_of(rows))
        waits = next(topics_to_judge(signed_in(request.user), [task]), None)
    context = {
        "task": task,
        "organises": organises,
        "overall": total,
        "assigned": request.user.is_authenticated and rows.exists(),
        "waits": waits,
        "pool": pool_numbered(task),
        "qrels": Qrels.objects.visible_to(request.user).filter(task=task).first(),
    }
    return render(request, "judging/_judging_card.html", context)
