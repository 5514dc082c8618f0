"""The desk: the documents of one assignment, judged with one key each."""

from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.accounts.services.accounts import desk_keys_update
from campaign.collection.views.documents import WITH_FRAME
from campaign.models import User
from campaign.permissions import signed_in
from campaign.web.forms import act_and_tell, is_done, status_of
from judging.checkouts.services import claims_take
from judging.core.modes.declaration import Answers
from judging.core.modes.registry import judging_mode
from judging.desk.selectors.page import desk_page, desk_url, growth_at_the_desk, mark_of, plain_note
from judging.desk.services.judgments import judgment_record_from_page, judgment_undo, judgments_record
from judging.desk.sync_protocol import batch_answer, batch_sent
from judging.forms import ActForm, DeskKeysForm
from judging.judgments.selectors.own_documents import Item, documents, items
from judging.models import Assignment, Judgment
from judging.permissions import get_own_assignment_or_404, require_assessor
from judging.progress.selectors.progress_counts import own_counts

ACTS_AT_ONCE = 100
PAGE_FIELDS = {*ActForm.base_fields, "act", "written", "csrfmiddlewaretoken"}
"""What the desk's form sends besides the controls of the judging mode."""

OTHER_ACTS = ("skip", "undo", "flag")
"""What the buttons of the desk's form do besides judging."""


