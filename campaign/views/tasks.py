from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.forms.errors import add_errors
from campaign.forms.tasks import GradeFormSet, TaskForm, grade_formset
from campaign.models import Campaign, Run, Task
from campaign.permissions import get_organised_campaign_or_404, get_organised_task_or_404, get_task_or_404, signed_in
from campaign.selectors.overview import task_overview
from campaign.selectors.topics import topics_are_in_use
from campaign.services.tasks import BINARY_SCALE, GRADED_SCALE, GradeStep
from campaign.services.tasks import task_create as create
from campaign.services.tasks import task_update as update


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_create(request: HttpRequest, campaign: str) -> HttpResponse:
    found = get_organised_campaign_or_404(request.user, campaign)
    form = TaskForm(request.POST or None, campaign=found)
    scale = grade_formset(request.POST or None, None)
    if form.is_valid() and scale.is_valid():
        try:
            task = create(actor=signed_in(request.user), campaign=found, grades=scale.steps(), **form.cleaned_data)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            messages.success(request, f"{task} is created. Next come its topics and documents.")
            return redirect(task)
    return _form_page(request, "campaign/task_create.html", found, form, scale)


@require_safe
def task_detail(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    found = get_task_or_404(request.user, campaign, task)
    overview = task_overview(request.user, found)
    return render(request, "campaign/task_detail.html", {"task": found, "overview": overview})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_edit(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    found = get_organised_task_or_404(request.user, campaign, task)
    form = TaskForm(request.POST or None, instance=found, campaign=found.campaign)
    scale = grade_formset(request.POST or None, _scale(found))
    if form.is_valid() and scale.is_valid():
        try:
            changed = update(actor=signed_in(request.user), task=found, grades=scale.steps(), **form.cleaned_data)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            messages.success(request, "Saved.")
            return redirect(changed)
    run_count = Run.objects.filter(task=found).counting().count()
    context = {"task": found, "run_count": run_count, "in_use": topics_are_in_use(found)}
    return _form_page(request, "campaign/task_edit.html", found.campaign, form, scale, **context)


def _form_page(
    request: HttpRequest, template: str, campaign: Campaign, form: TaskForm, scale: GradeFormSet, **more: Any
) -> HttpResponse:
    bad = form.is_bound and (not form.is_valid() or not scale.is_valid())
    context = {
        "campaign": campaign,
        "form": form,
        "scale": scale,
        "scales": {"binary": BINARY_SCALE, "graded": GRADED_SCALE, "subtopic": GRADED_SCALE},
        **more,
    }
    return render(request, template, context, status=422 if bad else 200)


def _scale(task: Task) -> list[GradeStep]:
    return [
        {
            "value": grade.value,
            "label": grade.label,
            "key": grade.key,
            "gain": grade.gain,
            "definition": grade.definition,
        }
        for grade in task.grades.all()
    ]
