"""The desk at which two documents are compared, and the assessor's list of topics to compare."""

from typing import Any
from uuid import uuid4

from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.collection.views.documents import WITH_FRAME
from campaign.models import User
from campaign.permissions import signed_in
from campaign.text.collation import by_numbers
from judging.desk.sync_protocol import batch_answer, batch_sent
from judging.models import Judgment, PreferenceAssignment
from judging.permissions import get_judged_task_or_404, get_own_preferences_or_404
from judging.preferences.desk_page import NAMED, desk_page, desk_state, documents
from judging.preferences.forms import AnsweredForm
from judging.preferences.selectors import preference_assignments_of, preference_desk_url, standing_of
from judging.preferences.services import Outcome, preference_undo, preferences_record, require_comparing

ANSWERS_AT_ONCE = 100


@login_required
@require_safe
def my_preferences(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_judged_task_or_404(request.user, campaign_slug, task_slug)
    own = preference_assignments_of(signed_in(request.user), task).order_by(
        "-qrels__version", by_numbers("topic__number")
    )
    rows = [standing_of(one) for one in own]
    unfinished = next((row for row in rows if not row.state.is_finished), None)
    return render(request, "judging/preferences/my_preferences.html", {"task": task, "rows": rows, "next": unfinished})


@login_required
@never_cache
@csp_update(WITH_FRAME)  # type: ignore[arg-type]
@require_http_methods(["GET", "HEAD", "POST"])
def preference_desk(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    assignment = get_own_preferences_or_404(
        request.user, campaign_slug, task_slug, topic_number, request.GET.get("assignment")
    )
    require_comparing(assignment)
    if request.method == "POST":
        return _answer_plainly(request, assignment)
    return render(request, "judging/preferences/desk.html", desk_page(assignment))


@never_cache
@require_safe
def preference_documents(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> JsonResponse:
    """The texts of some documents of the assignment, fetched ahead by the desk."""
    if not request.user.is_authenticated:
        return JsonResponse({"detail": "Your session has ended. Sign in again."}, status=401)
    named = request.GET.get("assignment", "").removeprefix(NAMED)
    assignment = get_own_preferences_or_404(request.user, campaign_slug, task_slug, topic_number, named)
    require_comparing(assignment)
    return JsonResponse({"documents": documents(assignment, request.GET.getlist("docno"))})


@never_cache
@require_POST
def preference_submit(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> JsonResponse:
    """A batch from the outbox of a browser: each answer has its own outcome. An empty one asks what comes next."""
    sent = batch_sent(request, ANSWERS_AT_ONCE)
    if isinstance(sent, JsonResponse):
        return sent
    user = signed_in(request.user)
    named = str(sent.get("assignment", "")).removeprefix(NAMED)
    assignment = get_own_preferences_or_404(user, campaign_slug, task_slug, topic_number, named)
    results = _record(user, assignment, sent["judgments"])
    standing = standing_of(assignment)
    return batch_answer(results, saved=len(standing.answers), growth=desk_state(standing))


def _record(assessor: User, assignment: PreferenceAssignment, sent: list[dict[str, Any]]) -> list[dict[str, Any]]:
    forms = [AnsweredForm(one) for one in sent]
    valid = [form.answered() for form in forms if form.is_valid()]
    outcomes = iter(preferences_record(assessor=assessor, assignment=assignment, sent=valid))
    results = []
    for one, form in zip(sent, forms, strict=True):
        outcome = next(outcomes) if form.is_valid() else Outcome(refusal=ValidationError(dict(form.errors.as_data())))
        message = " ".join(outcome.refusal.messages) if outcome.refusal else ""
        state = "refused" if outcome.refusal else "saved"
        results.append({"uuid": one.get("uuid"), "state": state, "message": message})
    return results


def _answer_plainly(request: HttpRequest, assignment: PreferenceAssignment) -> HttpResponseRedirect:
    """Without JavaScript the buttons are a form: answer, then come back to the next pair."""
    try:
        if request.POST.get("answer") == "undo":
            preference_undo(assessor=assignment.assessor, assignment=assignment, uuid=uuid4())
            return redirect(preference_desk_url(assignment))
        form = AnsweredForm({**request.POST.dict(), "input_method": Judgment.FORM})
        if not form.is_valid():
            raise ValidationError(dict(form.errors.as_data()))
        [outcome] = preferences_record(assessor=assignment.assessor, assignment=assignment, sent=[form.answered()])
        if outcome.refusal is not None:
            raise outcome.refusal
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
    return redirect(preference_desk_url(assignment))
