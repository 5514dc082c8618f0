"""The pool builder: settings in the address, a preview beside them, and the question before freezing."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from campaign.measures import measure_answers
from campaign.models import Run, Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.selectors.phases import moves_on
from campaign.setup.selectors.schedule import run_window
from campaign.words import number_of
from pooling import selectors
from pooling.forms import PoolForm
from pooling.selectors.pools import latest_pool
from pooling.selectors.previews import PoolPreview
from pooling.selectors.runs import valid_runs
from pooling.services.pools import pool_freeze_request
from pooling.strategies.pool_sizes import PoolSize
from pooling.views.bars import size_bars
from pooling.views.empty import no_run_to_pool
from pooling.words import hours


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_create(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    form, preview = _previewed(task, request)
    if preview is None:
        return render(request, "pooling/pool_create.html", {"task": task, "form": form, "refused": True}, status=422)
    if request.method == "POST" and preview.size:
        return _freeze(request, task, form, preview)
    if "ask" in request.GET and preview.size:
        return render(request, "pooling/pool_freeze.html", _question(task, form, preview))
    return render(request, "pooling/pool_create.html", _context(task, form, preview))


@login_required
@require_safe
def pool_preview(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    form, preview = _previewed(task, request)
    if preview is None:
        return render(request, "pooling/_preview_answer.html", {"task": task, "form": form}, status=422)
    response = render(request, "pooling/_preview_answer.html", _context(task, form, preview))
    response["HX-Replace-Url"] = f"{reverse('pool_create', kwargs=task.address)}?{form.query()}"
    return response


def _previewed(task: Task, request: HttpRequest) -> tuple[PoolForm, PoolPreview | None]:
    form = PoolForm(request.GET, runs=valid_runs(task))
    if not form.is_valid():
        return form, None
    return form, selectors.pool_preview(task, form.spec(), form.cleaned_data["seconds"])


def _context(task: Task, form: PoolForm, preview: PoolPreview) -> dict[str, Any]:
    spec = preview.spec
    return {
        "task": task,
        "form": form,
        "preview": preview,
        "covers": spec.method.covers(spec.parameters),
        "contributes": spec.method.contributes(spec.parameters),
        "comparison": _comparison(form, preview),
        "bars": size_bars(preview.sizes),
        "latest": latest_pool(task),
        "cautions": _cautions(task, preview),
        "nothing": no_run_to_pool(task),
    }


def _comparison(form: PoolForm, preview: PoolPreview) -> list[dict[str, Any]]:
    """The pools of other values of one parameter, each with a link to its preview."""
    parameter = preview.spec.method.compared
    if parameter is None:
        return []
    return [
        {
            "label": f"{parameter.words} {parameter.to_text(size.value)}",
            "query": form.query(**{parameter.name: parameter.to_text(size.value)}),
            "is_chosen": size.value == preview.spec.parameters[parameter.name],
            "figures": _figures(preview, size),
        }
        for size in preview.compared
    ]


def _figures(preview: PoolPreview, size: PoolSize) -> str:
    """8,027 (+120), 1.0 h: pairs, those that no earlier version holds where there is one, and the time for them."""
    new = f" (+{size.new:,})" if preview.known else ""
    return f"{size.pairs:,}{new}, {hours(preview.hours_for(size.new))}"


def _cautions(task: Task, preview: PoolPreview) -> list[str]:
    """Warnings to the organiser; none of them prevents freezing."""
    cautions = []
    unchecked = Run.objects.filter(task=task, state=Run.RECEIVED).count()
    if unchecked:
        cautions.append(f"{number_of(unchecked, 'run')} still being checked: not in this pool.")
    if run_window(task).is_open:
        cautions.append(_runs_to_come(task))
    if preview.spec.method.reads_judgments:
        cautions.append("The strategy reads the judgments: those made until the pool is frozen count.")
    if preview.spec.judging_order.follows_runs:
        cautions.append(
            "In this order assessors see first what the runs rank high, and may notice. Random order keeps them blind."
        )
    cautions += measure_answers().pool_cautions(task, preview.spec.method.reads(preview.spec.parameters))
    if preview.size and preview.topics_without:
        shown = ", ".join(preview.topics_without[:10])
        more = " …" if len(preview.topics_without) > 10 else ""
        cautions.append(f"{number_of(len(preview.topics_without), 'topic')} without a document: {shown}{more}")
    return cautions


def _runs_to_come(task: Task) -> str:
    """Freezing moves the task on, which ends submissions where no deadline does."""
    if run_window(task).deadline is None:
        return "The task still accepts runs until the pool is frozen: later ones are not in this pool."
    return "The task still accepts runs: later ones are not in this pool."


def _question(task: Task, form: PoolForm, preview: PoolPreview) -> dict[str, Any]:
    runs, topics = number_of(len(preview.runs), "run"), number_of(len(preview.sizes.per_topic), "topic")
    seconds = f"{preview.seconds_per_document:g}"
    consequences = [
        f"{number_of(preview.size, 'topic-document pair')} of {runs} and {topics}.",
        f"{hours(preview.hours)} of judging at {seconds} s per document.",
        f"Runs ordered by: {preview.spec.ordering.in_words}.",
        "The pool can never be changed or deleted. A late run needs a new version, of which only new pairs are judged.",
        *_cautions(task, preview),
    ]
    if preview.known:
        new = f"{number_of(preview.new, 'pair')} {'is' if preview.new == 1 else 'are'} new"
        consequences.insert(1, f"{new}; judgments of the other {preview.known:,} are kept.")
    consequences += moves_on(task, Task.JUDGING)
    return {"task": task, "preview": preview, "consequences": consequences, "query": form.query()}


def _freeze(request: HttpRequest, task: Task, form: PoolForm, preview: PoolPreview) -> HttpResponse:
    if request.POST.get("fingerprint") != preview.fingerprint:
        messages.warning(request, "The runs have changed since you looked. This is the pool as it would be now.")
        return redirect(f"{reverse('pool_create', kwargs=task.address)}?{form.query()}")
    pool_freeze_request(actor=signed_in(request.user), task=task, spec=preview.spec)
    return redirect(reverse("pool_list", kwargs=task.address))
