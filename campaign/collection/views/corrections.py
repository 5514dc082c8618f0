"""Pages on which organisers correct topics and documents, or decide whether a topic counts; the list of what was corrected."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.collection.forms import CorrectionForm, Entry, ScoringForm
from campaign.collection.selectors.corrections import errata_of, texts_are_settled
from campaign.collection.selectors.documents import may_read_documents, tasks_with
from campaign.collection.selectors.errata import errata_shown
from campaign.collection.selectors.topics import DELETE, PUT_BACK, REMOVE, removal_consequences
from campaign.collection.selectors.versions import text_version, topic_version
from campaign.collection.services import topic_corrections as services
from campaign.collection.services.corrections import ChangedMeanwhileError
from campaign.collection.services.document_corrections import document_correct
from campaign.log.audit import last_editor
from campaign.measures import measure_answers
from campaign.models import Document, Task, Topic, User
from campaign.permissions import get_or_404, get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from campaign.text import limits
from campaign.web.forms import add_errors, numbers_in, result_of

SUBTOPIC = "subtopic-"
ERRATA_ON_A_PAGE = 20
LARGEST_NUMBER = 2**31 - 1
Stored = Callable[[], tuple[Sequence[Entry], str]]
"""Reads the texts as they are now, and their SHA-256."""


def is_saved(form: CorrectionForm, save: Callable[..., object], stored: Stored, on: Model) -> bool:
    """Save what a valid form holds by a service; where somebody else was faster or it is refused, the form says so."""
    try:
        save(**form.why())
    except ChangedMeanwhileError:
        entries, seen = stored()
        form.meet(entries, seen, last_editor(on))
        return False
    except ValidationError as problem:
        add_errors(form, problem)
        return False
    return True


def status_of_correction(form: CorrectionForm) -> int:
    if form.met:
        return 409
    return 422 if form.errors else 200


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def topic_edit(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    task, topic = _organised_topic(request, campaign_slug, task_slug, topic_number)
    settled = texts_are_settled(task)
    entries, seen = _stored_topic(topic)
    form = CorrectionForm(request.POST or None, entries=entries, seen=seen, settled=settled)
    if form.is_valid():
        save = partial(services.topic_correct, actor=signed_in(request.user), topic=topic, fields=_fields(topic, form))
        if is_saved(form, save, partial(_stored_topic, topic), topic):
            messages.success(request, f"Topic {topic.number} is corrected.")
            return redirect(task.url("topic_detail", topic_number=topic.number))
    context = {"task": task, "topic": topic, "form": form, "settled": settled}
    return render(request, "campaign/collection/topic_edit.html", context, status=status_of_correction(form))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def topic_scoring(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    """Take a topic out of scoring or put it back; one that nothing depends on is deleted."""
    task, topic = _organised_topic(request, campaign_slug, task_slug, topic_number)
    act = PUT_BACK if topic.removed_at else REMOVE if texts_are_settled(task) else DELETE
    form = ScoringForm(request.POST or None, act=act)
    if said := result_of(form, lambda: _carry_out(signed_in(request.user), topic, form)):
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


def _organised_topic(request: HttpRequest, campaign_slug: str, task_slug: str, number: str) -> tuple[Task, Topic]:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    return task, get_or_404(task.topics.prefetch_related("subtopics"), number=number)


def _stored_topic(topic: Topic) -> tuple[list[Entry], str]:
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


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def document_edit(request: HttpRequest, campaign_slug: str, task_slug: str, docno: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    documents = Document.objects.filter(collection=task.collection_id, has_text=True)
    document = get_or_404(documents, docno=docno)
    sharing = tasks_with(document)
    settled = any(map(texts_are_settled, sharing))
    context = {"task": task, "document": document, "settled": settled, "sharing": sharing}
    if len(document.text) > limits.EDITED_ON_A_PAGE:
        return render(request, "campaign/collection/document_edit.html", {**context, "limit": limits.EDITED_ON_A_PAGE})
    entries, seen = _stored_document(document)
    form = CorrectionForm(request.POST or None, entries=entries, seen=seen, settled=settled)
    if form.is_valid():
        save = partial(document_correct, actor=signed_in(request.user), document=document, fields=form.texts())
        if is_saved(form, save, partial(_stored_document, document), document):
            messages.success(request, f"Document {docno} is corrected.")
            return redirect(task.url("document_detail", docno=docno))
    status = status_of_correction(form)
    return render(request, "campaign/collection/document_edit.html", {**context, "form": form}, status=status)


def _stored_document(document: Document) -> tuple[list[Entry], str]:
    now = Document.objects.get(pk=document.pk)
    entries = [
        Entry("title", "Title", now.title, limits.TITLE_OF_DOCUMENT),
        Entry("text", "Text", now.text, limits.EDITED_ON_A_PAGE, rows=20),
    ]
    return entries, text_version(now.title, now.text)


@require_safe
def errata(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The newest first; `?upto=3`: from erratum 3 back, for links to one of many."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    found, upto = errata_of(task).select_related("by"), numbers_in([request.GET.get("upto", "")])
    page = Paginator(
        found.filter(number__lte=min(upto[0], LARGEST_NUMBER)) if upto else found, ERRATA_ON_A_PAGE
    ).get_page(request.GET.get("page"))
    organises = is_organiser(request.user, task.campaign)
    reads = may_read_documents(request.user, task.campaign)
    shown = errata_shown(task, page, reads_documents=reads, organises=organises)
    context = {"task": task, "page": page, "errata": shown, "organises": organises, "upto": upto}
    return render(request, "campaign/collection/errata.html", context)
