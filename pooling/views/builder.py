"""The pool builder: settings in the address, a preview beside them, and the question before freezing."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from campaign.models import Run, Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.selectors.schedule import run_window
from pooling import selectors
from pooling.forms import PoolForm
from pooling.selectors.pools import latest_pool
from pooling.selectors.previews import PoolPreview
from pooling.selectors.runs import valid_runs
from pooling.services.pools import pool_freeze_request
from pooling.strategies.ordering import ORDERS
from pooling.templatetags.pooling import hours
from pooling.views.bars import size_bars


@login_required
@require_http_methods(["GET", "POST"])
def pool_create(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    form, preview = _previewed(task, request)
    if preview is None:
        return render(request, "pooling/pool_create.html", {"task": task, "form": form}, status=422)
    if request.method == "POST" and preview.size:
        return _freeze(request, task, preview)
    if "ask" in request.GET and preview.size:
        return render(request, "pooling/pool_freeze.html", _question(task, preview, request))
    context = _context(task, form, preview, request)
    return render(request, "pooling/pool_create.html", context)


@login_required
@require_GET
def pool_preview(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    form, preview = _previewed(task, request)
    if preview is None:
        return render(request, "pooling/_preview.html", {"task": task, "form": form}, status=422)
    response = render(request, "pooling/_preview.html", _context(task, form, preview, request))
    response["HX-Replace-Url"] = f"{reverse('pool_create', kwargs=task.address)}?{request.GET.urlencode()}"
    return response


def _previewed(task: Task, request: HttpRequest) -> tuple[PoolForm, PoolPreview | None]:
    form = PoolForm(request.GET, runs=valid_runs(task))
    if not form.is_valid():
        return form, None
    return form, selectors.pool_preview(task, form.spec(), form.cleaned_data["seconds"])


def _context(task: Task, form: PoolForm, preview: PoolPreview, request: HttpRequest) -> dict[str, Any]:
    query = request.GET.copy()
    query.pop("ask", None)
    query.pop("depth", None)
    return {
        "task": task,
        "form": form,
        "preview": preview,
        "covers": preview.spec.method.covers(preview.spec.parameters),
        "bars": size_bars(preview.sizes),
        "latest": latest_pool(task),
        "cautions": _cautions(task, preview),
        "query": query.urlencode(),
    }


def _cautions(task: Task, preview: PoolPreview) -> list[str]:
    """What an organiser may have overlooked; none of it forbids to freeze."""
    cautions = []
    unchecked = Run.objects.filter(task=task, state=Run.RECEIVED).count()
    if unchecked:
        cautions.append(f"{_counted(unchecked, 'run')} still being checked: not in this pool.")
    if run_window(task).is_open:
        cautions.append("The task still accepts runs: later ones are not in this pool.")
    if ORDERS[preview.spec.order].follows_runs:
        cautions.append(
            "In this order assessors see what the runs favour before the rest, and can tell. Random keeps them blind."
        )
    if preview.size and preview.topics_without:
        shown = ", ".join(preview.topics_without[:10])
        more = " …" if len(preview.topics_without) > 10 else ""
        cautions.append(f"{_counted(len(preview.topics_without), 'topic')} without a document: {shown}{more}")
    return cautions


def _question(task: Task, preview: PoolPreview, request: HttpRequest) -> dict[str, Any]:
    query = request.GET.copy()
    query.pop("ask", None)
    runs, topics = _counted(len(preview.runs), "run"), _counted(len(preview.sizes.per_topic), "topic")
    seconds = f"{preview.seconds_per_document:g}"
    consequences = [
        f"{_counted(preview.size, 'topic-document pair')} of {runs} and {topics}.",
        f"{hours(preview.hours)} of judging at {seconds} s per document.",
        "The pool can never be changed or deleted. A late run needs a new version, of which only new pairs are judged.",
        *_cautions(task, preview),
    ]
    if preview.known:
        consequences.insert(
            1, f"{_counted(preview.new, 'pair')} are new; judgments of the other {preview.known:,} are kept."
        )
    if not task.is_past(Task.POOL):
        consequences.append("The task moves on to judging.")
    return {"task": task, "preview": preview, "consequences": consequences, "query": query.urlencode()}


def _freeze(request: HttpRequest, task: Task, preview: PoolPreview) -> HttpResponse:
    if request.POST.get("fingerprint") != preview.fingerprint:
        messages.warning(request, "The runs have changed since you looked. This is the pool as it would be now.")
        return redirect(f"{reverse('pool_create', kwargs=task.address)}?{request.GET.urlencode()}")
    pool_freeze_request(actor=signed_in(request.user), task=task, spec=preview.spec)
    return redirect(reverse("pool_list", kwargs=task.address))


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
