"""The effect of a version of the qrels on the board, for organisers."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.permissions import get_organised_task_or_404
from evaluation.qrels_impact import effect_on_board
from judging.permissions import get_qrels_or_404
from judging.qrels.selectors.differences import version_before


@require_safe
@login_required
def qrels_effect(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    """A page of its own; to htmx of the page of the version only what it shows."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    before = version_before(request.user, qrels)
    found = effect_on_board(task, before, qrels) if before is not None else "There is no version before this one."
    said = {"problem": found} if isinstance(found, str) else {"effect": found}
    part = "evaluation/_qrels_effect.html" if request.htmx else "evaluation/qrels_effect.html"  # type: ignore[attr-defined]
    return render(request, part, {"task": task, "qrels": qrels, "before": before, **said})
