"""Model assessors of a task: who they are, their tokens, and their grades as a file. For organisers who do not judge."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.models import Task
from campaign.permissions import signed_in
from campaign.web.forms import result_of
from campaign.web.links import absolute
from judging.forms import ModelAssessorForm
from judging.model_assessors.exports import model_grades_file, model_grades_name
from judging.model_assessors.selectors import model_assessors
from judging.model_assessors.services import model_assessor_create, model_assessor_revoke, model_token_renew
from judging.permissions import get_model_assessor_or_404, get_model_graded_task_or_404


@never_cache
@sensitive_variables("text", "made")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def model_assessor_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_model_graded_task_or_404(request.user, campaign_slug, task_slug)
    form, text = ModelAssessorForm(request.POST or None), ""
    actor = signed_in(request.user)
    if made := result_of(form, lambda: model_assessor_create(actor=actor, task=task, **form.cleaned_data)):
        form, text = ModelAssessorForm(), made[1]
    return _show(request, task, form, text)


@never_cache
@sensitive_variables("text")
@login_required
@require_POST
def model_token(request: HttpRequest, campaign_slug: str, task_slug: str, key: int) -> HttpResponse:
    """Make another token, or refuse the present one from now on, by the button."""
    assessor = get_model_assessor_or_404(request.user, campaign_slug, task_slug, key)
    actor = signed_in(request.user)
    if "revoke" in request.POST:
        model_assessor_revoke(actor=actor, assessor=assessor)
        messages.success(request, f"The token of {assessor} is refused from now on. Its grades stay.")
        return redirect(assessor.task.url("model_assessor_list"))
    try:
        text = model_token_renew(actor=actor, assessor=assessor)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
        return redirect(assessor.task.url("model_assessor_list"))
    return _show(request, assessor.task, ModelAssessorForm(), text)


@login_required
@require_safe
def model_grades(request: HttpRequest, campaign_slug: str, task_slug: str, key: int) -> HttpResponse:
    assessor = get_model_assessor_or_404(request.user, campaign_slug, task_slug, key)
    response = HttpResponse(model_grades_file(assessor), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{model_grades_name(assessor)}"'
    return response


def _show(request: HttpRequest, task: Task, form: ModelAssessorForm, text: str) -> HttpResponse:
    # The text is in this answer alone: it is not stored, so there is no page to redirect to that could show it.
    context = {
        "task": task,
        "form": form,
        "text": text,
        "assessors": list(model_assessors(task)),
        "now": timezone.now(),
        "site": absolute(""),
    }
    return render(request, "judging/model_assessors.html", context, status=422 if form.errors else 200)
