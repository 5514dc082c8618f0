"""The pages of every kind of import: send a file, watch its check, confirm or discard it.

The URL patterns give these views `pages_by_kind`: what differs between the kinds of imports that they serve.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.collection.forms import ImportForm
from campaign.collection.selectors.imports import import_progress, sent_with, task_imports
from campaign.collection.services import imports, repairs
from campaign.collection.views.import_pages import ImportPages
from campaign.models import Import, Task
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.text.plurals import number_of
from campaign.web.forms import result_of, status_of

PagesByKind = Mapping[str, ImportPages]
EARLIER_SHOWN = 10
FORMATS = {
    "trec": "TREC markup",
    "xml": "XML",
    "tsv": "tab-separated",
    "csv": "CSV",
    "labels": "parts with labels",
    "smart": "SMART",
    "medline": "PubMed's text",
    "jsonl": "JSON",
    "docnos": "list of document numbers",
    "pool": "topics and documents",
    "sampled pool": "a sample, with strata and probabilities",
    "qrels stratum": "qrels of a sample: the fourth column was read as the stratum, the fifth as the grade",
    "qrels probability": "qrels of a sample: the fourth column was read as the grade, the fifth as the probability",
    "qrels prels": "qrels of a sample: the third column was read as the grade, the fifth as the probability",
    "qrels triples": "qrels without a second column: the third column was read as the grade",
    "": "not recognised",
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_create(
    request: HttpRequest, campaign_slug: str, task_slug: str, pages_by_kind: PagesByKind, kind: str
) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if kind not in pages_by_kind:
        raise Http404
    pages = pages_by_kind[kind]
    form = pages.form(*((request.POST, request.FILES) if request.method == "POST" else ()), task=task)
    if import_ := result_of(
        form,
        lambda: imports.import_receive(
            actor=signed_in(request.user), task=task, kind=kind, jobs=pages.jobs, **form.upload()
        ),
    ):
        return redirect(pages.urls(import_)["detail"])
    return _create_page(request, task, pages, form)


def _create_page(request: HttpRequest, task: Task, pages: ImportPages, form: ImportForm) -> HttpResponse:
    earlier = task_imports(task, pages.kind)[:EARLIER_SHOWN]
    context = {
        "task": task,
        "kind": pages.kind,
        "form": form,
        "cancel_url": pages.cancel_url(task),
        "earlier": [{"import": import_, "url": pages.urls(import_)["detail"]} for import_ in earlier],
        **pages.context(task),
    }
    return render(request, pages.create_template, context, status=status_of(form))


@login_required
@require_safe
def import_detail(
    request: HttpRequest, campaign_slug: str, task_slug: str, pages_by_kind: PagesByKind, import_id: UUID
) -> HttpResponse:
    import_ = _import(request, campaign_slug, task_slug, pages_by_kind, import_id)
    pages = pages_by_kind[import_.kind]
    return _show(request, import_, pages, pages.detail_template)


@login_required
@require_safe
def import_state(
    request: HttpRequest, campaign_slug: str, task_slug: str, pages_by_kind: PagesByKind, import_id: UUID
) -> HttpResponse:
    import_ = _import(request, campaign_slug, task_slug, pages_by_kind, import_id)
    response = _show(request, import_, pages_by_kind[import_.kind], "campaign/collection/_import_state.html")
    if import_.state == Import.DONE:  # the phase bar and the next step change with it
        response["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def import_confirm(
    request: HttpRequest, campaign_slug: str, task_slug: str, pages_by_kind: PagesByKind, import_id: UUID
) -> HttpResponse:
    import_ = _import(request, campaign_slug, task_slug, pages_by_kind, import_id)
    pages = pages_by_kind[import_.kind]
    try:
        imports.import_confirm(actor=signed_in(request.user), import_=import_, jobs=pages.jobs)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
    return redirect(_url_after(import_, pages))


@login_required
@require_POST
def import_discard(
    request: HttpRequest, campaign_slug: str, task_slug: str, pages_by_kind: PagesByKind, import_id: UUID
) -> HttpResponse:
    import_ = _import(request, campaign_slug, task_slug, pages_by_kind, import_id)
    pages = pages_by_kind[import_.kind]
    try:
        imports.import_discard(actor=signed_in(request.user), import_=import_)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
        return redirect(pages.urls(import_)["detail"])
    messages.success(request, f"{import_.file_name} was discarded. {pages.nothing}")
    return redirect(pages.url_after_discarding(import_.task))


@login_required
@require_POST
def import_repair(
    request: HttpRequest, campaign_slug: str, task_slug: str, pages_by_kind: PagesByKind, import_id: UUID
) -> HttpResponse:
    import_ = _import(request, campaign_slug, task_slug, pages_by_kind, import_id)
    pages = pages_by_kind[import_.kind]
    named = [repair for repair in _repairs(import_, pages) if repair.name == request.POST.get("repair")]
    if not named:
        messages.error(request, "Not done: the file or the task has changed meanwhile. Look at what is found now.")
    for repair in named:
        actor, is_confirmed = signed_in(request.user), "confirmed" in request.POST
        try:
            repairs.import_repair(
                actor=actor, import_=import_, repair=repair, jobs=pages.jobs, is_confirmed=is_confirmed
            )
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
    return redirect(_url_after(import_, pages))


def _url_after(import_: Import, pages: ImportPages) -> str:
    return together_url(import_) or pages.urls(import_)["detail"]


def together_url(import_: Import) -> str:
    """The page of the files that were sent together with this one; empty where it came alone."""
    others = [one for one in sent_with(import_) if one.state != Import.DISCARDED]
    query = QueryDict(mutable=True)
    query.setlist("file", [str(one.pk) for one in (*others, import_)])
    return f"{import_.task.url('imports_together')}?{query.urlencode()}" if others else ""


def _repairs(import_: Import, pages: ImportPages) -> Sequence[repairs.Repair]:
    is_checked = import_.state in (Import.READY, Import.BAD)
    return pages.repairs(import_) if pages.repairs and is_checked else ()


def _import(
    request: HttpRequest, campaign_slug: str, task_slug: str, pages_by_kind: PagesByKind, import_id: UUID
) -> Import:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    of_these_kinds = Import.objects.filter(task=task, kind__in=pages_by_kind).select_related(
        "task__campaign", "created_by"
    )
    return get_or_404(of_these_kinds, pk=import_id)


def _show(request: HttpRequest, import_: Import, pages: ImportPages, template: str) -> HttpResponse:
    return render(request, template, {**state_of(import_, pages), **pages.context(import_.task)})


def state_of(import_: Import, pages: ImportPages) -> dict[str, Any]:
    """What the templates of an import show of its state."""
    progress = import_progress(import_)
    choices = pages.form(task=import_.task).choices(import_.options) if import_.state == Import.BAD else []
    return {
        "task": import_.task,
        "import": import_,
        "pages": pages,
        "urls": pages.urls(import_),
        "records": number_of(import_.records, _noun(import_, pages)),
        "format": FORMATS.get(import_.format, import_.format),
        "job": progress.job,
        "unfinished": progress.is_unfinished,
        "stuck": progress.is_stuck,
        "repairs": _repairs(import_, pages),
        "together_url": together_url(import_),
        "choices": choices,
        "choices_in_words": [words for _, _, words in choices if words],
    }


def _noun(import_: Import, pages: ImportPages) -> str:
    """A list of docnos holds no documents."""
    return "document number" if import_.options.get("docnos_only") else pages.noun
