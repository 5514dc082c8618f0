"""The topics for feedback, and the runs that rank: what is settled before a leaderboard is published."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, get_run_or_404, get_task_or_404, is_member, signed_in
from campaign.setup.selectors.score_visibility_in_words import shown_cautions, shown_in_words
from campaign.setup.services.tasks import UnconfirmedChangesError
from campaign.text.plurals import number_of
from evaluation.forms import DrawFeedbackForm
from evaluation.services.feedback import PUBLISHED, drawn_topics, feedback_set
from evaluation.services.ranked_runs import ONLY_MEMBERS, run_rank


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def feedback_topics(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """Topics are ticked, or drawn: then they are shown ticked, with the seed, and saved by the same button."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    numbers = _numbers(task)
    draws = DrawFeedbackForm(request.POST if "draw" in request.POST else None, most=max(1, len(numbers) - 1))
    chosen, seed = _chosen(task), ""
    to_confirm: Sequence[str] = ()
    if "draw" in request.POST:
        if draws.is_valid():
            seed = draws.cleaned_data["seed"]
            chosen = drawn_topics(numbers, draws.cleaned_data["count"], seed)
    elif request.method == "POST":
        chosen, seed = request.POST.getlist("topic"), _seed_of(request, numbers)
        try:
            saved = feedback_set(
                actor=signed_in(request.user),
                task=task,
                topics=chosen,
                seed=seed,
                is_confirmed="confirmed" in request.POST,
            )
        except UnconfirmedChangesError as unconfirmed:
            to_confirm = unconfirmed.changes
        except ValidationError as problem:
            messages.error(request, " ".join(problem.messages))
        else:
            messages.success(request, f"Saved: {number_of(len(saved), 'topic')} for feedback.")
            return redirect(task.url("feedback_topics"))
    context = {"draws": draws, "chosen": set(chosen), "seed": seed, "to_confirm": to_confirm, **_said(task)}
    return render(request, "evaluation/feedback_topics.html", context, status=422 if draws.errors else 200)


def _said(task: Task) -> dict[str, Any]:
    return {
        "task": task,
        "topics": task.topics.filter(removed_at__isnull=True).order_by("position"),
        "policy": shown_in_words(task),
        "cautions": shown_cautions(task),
        "problem": PUBLISHED if task.leaderboards.exists() else "",
    }


def _numbers(task: Task) -> list[str]:
    return list(task.topics.filter(removed_at__isnull=True).order_by("position").values_list("number", flat=True))


def _chosen(task: Task) -> list[str]:
    return list(task.topics.filter(removed_at__isnull=True, is_feedback=True).values_list("number", flat=True))


def _seed_of(request: HttpRequest, numbers: list[str]) -> str:
    """The seed, if the ticked topics are still those that it draws."""
    seed, chosen = request.POST.get("seed", "")[: DrawFeedbackForm.LONGEST_SEED], set(request.POST.getlist("topic"))
    return seed if seed and set(drawn_topics(numbers, len(chosen), seed)) == chosen else ""


@login_required
@require_POST
def run_ranked(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponse:
    """A team says whether its run ranks; organisers see the run, and cannot say so for it."""
    run = get_run_or_404(request.user, get_task_or_404(request.user, campaign_slug, task_slug), tag)
    if not is_member(request.user, run.team):
        raise PermissionDenied(ONLY_MEMBERS)
    try:
        changed = run_rank(actor=signed_in(request.user), run=run, is_ranked=request.POST.get("rank") == "1")
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
    else:
        words = "ranks on boards" if changed.is_ranked else "does not rank: it is listed below boards"
        messages.success(request, f"{changed} {words}. You can change this until a leaderboard is published.")
    return redirect(run.attempt_url)
