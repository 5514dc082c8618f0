"""An assessor's own list, on its page and on the home page."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaign.permissions import signed_in
from campaign.text.collation import by_numbers
from campaign.web.short_lists import SHOWN, ShortList, short_list
from judging.assigning.selectors.workload import due_dates, offer_to, open_topics_of, today_in
from judging.judgments.selectors.own_documents import assignments_of
from judging.permissions import get_judged_task_or_404
from judging.preferences.selectors import preference_assignments_of
from judging.progress.selectors.progress import Progress, overall, pool_numbered, progress_of
from judging.selectors.todo import begun_first, unfinished


@login_required
@never_cache
@require_safe
def my_topics(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_judged_task_or_404(request.user, campaign_slug, task_slug)
    rows = progress_of(
        assignments_of(signed_in(request.user), task).order_by("pool__version", by_numbers("topic__number"), "pk")
    )
    pool = pool_numbered(task)
    due = due_dates([row.assignment for row in rows])
    context = {
        "task": task,
        "pool": pool,
        "unassigned": open_topics_of(pool).count() if pool and not rows else 0,
        "rows": rows,
        "listed": _rows_shown(request.GET, [{"progress": row, "due": due.get(row.assignment.pk)} for row in rows]),
        "dated": bool(due),
        "today": today_in(task.campaign.time_zone),
        "offer": offer_to(signed_in(request.user), pool),
        "overall": overall(rows),
        "go_on": next(iter(begun_first(rows)), None),
        "practises": task.practice_answers.exists(),
        "compared": preference_assignments_of(signed_in(request.user), task).count(),
    }
    return render(request, "judging/my_topics.html", context)


def _rows_shown(query: QueryDict, rows: list[dict[str, Any]]) -> ShortList[dict[str, Any]]:
    """The rows that the page shows: those that match the filter; in a long list those that wait for the assessor come first."""

    def is_settled(row: dict[str, Any]) -> bool:
        return row["progress"].state in (Progress.DONE, Progress.HANDED_OVER)

    def names(row: dict[str, Any]) -> str:
        topic = row["progress"].assignment.topic
        return f"{topic.number} {topic.title}"

    ordered = sorted(rows, key=is_settled) if len(rows) > SHOWN else rows
    return short_list(query, ordered, names)


@never_cache
@require_safe
def next_judging(request: HttpRequest) -> HttpResponse:
    """What the reader has to judge, in all campaigns; nothing for users without assignments."""
    if not request.user.is_authenticated:
        return HttpResponse()
    by_task: dict[int, list[object]] = {}
    for row in unfinished(signed_in(request.user)):
        by_task.setdefault(row.assignment.pool.task_id, []).append(row)
    template = "judging/_next_judging.html" if request.htmx else "judging/next_judging.html"  # type: ignore[attr-defined]
    return render(request, template, {"tasks": list(by_task.values())})
