from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.collection.selectors.topics import neighbours, task_topics
from campaign.permissions import get_or_404, get_task_or_404, is_organiser

PAGE = 100


@require_safe
def topic_list(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    found = get_task_or_404(request.user, campaign, task)
    page = Paginator(task_topics(found), PAGE).get_page(request.GET.get("page"))
    context = {"task": found, "page": page, "organises": is_organiser(request.user, found.campaign)}
    return render(request, "campaign/collection/topic_list.html", context)


@require_safe
def topic_detail(request: HttpRequest, campaign: str, task: str, topic: str) -> HttpResponse:
    found = get_task_or_404(request.user, campaign, task)
    shown = get_or_404(found.topics.prefetch_related("subtopics"), number=topic)
    before, after = neighbours(shown)
    context = {"task": found, "topic": shown, "before": before, "after": after}
    return render(request, "campaign/collection/topic_detail.html", context)
