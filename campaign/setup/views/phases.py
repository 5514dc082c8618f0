from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.forms.task_form import PhaseForm
from campaign.setup.selectors.phases import is_back, phase_consequences, phase_ways
from campaign.setup.services.tasks import task_enter_phase


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_phase(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """Without `to`: the phases to choose from. With it: the consequences. POST: change it."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if request.method != "POST":
        to = request.GET.get("to", "")
        return _ask(request, task, to) if to in Task.PHASES and to != task.phase else _choose(request, task)
    form = PhaseForm(request.POST)
    if not form.is_valid():
        return _choose(request, task, status=422)
    phase = form.cleaned_data["phase"]
    try:
        task_enter_phase(actor=signed_in(request.user), task=task, phase=phase)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
    else:
        messages.success(request, f"{task} is now in the phase {Task.PHASES[phase]}.")
    return redirect(task)


def _choose(request: HttpRequest, task: Task, status: int = 200) -> HttpResponse:
    return render(request, "campaign/setup/task_phase.html", {"task": task, "ways": phase_ways(task)}, status=status)


def _ask(request: HttpRequest, task: Task, phase: str) -> HttpResponse:
    context = {
        "task": task,
        "label": Task.PHASES[phase],
        "back": is_back(task, phase),
        "consequences": phase_consequences(task, phase),
        "form": PhaseForm(initial={"phase": phase}),
    }
    return render(request, "campaign/setup/task_phase_confirm.html", context)
