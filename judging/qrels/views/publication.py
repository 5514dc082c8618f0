from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.permissions import get_organised_task_or_404, signed_in
from judging.permissions import get_qrels_or_404
from judging.qrels.selectors.publication import showing_consequences
from judging.qrels.services.publication import qrels_show as show


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def qrels_show(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    """Ask before a version is shown to everybody who sees the task, then show it."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    qrels = get_qrels_or_404(request.user, task, version)
    if request.method == "POST":
        try:
            show(actor=signed_in(request.user), qrels=qrels)
        except ValidationError as problem:
            messages.warning(request, problem.messages[0])
        else:
            messages.success(request, f"Everybody who sees the task now sees {qrels}.")
        return redirect(qrels)
    context = {"task": task, "qrels": qrels, "consequences": showing_consequences(qrels)}
    return render(request, "judging/qrels_show.html", context)