@login_required
@never_cache
@csp_update(WITH_FRAME)  # type: ignore[arg-type]
@require_http_methods(["GET", "HEAD", "POST"])
def desk(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    assignment = get_own_assignment_or_404(
        request.user, campaign_slug, task_slug, topic_number, request.GET.get("assignment")
    )
    require_assessor(assignment)
    if request.method == "POST":
        return _judge_plainly(request, assignment)
    claims_take(assignment)
    shown = _shown(items(assignment), request.GET.get("docno", ""), request.GET.get("after", ""))
    return render(request, "judging/desk.html", desk_page(assignment, shown))


@never_cache
@require_safe
def judging_next(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> JsonResponse:
    """The texts of some documents of the assignment, fetched ahead by the desk."""
    if not request.user.is_authenticated:
        return JsonResponse({"detail": "Your session has ended. Sign in again."}, status=401)
    assignment = get_own_assignment_or_404(
        request.user, campaign_slug, task_slug, topic_number, request.GET.get("assignment")
    )
    require_assessor(assignment)
    return JsonResponse({"documents": documents(assignment, request.GET.getlist("docno"))})


@never_cache
@require_POST
def judgment_submit(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> JsonResponse:
    """A batch from the outbox of a browser: each act has its own outcome. An empty one asks what a growing pool has next."""
    sent = batch_sent(request, ACTS_AT_ONCE)
    if isinstance(sent, JsonResponse):
        return sent
    user = signed_in(request.user)
    assignment = get_own_assignment_or_404(user, campaign_slug, task_slug, topic_number, sent.get("assignment"))
    results = _record(user, assignment, sent["judgments"])
    claims_take(assignment)
    return batch_answer(results, **_counts(assignment))


def _counts(assignment: Assignment) -> dict[str, Any]:
    """What the desk shows after a save. Of a pool that does not grow its documents are counted only, not read."""
    if not assignment.pool.grows:
        kept = own_counts(assignment)
        return {"saved": kept.judged, "total": kept.judged + kept.left}
    own = items(assignment)
    counts = {"saved": sum(item.is_judged for item in own), "total": len(own)}
    return {**counts, "growth": growth_at_the_desk(assignment, own)}


def _record(assessor: User, assignment: Assignment, sent: list[dict[str, Any]]) -> list[dict[str, Any]]:
    forms = [ActForm(act) for act in sent]
    acts = [form.act(_answers(act)) for act, form in zip(sent, forms, strict=True) if form.is_valid()]
    outcomes = iter(judgments_record(assessor=assessor, assignment=assignment, acts=acts))
    results = []
    for act, form in zip(sent, forms, strict=True):
        refusal = next(outcomes).refusal if form.is_valid() else ValidationError(dict(form.errors.as_data()))
        message = " ".join(refusal.messages) if refusal else ""
        results.append({"uuid": act.get("uuid"), "state": "refused" if refusal else "saved", "message": message})
    return results


def _answers(act: dict[str, Any]) -> Answers:
    """The values of the mode's controls."""
    answers = act.get("answers")
    return answers if isinstance(answers, dict) else {}


def _shown(own: list[Item], docno: str, after: str) -> Item | None:
    """The document asked for, or the first one without a judgment; `after` a skipped one if there is any."""
    places = {item.docno: place for place, item in enumerate(own)}
    if docno in places:
        return own[places[docno]]
    start = places.get(after, -1) + 1
    return next((item for item in own[start:] + own[:start] if not item.is_judged), None)


def _judge_plainly(request: HttpRequest, assignment: Assignment) -> HttpResponseRedirect:
    """Without JavaScript the scale is a form. Each of its buttons stores what was written, also where a grade is refused."""
    act, docno = request.POST.get("act", ""), request.POST.get("docno", "")
    undone, shown = None, Item(docno)
    try:
        if act == "undo":  # before what was written is stored, which would be the last act else
            undone = judgment_undo(assessor=assignment.assessor, assignment=assignment)
        shown = next((item for item in items(assignment) if item.docno == docno), shown)
        if act in OTHER_ACTS:
            _keep_plainly(request, assignment, shown, flagged=shown.flagged != (act == "flag"))
        else:
            stated = {"verdict": act or Judgment.GRADED, "note": _sent_note(request), "flagged": shown.flagged}
            _store_plainly(request, assignment, _sent_answers(request), **stated)
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
        with suppress(ValidationError):  # the page tells of the first
            _keep_plainly(request, assignment, shown, flagged=shown.flagged)
        return _to_desk(assignment, docno=docno)
    if act == "undo":
        return _to_desk(assignment, docno=undone.docno if undone else docno)
    return _to_desk(assignment, docno=docno) if act == "flag" else _to_desk(assignment, after=docno)


def _keep_plainly(request: HttpRequest, assignment: Assignment, shown: Item, *, flagged: bool) -> None:
    """Store the note and the answers that were changed on the page, and the flag, beside what counts of the document.

    What the page showed says nothing: an older page must not bring back what was changed or taken back since.
    """
    own = judging_mode(assignment.pool.task.judging_mode).values(shown.details)
    before = tuple(request.POST.get("written", "").split()) or mark_of("", {})
    sent = mark_of(_sent_note(request), _sent_answers(request))
    note = shown.note if sent[:1] == before[:1] else _sent_note(request)
    answers = own if sent[1:] == before[1:] else _sent_answers(request)
    if mark_of(note, answers) != mark_of(shown.note, own) or flagged != shown.flagged:
        counts = {"verdict": shown.verdict or Judgment.DRAFT, "grade": shown.grade, "reason": shown.reason}
        _store_plainly(request, assignment, answers, **counts, note=note, flagged=flagged)


def _store_plainly(request: HttpRequest, assignment: Assignment, answers: Answers, **values: Any) -> None:
    form = ActForm({"uuid": str(uuid4()), **request.POST.dict(), **values})
    if not form.is_valid():
        raise ValidationError(dict(form.errors.as_data()))
    sent = replace(form.act(answers), judged_at=None)
    judgment_record_from_page(assessor=assignment.assessor, assignment=assignment, act=sent)


def _sent_note(request: HttpRequest) -> str:
    """With the ends of lines that the desk's scripts send."""
    return plain_note(request.POST.get("note", ""))


def _sent_answers(request: HttpRequest) -> dict[str, list[str]]:
    return {name: values for name, values in request.POST.lists() if name not in PAGE_FIELDS}


def _to_desk(assignment: Assignment, **query: str) -> HttpResponseRedirect:
    return redirect(f"{desk_url(assignment)}&{urlencode(query)}")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_keys(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    if "usual" in request.POST:
        act_and_tell(request, lambda: desk_keys_update(actor=user, keys={}), "The desk has its usual keys again.")
        return redirect("desk_keys")
    form = DeskKeysForm(request.POST if request.method == "POST" else None, own=user.desk_keys)
    if is_done(form, lambda: desk_keys_update(actor=user, keys=form.own())):
        messages.success(request, "Saved. A desk that is open takes the keys when it is loaded again.")
        return redirect("desk_keys")
    return render(request, "judging/desk_keys.html", {"form": form}, status=status_of(form))
