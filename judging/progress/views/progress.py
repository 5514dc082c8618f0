"""The organiser's view of the judging: the progress of each assignment."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import Any, Literal

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.drawing import draw_once
from campaign.models import Task
from campaign.permissions import Reader, get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from campaign.text.natural_order import natural_order
from judging.core.modes.grades import tones
from judging.core.set_names import DEFAULT
from judging.judgments.selectors.own_documents import assignments_of
from judging.models import Assignment, Qrels
from judging.progress.selectors.alarms import alarms_to_read, judging_alarms
from judging.progress.selectors.pool_share import pool_share, told_share
from judging.progress.selectors.progress import (
    Overall,
    Progress,
    assessors_of,
    judgments_by_day,
    newest_judgment,
    overall,
    pool_numbered,
    pools_assigned,
    progress_of,
    task_assignments,
    task_overall,
    unassigned_topics,
)
from judging.progress.selectors.progress_counts import Shares, shares_of
from judging.qrels.selectors.releases import latest_qrels
from judging.selectors.todo import judging_to_organise, releases_next, topics_to_judge

ASSIGNMENTS_ON_A_PAGE = 50
PROGRESS = "progress"
"""The part of the page that is asked for every 10 s; the alarms, which read many judgments, come by themselves every 60 s."""
FILTERS = {"topic": "topic__number", "assessor": "assessor__username"}
ORDERS: dict[str, Callable[[Progress], Any]] = {
    "topic": lambda row: (natural_order(row.assignment.topic.number), row.assignment.pass_number),
    "assessor": lambda row: str(row.assignment.assessor),
    "judged": lambda row: row.judged / row.total if row.total else 0.0,
    "left": lambda row: row.left,
    "rate": lambda row: row.rate or 0.0,
    "end": lambda row: row.expected_end or date.max,
    "relevant": lambda row: row.relevant,
    "flagged": lambda row: row.flagged,
    "noted": lambda row: row.noted,
}
"""What the table can be sorted by. The pages of the others are read without the rest of the assignments."""


@login_required
@require_safe
def judging_progress(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = pool_numbered(task)
    pools = pools_assigned(task)
    shares = shares_of(pools)
    wanted = _assignments(request, task)
    sort = request.GET.get("sort", "")
    page, rows = _page(request, wanted, sort, shares)
    grades = list(task.grades.all())
    values = [grade.value for grade in grades]
    context = {
        "task": task,
        "pool": pool,
        "sort": sort,
        "filters": _filters(request),
        "rows": [{"progress": row, "shares": _shares(row.grades, row.total, values)} for row in rows],
        "page": page,
        "overall": task_overall(pools, shares),
        "share": pool_share(task),
        "releases_next": releases_next(signed_in(request.user), task),
        "assessors": assessors_of(task),
        "of_older": any(one.pk != pool.pk for one in pools) if pool else False,
        "unassigned": unassigned_topics(pool).count() if pool else 0,
        "grades": grades,
        "qrels": latest_qrels(task),
        "alarms": [] if request.htmx.target == PROGRESS else judging_alarms(task, grades),  # type: ignore[attr-defined]
        "progress_part": PROGRESS,
    }
    return render(request, "judging/judging_progress.html", context)


@login_required
@require_safe
def judging_by_day(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The judgments of each day as a picture: counted and drawn once until another judgment is stored."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    theme: Literal["light", "dark"] = "dark" if request.GET.get("theme") == "dark" else "light"
    key = f"days:{task.pk}:{newest_judgment(task)}:{theme}"
    return draw_once(request, key, partial(_days_picture, task, theme), "image/svg+xml")


def _days_picture(task: Task, theme: Literal["light", "dark"]) -> bytes:
    from judging.core.days_picture import days_picture  # matplotlib is slow to load

    return days_picture(judgments_by_day(task), theme)


def _filters(request: HttpRequest) -> dict[str, str]:
    values = {name: request.GET.get(name, "").strip() for name in FILTERS}
    return {name: value for name, value in values.items() if value}


def _assignments(request: HttpRequest, task: Task) -> "QuerySet[Assignment]":
    return task_assignments(task).filter(**{FILTERS[name]: value for name, value in _filters(request).items()})


def _page(
    request: HttpRequest, wanted: "QuerySet[Assignment]", sort: str, shares: Shares
) -> tuple[Page[Any], list[Progress]]:
    """The page asked for and its rows. Only an order by what is counted needs the rows of the other pages."""
    number, order = request.GET.get("page"), ORDERS.get(sort.removeprefix("-"))
    if order is None:
        page = Paginator(wanted, ASSIGNMENTS_ON_A_PAGE).get_page(number)
        return page, progress_of(page.object_list, shares)
    rows = sorted(progress_of(wanted, shares), key=order, reverse=sort.startswith("-"))
    sorted_page = Paginator(rows, ASSIGNMENTS_ON_A_PAGE).get_page(number)
    return sorted_page, list(sorted_page.object_list)


def _shares(grades: dict[int, int], total: int, values: Sequence[int]) -> list[dict[str, object]]:
    """Bars of the grade shares, left to right; tone 0 to 3 for every scale."""
    bars, start = [], 0.0
    for value, tone in zip(values, tones(values), strict=True):
        count = grades.get(value, 0)
        width = 100 * count / total if total else 0.0
        bars.append({"tone": tone, "x": f"{start:.2f}%", "width": f"{width:.2f}%", "value": value, "count": count})
        start += width
    return bars


@require_safe
def judging_card(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The card on the task's overview: all judging for organisers, their own for assessors, released qrels for others."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    organises = is_organiser(request.user, task.campaign)
    rows, total, waits, alarms = task_assignments(task), Overall(), None, None
    if organises:
        pools = pools_assigned(task)
        total = task_overall(pools, shares_of(pools))
        waits = next(iter(judging_to_organise(signed_in(request.user), [task])), None)
        alarms = next(alarms_to_read(signed_in(request.user), [task]), None)
    elif request.user.is_authenticated:
        rows = assignments_of(signed_in(request.user), task)
        total = overall(progress_of(rows))
        waits = next(topics_to_judge(signed_in(request.user), [task]), None)
    context = {
        "task": task,
        "organises": organises,
        "overall": total,
        "share": told_share(Reader.of(request.user, task.campaign), task),
        "assigned": request.user.is_authenticated and rows.exists(),
        "waits": waits,
        "alarms": alarms,
        "pool": pool_numbered(task),
        "qrels": Qrels.objects.visible_to(request.user).filter(task=task, set_name=DEFAULT).first(),
    }
    return render(request, "judging/_judging_card.html", context)
