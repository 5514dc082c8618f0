"""Qrels that were judged elsewhere: sent, checked, looked at, released."""

from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.collection.selectors.imports import task_imports
from campaign.collection.views.import_pages import discard_import, show_import
from campaign.forms import add_errors
from campaign.models import Import
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from judging.forms import ImportForm
from judging.selectors.releases import latest_qrels
from judging.services.imports import qrels_confirm, qrels_receive


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def qrels_import(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    form = ImportForm(*((request.POST, request.FILES) if request.method == "POST" else ()), task=task)
    if form.is_valid():
        file = form.cleaned_data["file"]
        values = {"subtopics": form.cleaned_data.get("subtopics", False), "note": form.cleaned_data["note"]}
        try:
            received = qrels_receive(actor=signed_in(request.user), task=task, file=file, file_name=file.name, **values)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            return redirect(_page(received))
    context = {
        "task": task,
        "form": form,
        "limit": settings.UPLOAD_LIMIT_BYTES,
        "scale": ", ".join(str(grade.value) for grade in task.grades.all()),
        "earlier": task_imports(task, Import.QRELS)[:10],
    }
    return render(request, "judging/qrels_import.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def qrels_import_detail(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> HttpResponse:
    return _show(request, _import(request, campaign_slug, task_slug, import_id), "judging/qrels_import_detail.html")


@login_required
@require_safe
def qrels_import_state(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> HttpResponse:
    return _show(request, _import(request, campaign_slug, task_slug, import_id), "judging/_qrels_import_state.html")


@login_required
@require_POST
def qrels_import_confirm(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> HttpResponse:
    import_ = _import(request, campaign_slug, task_slug, import_id)
    qrels_confirm(actor=signed_in(request.user), import_=import_)
    return redirect(_page(import_))


@login_required
@require_POST
def qrels_import_discard(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> HttpResponse:
    import_ = _import(request, campaign_slug, task_slug, import_id)
    then = import_.task.url("qrels_list")
    return discard_import(request, import_, page=_page(import_), then=then, verdict="No qrels were released.")


def _import(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> Import:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    return get_or_404(task_imports(task, Import.QRELS).select_related("task__campaign", "created_by"), pk=import_id)


def _page(import_: Import) -> str:
    return import_.task.url("qrels_import_detail", import_id=import_.pk)


def _show(request: HttpRequest, import_: Import, template: str) -> HttpResponse:
    return show_import(request, import_, template, qrels=latest_qrels(import_.task))
