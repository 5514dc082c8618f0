from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.forms.errors import add_errors
from campaign.forms.runs import RunFilterForm, RunForm
from campaign.models import Run, Task
from campaign.models.fields import zone_named
from campaign.permissions import (
    get_or_404,
    get_run_or_404,
    get_task_or_404,
    is_organiser,
    require_organiser,
    signed_in,
)
from campaign.selectors.runs import (
    listed_runs,
    other_attempts,
    own_quotas,
    require_run_reader,
    run_progress,
    shown_problems,
    stuck_runs,
    why_no_runs,
)
from campaign.services.runs import run_check_again, run_submit
from campaign.services.runs import run_withdraw as withdraw

RUNS_ON_A_PAGE = 100


@login_required
@require_safe
def run_list(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    found = get_task_or_404(request.user, campaign, task)
    require_run_reader(request.user, found)
    form = RunFilterForm(request.GET, task=found)
    sort, order = form.order()
    runs = form.narrow(listed_runs(request.user, found)).order_by(*order)
    page = Paginator(runs, RUNS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "task": found,
        "page": page,
        "stuck": stuck_runs(page),
        "sort": sort,
        "form": form,
        "organises": is_organiser(request.user, found.campaign),
        **_rules(request, found),
    }
    return render(request, "campaign/run_list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_create(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    found = get_task_or_404(request.user, campaign, task)
    rules = _rules(request, found)
    if not rules["quotas"]:
        messages.info(request, "Runs are uploaded for a team that is registered. Register one first.")
        return redirect("campaign_register", campaign=found.campaign.slug)
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = RunForm(*posted, quotas=rules["quotas"])
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            run = run_submit(actor=signed_in(request.user), task=found, file_name=file.name, **form.cleaned_data)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            return redirect(run)
    context = {"task": found, "form": form, "limit": settings.UPLOAD_LIMIT_BYTES, **rules}
    return render(request, "campaign/run_create.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def run_detail(request: HttpRequest, campaign: str, task: str, tag: str) -> HttpResponse:
    run = _run(request, campaign, task, tag)
    organises = is_organiser(request.user, run.task.campaign)
    may_withdraw = run.state in (Run.RECEIVED, Run.VALID) and (organises or not why_no_runs(run.task))
    context = {"others": other_attempts(request.user, run), "may_withdraw": may_withdraw}
    return render(request, "campaign/run_detail.html", {**_state(request, run), **context})


@login_required
@require_safe
def run_state(request: HttpRequest, campaign: str, task: str, tag: str) -> HttpResponse:
    run = _run(request, campaign, task, tag)
    return render(request, "campaign/_run_state.html", _state(request, run))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_withdraw(request: HttpRequest, campaign: str, task: str, tag: str) -> HttpResponse:
    run = _run(request, campaign, task, tag)
    if request.method == "POST":
        try:
            withdraw(actor=signed_in(request.user), run=run)
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
        else:
            messages.success(request, f"{run} is withdrawn. Its tag and its place in the quota are free again.")
        return redirect(_page(run))
    consequences = [
        f"It is the run of {run.team}, {run.lines or 0:,} lines, received {run.submitted_at:%-d %b %Y, %H:%M} UTC.",
        "It is pooled and scored no more. A pool that is frozen already stays as it is.",
        "Its tag and its place in the quota are free again. The file is kept, and the withdrawal is written down.",
        "This cannot be undone; the same file can be uploaded again for as long as the task takes runs.",
    ]
    return render(request, "campaign/run_withdraw.html", {"task": run.task, "run": run, "consequences": consequences})


@login_required
@require_POST
def run_recheck(request: HttpRequest, campaign: str, task: str, tag: str) -> HttpResponse:
    run = _run(request, campaign, task, tag)
    require_organiser(request.user, run.task.campaign)
    try:
        run_check_again(actor=signed_in(request.user), run=run)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
    return redirect(_page(run))


@login_required
@require_safe
def run_download(request: HttpRequest, campaign: str, task: str, tag: str) -> FileResponse:
    """The bytes as they were sent: they have the checksum of the receipt."""
    run = _run(request, campaign, task, tag)
    file = default_storage.open(str(run.file.name))
    return FileResponse(file, as_attachment=True, filename=run.file_name, content_type="application/octet-stream")


def _run(request: HttpRequest, campaign: str, task: str, tag: str) -> Run:
    """The newest submission of the tag that the reader may see, or the one that `?attempt=` names."""
    found = get_task_or_404(request.user, campaign, task)
    attempt = request.GET.get("attempt", "")
    if not attempt:
        return get_run_or_404(request.user, found, tag)
    visible = Run.objects.visible_to(request.user).select_related("task__campaign", "team", "submitted_by")
    number = int(attempt) if attempt.isascii() and attempt.isdigit() and len(attempt) < 6 else 0
    return get_or_404(visible, task=found, tag=tag, attempt=number)


def _page(run: Run) -> str:
    return f"{run.get_absolute_url()}?attempt={run.attempt}"


def _rules(request: HttpRequest, task: Task) -> dict[str, Any]:
    quotas = own_quotas(request.user, task)
    return {
        "zone": zone_named(task.campaign.time_zone),
        "quotas": quotas,
        "has_room": any(quota.left for quota in quotas),
        "closed": why_no_runs(task),
    }


def _state(request: HttpRequest, run: Run) -> dict[str, Any]:
    return {
        "task": run.task,
        "run": run,
        "progress": run_progress(run),
        "problems": shown_problems(run),
        "organises": is_organiser(request.user, run.task.campaign),
        "state_url": f"{reverse('run_state', kwargs={**run.task.address, 'tag': run.tag})}?attempt={run.attempt}",
    }
