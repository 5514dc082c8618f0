"""How many of the runs' first documents nobody has judged: what the organisers' list of runs shows beside each."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.permissions import get_organised_task_or_404
from campaign.text.natural_order import natural_order
from campaign.web.forms import numbers_in
from evaluation.selectors.scores import scoring, scoring_job, unjudged_shares
from judging.qrels.selectors.releases import latest_qrels


@require_safe
@login_required
def runs_unjudged(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """A page of its own; to htmx of the list of runs only the cells of the runs that the address names."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    shares = unjudged_shares(task)
    if request.htmx:  # type: ignore[attr-defined]
        shown = numbers_in(request.GET.getlist("run"))
        missing = [pk for pk in shown if pk not in shares]
        job = scoring_job(task) if missing else None
        context = {
            "task": task,
            "cells": [(pk, shares[pk].in_words) for pk in shown if pk in shares],
            "missing": missing,
            "goes_on": job is not None and job.is_unfinished,
            "problem": scoring(task).problem if missing else "",
        }
        return render(request, "evaluation/_runs_unjudged.html", context)
    valid = task.runs.valid().select_related("team")
    runs = sorted(valid, key=lambda run: (-shares[run.pk].share if run.pk in shares else -2, natural_order(run.tag)))
    rows = [(run, shares[run.pk].in_words if run.pk in shares else "not scored") for run in runs]
    context = {"task": task, "rows": rows, "qrels": latest_qrels(task)}
    return render(request, "evaluation/runs_unjudged.html", context)
