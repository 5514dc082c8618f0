"""A growing pool while it is judged: how its topics stand, one topic with its log, and the decision to stop or go on."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Task, Topic
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.web.forms import is_done, status_of
from pooling.exports import choices_csv
from pooling.forms import GoOnForm, StopForm
from pooling.models import Pool, PoolChoice, TopicStop
from pooling.permissions import get_pool_or_404
from pooling.selectors.growth_states import TopicState, grown_topics, growth_of, states_of
from pooling.selectors.pools import newer_pool
from pooling.selectors.sizes import topic_sizes
from pooling.services.growth import topic_go_on, topic_stop

TOPICS_ON_A_PAGE = 50


@login_required
@require_safe
def pool_topics(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task, pool = _growing_pool(request, campaign_slug, task_slug, version)
    page = Paginator(grown_topics(pool), TOPICS_ON_A_PAGE).get_page(request.GET.get("page"))
    states = states_of(pool, list(page.object_list))
    growth = growth_of(pool, topic_sizes(pool))
    context = {"task": task, "pool": pool, "newer": newer_pool(pool), "growth": growth, "page": page, "states": states}
    return render(request, "pooling/pool_topics.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_topic(
    request: HttpRequest, campaign_slug: str, task_slug: str, version: int, topic_number: str
) -> HttpResponse:
    task, pool = _growing_pool(request, campaign_slug, task_slug, version)
    topic = get_or_404(grown_topics(pool), number=topic_number)
    [state] = states_of(pool, [topic])
    form = _decision_form(request, state)
    if form is not None and form.is_valid() and _decided(request, form, pool, topic, state):
        return redirect(task.url("pool_topic", version=version, topic_number=topic_number))
    context: dict[str, Any] = {
        "task": task,
        "pool": pool,
        "topic": topic,
        "state": state,
        "form": form,
        "stops": TopicStop.objects.filter(pool=pool, topic=topic).select_related("decided_by").order_by("-pk"),
        "choices": PoolChoice.objects.filter(pool=pool, topic=topic).order_by("-step"),
    }
    return render(request, "pooling/pool_topic.html", context, status=status_of(form) if form else 200)


@login_required
@require_safe
def pool_choices(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> StreamingHttpResponse:
    _, pool = _growing_pool(request, campaign_slug, task_slug, version)
    response = StreamingHttpResponse(choices_csv(pool), content_type="text/csv; charset=utf-8")
    name = f"{campaign_slug}-{task_slug}-pool-{version}-choices.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _growing_pool(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> tuple[Task, Pool]:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = get_pool_or_404(request.user, task, version)
    if not pool.grows:
        raise Http404
    return task, pool


def _decision_form(request: HttpRequest, state: TopicState) -> StopForm | GoOnForm | None:
    """What can be decided now: nothing where no candidate is left."""
    if state.stop is not None and state.stop.kind == TopicStop.EXHAUSTED:
        return None
    return (GoOnForm if state.is_stopped else StopForm)(request.POST or None)


def _decided(request: HttpRequest, form: StopForm | GoOnForm, pool: Pool, topic: Topic, state: TopicState) -> bool:
    decide = topic_go_on if state.is_stopped else topic_stop
    if not is_done(form, lambda: decide(actor=signed_in(request.user), pool=pool, topic=topic, **form.cleaned_data)):
        return False
    messages.success(request, f"Topic {topic.number} {'goes on' if state.is_stopped else 'is stopped'}.")
    return True
