from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.collection.exports import topic_file
from campaign.collection.selectors.corrections import errata_of, texts_are_settled
from campaign.collection.selectors.errata import versions_of, versions_of_topics
from campaign.collection.selectors.topics import neighbours, task_topics
from campaign.formats.topics.write import FILES
from campaign.models import Correction
from campaign.permissions import get_or_404, get_task_or_404, is_organiser
from campaign.web.short_lists import short_list


@require_safe
def topic_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    listed = short_list(request.GET, task_topics(task), lambda topic: f"{topic.number} {topic.title}")
    versions = versions_of_topics(task, listed.rows)
    for topic in listed.rows:
        topic.version = versions.get(topic.number)  # type: ignore[attr-defined]
    context = {
        "task": task,
        "listed": listed,
        "organises": is_organiser(request.user, task.campaign),
        "has_errata": errata_of(task).exists(),
    }
    return render(request, "campaign/collection/topic_list.html", context)


@require_safe
def topic_download(request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    if file_format not in FILES:
        raise Http404
    return topic_file(task, FILES[file_format])


@require_safe
def topic_detail(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    shown = get_or_404(task.topics.prefetch_related("subtopics"), number=topic_number)
    before, after = neighbours(shown)
    organises = is_organiser(request.user, task.campaign)
    context = {
        "task": task,
        "topic": shown,
        "before": before,
        "after": after,
        "organises": organises,
        "settled": organises and texts_are_settled(task),
        "versions": versions_of(task, [Correction.TOPIC, Correction.SCORING], topic_number),
    }
    return render(request, "campaign/collection/topic_detail.html", context)
