"""Assigning by ticking: topics down, assessors across."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.models import Task, Topic, User
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.text.collation import by_numbers
from campaign.text.plurals import listed, number_of
from judging.assigning.selectors.grid import Ticks, columns, grid_rows, passes_of
from judging.assigning.services.grid import ticked_assign
from judging.permissions import key_of
from judging.progress.selectors.progress import assessors_of, pool_numbered, unassigned_topics
from pooling.models import Pool
from pooling.selectors.sizes import topic_sizes

TOPICS_ON_A_PAGE = 50
PASSES = range(1, 10)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignment_grid(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = pool_numbered(task)
    sent = [value.partition("-") for value in request.POST.getlist("give")]
    ticks: Ticks = frozenset((key_of(topic), key_of(assessor)) for topic, _, assessor in sent)
    if request.method != "POST" or pool is None or "show" in request.POST:
        return _show(request, task, pool, ticks)
    try:
        number = ticked_assign(
            actor=signed_in(request.user),
            pool=pool,
            ticked=_ticked(pool, assessors_of(task), ticks),
            pass_number=_pass(request),
        )
    except ValidationError as problem:
        for message in problem.messages:
            messages.error(request, message)
        return _show(request, task, pool, ticks, status=422)
    names = sorted({str(one.assessor) for one in number})
    topics = number_of(len({one.topic_id for one in number}), "topic")
    messages.success(request, f"{topics} assigned to {listed(names)}." if number else "Nothing has changed.")
    return redirect(request.get_full_path())


def _pass(request: HttpRequest) -> int:
    number = key_of(request.GET.get("pass", "1"))
    return number if number in PASSES else 1


def _ticked(pool: Pool, people: list[User], ticks: Ticks) -> list[tuple[Topic, User]]:
    """Topics and assessors of this task only; what was sent besides names nothing."""
    topics = pool.task.topics.in_bulk([topic for topic, _ in ticks])
    by_key = {person.pk: person for person in people}
    found = [(topics[topic], by_key[person]) for topic, person in ticks if topic in topics and person in by_key]
    return sorted(found, key=lambda one: (one[0].position, one[1].username))


def _show(request: HttpRequest, task: Task, pool: Pool | None, ticks: Ticks, status: int = 200) -> HttpResponse:
    people = assessors_of(task)
    refused = {"refused": status != 200, "ticked": bool(ticks)}
    context: dict[str, Any] = {**refused, "task": task, "pool": pool, "people": people, "number": _pass(request)}
    if pool is not None and people:
        sizes = topic_sizes(pool)
        pooled = task.topics.filter(pk__in=sizes).order_by(by_numbers("number"))
        page = Paginator(pooled, TOPICS_ON_A_PAGE).get_page(request.GET.get("page"))
        context |= {
            "page": page,
            "rows": grid_rows(pool, _pass(request), list(page), people, sizes, ticks),
            "columns": columns(pool, people, sizes, ticks),
            "unassigned": unassigned_topics(pool).count(),
            "passes": range(1, min(max(_pass(request), passes_of(pool)) + 2, PASSES.stop)),
        }
    return render(request, "judging/assigning_grid.html", context, status=status)
