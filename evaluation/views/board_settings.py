"""Which tests the board of a task has: chosen by its organisers."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.permissions import get_organised_task_or_404, signed_in
from evaluation.forms import BoardSettingsForm
from evaluation.selectors.boards import board_choice
from evaluation.selectors.scores import may_have_seen_scores
from evaluation.services.board_settings import board_settings_update


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def board_settings(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    choice = board_choice(task)
    form = BoardSettingsForm(request.POST or None, task=task, choice=choice)
    if request.method == "POST" and form.is_valid():
        try:
            board_settings_update(actor=signed_in(request.user), task=task, **form.cleaned_data)
        except ValidationError as problem:
            form.add_error(None, problem)
        else:
            messages.success(request, "Saved. The board is computed anew by these tests.")
            return redirect(task.url("score_board"))
    context = {
        "task": task,
        "form": form,
        "choice": choice,
        "is_late": may_have_seen_scores(task),
    }
    return render(request, "evaluation/board_settings.html", context)
