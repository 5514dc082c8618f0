"""Runs of the round before that a team resubmits with one press."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.models import Run
from campaign.permissions import get_task_or_404, signed_in
from campaign.runs.selectors.resubmission import runs_to_resubmit
from campaign.runs.services import resubmission
from campaign.setup.selectors.schedule import takes_runs_of
from campaign.teams.selectors.quotas import own_quotas
from campaign.text.plurals import listed, number_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def runs_resubmit(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    if not own_quotas(request.user, task):
        return redirect("campaign_register", campaign_slug=task.campaign.slug)
    runs = runs_to_resubmit(request.user, task)
    refusal = ""
    if request.method == "POST":
        chosen = set(request.POST.getlist("run"))
        wanted = [run for run in runs if str(run.pk) in chosen]
        if wanted:
            _tell(request, resubmission.runs_resubmit(actor=signed_in(request.user), task=task, runs=wanted))
            return redirect(task.url("run_list"))
        refusal = "Tick at least one run."
    context = {"task": task, "runs": runs, "is_open": takes_runs_of(request.user, task), "refusal": refusal}
    return render(request, "campaign/runs/runs_resubmit.html", context, status=422 if refusal else 200)


def _tell(request: HttpRequest, entered: list[tuple[Run, Run | ValidationError]]) -> None:
    tags = [run.tag for run, outcome in entered if isinstance(outcome, Run)]
    if tags:
        messages.success(request, f"{number_of(len(tags), 'run')} received and being checked: {listed(tags)}.")
    for run, outcome in entered:
        if isinstance(outcome, ValidationError):
            messages.error(request, f"{run.tag} was not entered: {' '.join(outcome.messages)}")
