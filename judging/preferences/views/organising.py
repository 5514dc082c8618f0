"""The organiser's pages: who compares which topics, how well the answers go together, and the released orders."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaign.models import Task
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.storage.reading import open_verified
from campaign.text.natural_order import natural_order
from campaign.text.plurals import number_of
from campaign.web.forms import result_of
from judging.models import PreferenceAssignment
from judging.permissions import get_preference_order_or_404, key_of
from judging.preferences.exports import manifest
from judging.preferences.forms import BeginForm, OrderForm
from judging.preferences.selectors import candidates, compared_qrels, order_levels, orders_of, standings_of
from judging.preferences.services import preference_order_release, preferences_start, preferences_take_back
from judging.qrels.selectors.releases import latest_qrels


@login_required
@require_safe
def preferences(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    return _show(request, task)


def _show(
    request: HttpRequest,
    task: Task,
    begin: BeginForm | None = None,
    release: OrderForm | None = None,
    status: int = 200,
) -> HttpResponse:
    newest, compared = latest_qrels(task), compared_qrels(task)
    topics = candidates(newest) if newest else []
    rows = standings_of(compared) if compared else []
    context = {
        "task": task,
        "newest": newest,
        "compared": compared,
        "rows": rows,
        "done": sum(row.state.is_finished for row in rows),
        "topics": topics,
        "begin": begin or BeginForm(task=task, topics=topics),
        "release": release or OrderForm(),
        "orders": orders_of(task),
    }
    return render(request, "judging/preferences/preferences.html", context, status=status)


@login_required
@require_POST
def preferences_begin(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    qrels = latest_qrels(task)
    if qrels is None:
        messages.error(request, "There are no qrels yet: release or import them first.")
        return redirect(task.url("preferences"))
    form = BeginForm(request.POST, task=task, topics=candidates(qrels))
    created = result_of(
        form, lambda: preferences_start(actor=signed_in(request.user), qrels=qrels, **form.cleaned_data)
    )
    if created is not None:
        messages.success(request, f"{number_of(len(created), 'topic')} of {qrels} can be compared now.")
        return redirect(task.url("preferences"))
    return _show(request, task, begin=form, status=422)


@login_required
@require_POST
def preferences_remove(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    rows = PreferenceAssignment.objects.filter(qrels__task=task).select_related("qrels__task__campaign", "topic")
    assignment = get_or_404(rows, pk=key_of(request.POST.get("remove", "")))
    try:
        preferences_take_back(actor=signed_in(request.user), assignment=assignment)
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
    else:
        messages.success(request, f"Topic {assignment.topic.number} is taken back from {assignment.assessor}.")
    return redirect(task.url("preferences"))


@login_required
@require_POST
def preferences_release(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    qrels, form = compared_qrels(task), OrderForm(request.POST)
    if qrels is None:
        messages.error(request, "Nothing is compared yet: there is no order to release.")
        return redirect(task.url("preferences"))
    actor = signed_in(request.user)
    if order := result_of(
        form, lambda: preference_order_release(actor=actor, task=task, qrels=qrels, **form.cleaned_data)
    ):
        messages.success(request, f"{order} is released.")
        return redirect(order)
    return _show(request, task, release=form, status=422)


@login_required
@require_safe
def preference_order(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    order = get_preference_order_or_404(request.user, task, version)
    levels = order_levels(order)
    topics = sorted(order.topics, key=lambda facts: natural_order(facts["topic"]))
    rows = [{"facts": facts, "levels": levels[facts["topic"]]} for facts in topics]
    return render(request, "judging/preferences/order.html", {"task": task, "order": order, "rows": rows})


@login_required
@require_safe
def preference_order_download(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> FileResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    order = get_preference_order_or_404(request.user, task, version)
    content = open_verified(str(order.file.name), found_by="a download of preferences")
    name = f"{task.campaign.slug}-{task.slug}-preferences-v{version}.txt"
    return FileResponse(content, as_attachment=True, filename=name, content_type="text/plain; charset=utf-8")


@login_required
@require_safe
def preference_manifest(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> JsonResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    order = get_preference_order_or_404(request.user, task, version)
    response = JsonResponse(manifest(order), json_dumps_params={"indent": 1, "ensure_ascii": False})
    name = f"{task.campaign.slug}-{task.slug}-preferences-v{version}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
