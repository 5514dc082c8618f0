"""What earlier rounds judged, which a residual round leaves out: what it is now, and to fix it."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.models import Job, JudgedBefore, Task
from campaign.permissions import get_task_or_404, is_organiser, require_organiser, signed_in
from campaign.setup.selectors.rounds import earlier_rounds
from judging.qrels.services.earlier_rounds import FIX_JUDGED_BEFORE, judged_before_request


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def judged_before(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The page for all who see the round; organisers fix the pairs while the round is in its set-up."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    refusal = ""
    if request.method == "POST":
        require_organiser(request.user, task.campaign)
        try:
            judged_before_request(actor=signed_in(request.user), task=task)
        except ValidationError as problem:
            refusal = problem.messages[0]
        else:
            return redirect(task.url("judged_before"))
    if task.round_kind != Task.RESIDUAL:
        raise Http404
    template = "judging/_judged_before.html" if request.htmx else "judging/judged_before.html"  # type: ignore[attr-defined]
    return render(request, template, {**_context(request, task), "refusal": refusal}, status=422 if refusal else 200)


def _context(request: HttpRequest, task: Task) -> dict[str, Any]:
    job = Job.objects.filter(name=FIX_JUDGED_BEFORE, task=task).order_by("-pk").first()
    return {
        "task": task,
        "organises": is_organiser(request.user, task.campaign),
        "fixed": JudgedBefore.objects.filter(task=task).first(),
        "earlier": earlier_rounds(task),
        "job": job,
        "may_fix": task.phase == Task.SETUP and (job is None or not job.is_unfinished),
    }
