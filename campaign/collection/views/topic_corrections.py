"""Pages on which organisers correct a topic, or decide whether it counts."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.collection.forms import CorrectionForm, Entry, ScoringForm
from campaign.collection.selectors.corrections import texts_are_settled
from campaign.collection.selectors.topics import DELETE, PUT_BACK, REMOVE, removal_consequences
from campaign.collection.selectors.versions import topic_version
from campaign.collection.services import topic_corrections as services
from campaign.collection.views.correcting import is_saved, status_of_correction
from campaign.measures import measure_answers
from campaign.models import Task, Topic, User
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.text import limits
from campaign.web.forms import add_errors

SUBTOPIC = "subtopic-"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def topic_edit(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    task, topic = _topic(request, campaign_slug, task_slug, topic_number)
    settled = texts_are_settled(task)
    entries, seen = _stored(topic)
    form = CorrectionForm(request.POST or None, entries=entries, seen=seen, settled=settled)
    if form.is_valid():
        save = partial(services.topic_correct, actor=signed_in(request.user), topic=topic, fields=_fields(topic, form))
        if is_saved(form, save, partial(_stored, topic), topic):
            messages.success(request, f"Topic {topic.number} is corrected.")
            return redirect(task.url("topic_detail", topic_number=topic.number))
    context = {"task": task, "topic": topic, "form": form, "settled": settled}
    return render(request, "campaign/collection/topic_edit.html", context, status=status_of_correction(form))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def topic_scoring(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    """Take a topic out of scoring or put it back; one that nothing depends on is deleted."""
    task, topic = _topic(request, campaign_slug, task_slug, topic_number)
    act = PUT_BACK if topic.removed_at else REMOVE if texts_are_settled(task) else DELETE
    form = ScoringForm(request.POST or None, act=act)
    if form.is_valid():
        try:
            said = _carry_out(signed_in(request.user), topic, form)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            messages.success(request, f"Topic {topic.number} is {said}.")
            return redirect(task.url("topic_list"))
    has_scores = measure_answers().has_scores(task)
    consequences = removal_consequences(topic, act, has_scores=has_scores)
    context = {"task": task, "topic": topic, "form": form, "act": act, "consequences": consequences}
    status = 422 if form.errors else 200
    return render(request, "campaign/collection/topic_scoring.html", context, status=status)


def _carry_out(actor: User, topic: Topic, form: ScoringForm) -> str:
    """Return what was done."""
    if form.possible == DELETE:
        services.topic_delete(actor=actor, topic=topic)
        return "deleted"
    why = {name: form.cleaned_data[name] for name in ("reason", "note")}
    if form.possible == PUT_BACK:
        services.topic_put_back(actor=actor, topic=topic, **why)
        return "back in scoring"
    services.topic_remove_from_scoring(actor=actor, topic=topic, **why)
    return "removed from scoring"


def _topic(request: HttpRequest, campaign_slug: str, task_slug: str, number: str) -> tuple[Task, Topic]:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    return task, get_or_404(task.topics.prefetch_related("subtopics"), number=number)


def _stored(topic: Topic) -> tuple[list[Entry], str]:
    now = Topic.objects.prefetch_related("subtopics").get(pk=topic.pk)
    part, subtopic = limits.PART_OF_TOPIC, limits.SUBTOPIC
    entries = [
        Entry("title", "Title", now.title, limits.TITLE_OF_TOPIC, required=True),
        Entry("description", "Description", now.description, part, rows=4),
        Entry("narrative", "Narrative", now.narrative, part, rows=6),
    ]
    entries += [
        Entry(f"{SUBTOPIC}{place}", f"Subtopic {one.number}", one.text, subtopic, rows=2, required=True)
        for place, one in enumerate(now.subtopics.all(), start=1)
    ]
    return entries, topic_version(now)


def _fields(topic: Topic, form: CorrectionForm) -> dict[str, Any]:
    """As the service takes them."""
    texts = form.texts()
    subtopics = {
        one.number: texts.pop(f"{SUBTOPIC}{place}") for place, one in enumerate(topic.subtopics.all(), start=1)
    }
    return {**texts, "subtopics": subtopics}
