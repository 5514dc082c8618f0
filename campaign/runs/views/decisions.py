"""Decisions of organisers on a run, and the new check of all runs of a task."""

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.models import Run
from campaign.permissions import (
    get_organised_task_or_404,
    get_run_or_404,
    get_task_or_404,
    require_organiser,
    signed_in,
)
from campaign.runs.selectors.check_counts import check_counts
from campaign.runs.services.decisions import run_accept, run_check_again, run_reinstate, run_reject
from campaign.runs.services.rechecks import runs_check_again
from campaign.text import limits
from campaign.text.plurals import number_of
from campaign.web.forms import add_errors


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=limits.REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Sent to the team by mail, shown to it on the run's page, and kept in the log.",
    )


@dataclass(frozen=True)
class Decision:
    """One button: its label (`verb`, before the tag), the states of a run in which it is shown, and its action."""

    carry_out: Callable[..., None]
    heading: str
    verb: str
    done: str
    states: tuple[str, ...]
    consequences: tuple[str, ...]
    tone: str = ""


TOLD = "The team gets a mail with your reason and your name. The decision is logged."
DECISIONS = {
    "reject": Decision(
        run_reject,
        "Reject",
        "Reject run",
        "is rejected by hand",
        (Run.RECEIVED, Run.VALID),
        (
            "It is not scored any more, and no new pool takes it. A frozen pool and a published leaderboard stay as they are.",
            "It does not count towards the quota, and its tag is free for another attempt.",
            "A check that is under way changes nothing about it. Check again, or accept by hand, takes it back.",
            TOLD,
        ),
        "bad",
    ),
    "accept": Decision(
        run_accept,
        "Accept by hand",
        "Accept run",
        "is read once more and then accepted",
        (Run.RECEIVED, Run.REJECTED),
        (
            "It counts in spite of its errors: what can be read is scored, and new pools can take it; other lines are left out.",
            "Its problems stay listed. If nothing of it can be read, it stays rejected.",
            "It counts towards the quota, which must have room.",
            TOLD,
        ),
    ),
    "reinstate": Decision(
        run_reinstate,
        "Reinstate",
        "Reinstate run",
        "is reinstated and is checked now",
        (Run.WITHDRAWN,),
        (
            "It is checked by the task's current rules and counts if it passes. The deadline was kept when it was submitted.",
            "Its tag must be free and the team's quota must have room.",
            TOLD,
        ),
    ),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_decide(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str, decision: str) -> HttpResponse:
    run = _organised_run(request, campaign_slug, task_slug, tag)
    if decision not in DECISIONS:
        raise Http404
    chosen = DECISIONS[decision]
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        try:
            chosen.carry_out(actor=signed_in(request.user), run=run, reason=form.cleaned_data["reason"])
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            messages.success(request, f"{run} {chosen.done}. The team gets a mail.")
            return redirect(_page(run))
    elif run.state not in chosen.states:
        messages.error(
            request, f"This run is {run.get_state_display()}: this action is no longer possible in that state."
        )
        return redirect(_page(run))
    context = {"task": run.task, "run": run, "decision": chosen, "form": form, "back_url": _page(run)}
    return render(request, "campaign/runs/run_decide.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def run_recheck(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponse:
    run = _organised_run(request, campaign_slug, task_slug, tag)
    try:
        run_check_again(actor=signed_in(request.user), run=run)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
    return redirect(_page(run))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def runs_recheck(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if request.method == "POST":
        try:
            asked = runs_check_again(actor=signed_in(request.user), task=task)
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
            return redirect(task.url("runs_recheck"))
        skipped = f" Not checked: {'; '.join(asked.skipped[:5])}" if asked.skipped else ""
        are = "is" if asked.count == 1 else "are"
        messages.success(request, f"{number_of(asked.count, 'run')} {are} checked again.{skipped}")
        return redirect(task.url("runs_recheck"))
    return render(request, "campaign/runs/runs_recheck.html", {"task": task, "counts": check_counts(task)})


@login_required
@require_safe
def runs_recheck_state(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    return render(request, "campaign/runs/_runs_recheck_state.html", {"task": task, "counts": check_counts(task)})


def _organised_run(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> Run:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    run = get_run_or_404(request.user, task, tag, request.GET.get("attempt", ""))
    require_organiser(request.user, task.campaign)
    return run


def _page(run: Run) -> str:
    return f"{run.get_absolute_url()}?attempt={run.attempt}"
