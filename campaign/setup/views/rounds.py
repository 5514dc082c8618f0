from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.forms.rounds import RoundForm
from campaign.setup.selectors.rounds import earlier_rounds
from campaign.setup.services.rounds import round_add
from campaign.web.forms import add_errors


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def round_create(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    place = len(earlier_rounds(task)) + 2
    proposed = {
        "title": f"{task.title}, round {place}"[:120],
        "slug": f"{task.slug}-{place}"[:50],
        "round_kind": Task.TEST,
    }
    form = RoundForm(request.POST or None, follows=task, initial=proposed)
    if form.is_valid():
        try:
            added = round_add(actor=signed_in(request.user), task=task, **form.cleaned_data)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            messages.success(
                request, f"{added} is created, in its set-up. Look through its settings, topics and dates."
            )
            return redirect(added)
    context = {"form": form, "task": task}
    return render(request, "campaign/setup/round_create.html", context, status=422 if form.errors else 200)
