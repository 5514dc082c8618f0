"""The list of one's own judgments of a topic: a page, and the fragment that the desk shows in a dialog."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaign.text import limits
from judging.desk.selectors.own_judgments import ALL, filters_of, own_lines
from judging.desk.selectors.page import desk_url, list_url
from judging.permissions import get_own_assignment_or_404, require_assessor

PAGE = 50


@login_required
@never_cache
@require_safe
def own_judgments(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    assignment = get_own_assignment_or_404(
        request.user, campaign_slug, task_slug, topic_number, request.GET.get("assignment")
    )
    require_assessor(assignment, reads=True)
    filters = filters_of(assignment)
    shown = request.GET.get("show", ALL)
    shown = shown if shown in filters else ALL
    text = request.GET.get("text", "").strip()[: limits.SEARCH]
    page = Paginator(own_lines(assignment, shown, text), PAGE).get_page(request.GET.get("page"))
    context = {
        "assignment": assignment,
        "task": assignment.pool.task,
        "topic": assignment.topic,
        "filters": filters,
        "shown": shown,
        "text": text,
        "page": page,
        "desk_url": desk_url(assignment),
        "list_url": list_url(assignment),
        "asked": urlencode({"show": shown, "text": text}),
    }
    template = "judging/_own_lines.html" if request.htmx else "judging/own_judgments.html"  # type: ignore[attr-defined]
    return render(request, template, context)
