from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.collection.forms import IMPORT_FORMS
from campaign.collection.selectors.imports import task_imports
from campaign.collection.services.imports import import_confirm as confirm
from campaign.collection.services.imports import import_receive
from campaign.collection.views.import_pages import discard_import, show_import
from campaign.forms import add_errors
from campaign.models import Import
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_create(request: HttpRequest, campaign_slug: str, task_slug: str, kind: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if kind not in IMPORT_FORMS:
        raise Http404
    form = IMPORT_FORMS[kind](*((request.POST, request.FILES) if request.method == "POST" else ()), task=task)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            received = import_receive(
                actor=signed_in(request.user),
                task=task,
                kind=kind,
                file=file,
                file_name=file.name,
                options=form.options(),
            )
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            return redirect(_page(received))
    context = {
        "task": task,
        "kind": kind,
        "form": form,
        "limit": form.limit,
        "earlier": task_imports(task, kind)[:10],
    }
    return render(request, "campaign/collection/import_create.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def import_detail(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> HttpResponse:
    return _show(
        request, _import(request, campaign_slug, task_slug, import_id), "campaign/collection/import_detail.html"
    )


@login_required
@require_safe
def import_state(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> HttpResponse:
    return _show(
        request, _import(request, campaign_slug, task_slug, import_id), "campaign/collection/_import_state.html"
    )


@login_required
@require_POST
def import_confirm(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> HttpResponse:
    import_ = _import(request, campaign_slug, task_slug, import_id)
    confirm(actor=signed_in(request.user), import_=import_)
    return redirect(_page(import_))


@login_required
@require_POST
def import_discard(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> HttpResponse:
    import_ = _import(request, campaign_slug, task_slug, import_id)
    then = import_.task.url("import_create", kind=import_.kind)
    return discard_import(request, import_, page=_page(import_), then=then, verdict="Nothing was imported.")


def _import(request: HttpRequest, campaign_slug: str, task_slug: str, import_id: UUID) -> Import:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    mine = Import.objects.filter(task=task, kind__in=IMPORT_FORMS).select_related("task__campaign", "created_by")
    return get_or_404(mine, pk=import_id)


def _page(import_: Import) -> str:
    return import_.task.url("import_detail", import_id=import_.pk)


def _show(request: HttpRequest, import_: Import, template: str) -> HttpResponse:
    return show_import(request, import_, template, noun=import_.kind.removesuffix("s"))
