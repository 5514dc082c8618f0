"""The queue of disagreements, and the page on which one of them is decided."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Task, Topic, User
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.text import limits
from judging.adjudication.selectors.disagreements import SHOW, Disagreement, Dispute, disagreements, dispute
from judging.adjudication.services import adjudication_record, adjudication_withdraw
from judging.agreement.selectors import task_agreement
from judging.core.keyboard_shortcuts import command_keys
from judging.core.modes.grades import tones
from judging.forms import BrowserTextField, GradeField

ROWS_ON_A_PAGE = 50
DOES = {
    "cannot_judge": "decide: cannot be judged",
    "skip": "decide later: the next disagreement",
    "undo": "take the decision back",
    "note": "write why (Esc leaves it)",
}
"""Each key means here what it means at the desk."""


class DecisionForm(forms.Form):
    uuid = forms.UUIDField()
    grade = GradeField(required=False)
    note = BrowserTextField(required=False, max_length=limits.JUDGMENT_NOTE)
    previous = forms.UUIDField(required=False)


@login_required
@require_safe
def adjudication_queue(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    show = request.GET.get("show", "open")
    show = show if show in SHOW else "open"
    topic = request.GET.get("topic", "")
    everything = disagreements(task)
    open_ones = sum(one.decided is None for one in everything)
    context = {
        "task": task,
        "show": show,
        "choices": SHOW,
        "topic": topic,
        "page": Paginator(disagreements(task, show, topic), ROWS_ON_A_PAGE).get_page(request.GET.get("page")),
        "graded_twice": 0 if everything else task_agreement(task).report.whole.documents,
        "counts": {"all": len(everything), "open": open_ones, "decided": len(everything) - open_ones},
    }
    return render(request, "judging/adjudication_queue.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str, docno: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    topic = get_or_404(task.topics.all(), number=topic_number)
    found = dispute(task, topic, docno)
    if found is None:
        raise Http404("This document was not judged by two assessors.")
    if request.method == "POST":
        return _decide(request, task, topic, found)
    return render(request, "judging/adjudicate.html", _page(task, found, signed_in(request.user)))


def _page(task: Task, found: Dispute, reader: User) -> dict[str, Any]:
    grades, left = list(task.grades.order_by("value")), disagreements(task, "open")
    labels: dict[int | None, str] = {grade.value: grade.label for grade in grades}
    keys = command_keys({grade.key for grade in grades if grade.key}, reader.desk_keys)
    by_grade = [
        {"key": grade.key, "does": f"decide: grade {grade.value} {grade.label}"} for grade in grades if grade.key
    ]
    return {
        "task": task,
        "dispute": found,
        "votes": [
            {"letter": _letter(place), "vote": vote, "label": labels.get(vote.grade, "")}
            for place, vote in enumerate(found.votes)
        ],
        "is_own": any(vote.assessor_id == reader.pk for vote in found.votes),
        "grades": [
            {"step": grade, "tone": tone}
            for grade, tone in zip(grades, tones([grade.value for grade in grades]), strict=True)
        ],
        "decision_label": labels.get(found.decision.grade, "") if found.decision else "",
        "keys": keys,
        "shortcuts": by_grade + [{"key": keys[name], "does": does} for name, does in DOES.items() if keys[name]],
        "uuid": uuid4(),
        "left": len(left),
        "following": _following(task, left, found),
    }


def _following(task: Task, left: Sequence[Disagreement], found: Dispute) -> str:
    """The address of the one to decide after this, the first again after the last; "" where this is the only one."""
    places = [(one.topic, one.docno) for one in left]
    here = (found.topic.number, found.docno)
    others = [place for place in places if place != here]
    if not others:
        return ""
    after = places[places.index(here) + 1 :] if here in places else others
    return adjudicate_url(task, *(after or others)[0])


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def _decide(request: HttpRequest, task: Task, topic: Topic, found: Dispute) -> HttpResponse:
    act, form = request.POST.get("act", ""), DecisionForm(request.POST)
    actor = signed_in(request.user)
    try:
        if not form.is_valid():
            raise ValidationError(dict(form.errors.as_data()))
        sent = form.cleaned_data
        if act == "withdraw":
            adjudication_withdraw(
                actor=actor,
                task=task,
                topic=topic,
                docno=found.docno,
                uuid=sent["uuid"],
                previous=sent["previous"],
            )
            messages.success(request, f"The decision about {found.docno} is taken back.")
            here = adjudicate_url(task, topic.number, found.docno)
            return redirect(here if found.is_judged_twice else task.url("adjudication_queue"))
        if sent["grade"] is None and act != "cannot_judge":
            raise ValidationError("Choose a grade, or that the document cannot be judged.")
        adjudication_record(
            actor=actor,
            task=task,
            topic=topic,
            docno=found.docno,
            uuid=sent["uuid"],
            grade=None if act == "cannot_judge" else sent["grade"],
            note=sent["note"],
            seen=_uuids(request.POST.getlist("seen")),
            previous=sent["previous"],
        )
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
        return redirect(adjudicate_url(task, topic.number, found.docno))
    messages.success(request, f"Decided about {found.docno} of topic {topic.number}.")
    return redirect(_next(task))


def _uuids(sent: list[str]) -> list[UUID]:
    try:
        return [UUID(one) for one in sent]
    except ValueError:
        return []


def adjudicate_url(task: Task, topic_number: str, docno: str) -> str:
    return task.url("adjudicate", topic_number=topic_number, docno=docno)


def _next(task: Task) -> str:
    first = next(iter(disagreements(task, "open")), None)
    return task.url("adjudication_queue") if first is None else adjudicate_url(task, first.topic, first.docno)
