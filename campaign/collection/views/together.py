"""Topics, documents and qrels in one go: the files on one page, one check, one confirmation."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.collection.forms import ImportForm
from campaign.collection.selectors.imports import TOGETHER, sent_with
from campaign.collection.services import imports
from campaign.collection.views.imports import PagesByKind, state_of
from campaign.models import Import, Task, User
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.text.plurals import listed
from campaign.web.forms import add_errors

NONE_CHOSEN = "Choose a file of topics, of documents or of qrels, or several of them."


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def files_import(request: HttpRequest, campaign_slug: str, task_slug: str, pages_by_kind: PagesByKind) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    forms = _forms(request, task, pages_by_kind)
    valid = [form.is_valid() for form in forms]  # each says its errors
    refused = request.method == "POST" and not all(valid)
    if request.method == "POST" and not refused:
        sent = [form for form in forms if form.cleaned_data.get("file")]
        received = _received(signed_in(request.user), task, sent)
        if received:
            query = QueryDict(mutable=True)
            query.setlist("file", [str(import_.pk) for import_ in received])
            return redirect(f"{task.url('imports_together')}?{query.urlencode()}")
        if not sent:
            forms[0].add_error("file", NONE_CHOSEN)
        refused = True
    alone = {kind: pages.create_url(task) for kind, pages in pages_by_kind.items()}
    context = {"task": task, "forms": forms, "refused": refused, "alone": alone}
    return render(request, "campaign/collection/files_import.html", context, status=422 if refused else 200)


def _forms(request: HttpRequest, task: Task, pages_by_kind: PagesByKind) -> list[ImportForm]:
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    forms = [pages.form(*sent, task=task, prefix=kind) for kind, pages in pages_by_kind.items()]
    for form in forms:
        form.fields = {"file": form.fields["file"]}  # its options are on the page of one file
        form.fields["file"].required = False
        form.fields["file"].label = form.kind.capitalize()
    return forms


def _received(actor: User, task: Task, sent: Sequence[ImportForm]) -> list[Import]:
    """All of the files, or none and an error at the form of the one that was refused.

    Qrels rest on topics and documents: with these they are imported together or not at all.
    """
    taken_in = []
    try:
        for refusing in sent:
            upload = refusing.upload()
            taken_in.append(imports.import_take_in(actor=actor, task=task, kind=refusing.kind, **upload))
        leads = next((one for one in taken_in if one.kind == Import.QRELS), None)
        for one in taken_in:
            if leads is not None and one is not leads:
                one.options[TOGETHER] = str(leads.pk)
        with transaction.atomic():
            for refusing, import_ in zip(sent, taken_in, strict=True):
                imports.import_add(actor=actor, import_=import_, jobs=imports.jobs_of(refusing.kind))
        return taken_in
    except ValidationError as problem:
        add_errors(refusing, problem)
        return []


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def imports_together(
    request: HttpRequest, campaign_slug: str, task_slug: str, pages_by_kind: PagesByKind
) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    found = _imports(request, task, pages_by_kind)
    if request.method == "POST" and "discard" in request.GET:
        return _discard(request, task, found)
    if request.method == "POST":
        try:
            for import_ in filter(_waits, found):
                actor, jobs = signed_in(request.user), imports.jobs_of(import_.kind)
                imports.import_confirm(actor=actor, import_=import_, jobs=jobs)
        except ValidationError as problem:  # another file of these became invalid meanwhile
            messages.error(request, problem.messages[0])
        return redirect(request.get_full_path())
    states = [state_of(import_, pages_by_kind[import_.kind]) for import_ in found]
    asked = [state for state in states if state["import"].state in (Import.READY, Import.BAD)]
    waiting = [_records(state) for state in states if _waits(state["import"])]
    are_joined = any(sent_with(import_) for import_ in found)
    waiting = [] if are_joined and len(waiting) < len(asked) else waiting
    unfinished = any(state["unfinished"] for state in states)
    is_done = not unfinished and any(import_.state == Import.DONE for import_ in found)
    context: dict[str, Any] = {
        "task": task,
        "states": states,
        "unfinished": unfinished,
        "verb": f"Import {listed(waiting)}" if waiting and not unfinished else "",
        "asked": asked,
        "are_joined": are_joined,
        "moves_on": _moves_on(task, found, pages_by_kind),
        "is_partly_done": any(import_.state == Import.DONE for import_ in found),
        "discard": f"{request.get_full_path()}&discard=1",
        "is_done": is_done and not waiting,
        "address": request.get_full_path(),
    }
    template = "_imports_together.html" if request.htmx else "imports_together.html"  # type: ignore[attr-defined]
    response = render(request, f"campaign/collection/{template}", context)
    if request.htmx and is_done:  # type: ignore[attr-defined]
        response["HX-Refresh"] = "true"  # the phase bar and the next step change with it
    return response


def _imports(request: HttpRequest, task: Task, pages_by_kind: PagesByKind) -> list[Import]:
    try:
        keys = [UUID(key) for key in request.GET.getlist("file")[: len(pages_by_kind)]]
    except ValueError as problem:
        raise Http404 from problem
    of_task = Import.objects.filter(task=task, kind__in=pages_by_kind, pk__in=keys)
    found = {import_.pk: import_ for import_ in of_task.select_related("task__campaign", "created_by")}
    if not found:
        raise Http404
    return [found[key] for key in dict.fromkeys(keys) if key in found]


def _moves_on(task: Task, found: Sequence[Import], pages_by_kind: PagesByKind) -> list[str]:
    """As the page of one file says it: the kinds of later apps know what follows from them."""
    kinds = {one.kind for one in found if _waits(one)}
    return [line for kind in sorted(kinds) for line in pages_by_kind[kind].context(task).get("moves_on", [])]


def _records(state: dict[str, Any]) -> str:
    return f"{state['records']} of qrels" if state["import"].kind == Import.QRELS else str(state["records"])


def _waits(import_: Import) -> bool:
    return import_.state == Import.READY and import_.found.get("new") != 0


def _discard(request: HttpRequest, task: Task, found: Sequence[Import]) -> HttpResponse:
    for import_ in found:
        import_.refresh_from_db(fields=["state"])  # with one, those that were sent together with it
        if import_.state not in (Import.READY, Import.BAD):
            continue
        try:
            imports.import_discard(actor=signed_in(request.user), import_=import_)
        except ValidationError as problem:  # confirmed a moment ago
            messages.error(request, f"{import_.file_name}: {problem.messages[0]}")
        else:
            messages.success(request, f"{import_.file_name} was discarded. Nothing of it was imported.")
    return redirect(task.url("files_import"))
