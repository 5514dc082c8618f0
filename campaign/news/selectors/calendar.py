"""All dates of a campaign: openings and deadlines of its tasks, and its milestones."""

from collections.abc import Iterable
from datetime import datetime
from urllib.parse import urlsplit

from django.db.models import Max
from django.utils import timezone

from campaign.formats.icalendar import Event
from campaign.models import AuditEvent, Campaign, Milestone, Task, Visitor
from campaign.web.links import absolute

MILESTONE_REMOVED = [
    "It leaves the page of the campaign, and the calendar of everybody who subscribed to it.",
    "Nobody is told. Write a notice if somebody may rely on the date.",
]


def calendar_of(user: Visitor, campaign: Campaign) -> list[Event]:
    """The dates that the reader may see, in their order. Runs a fixed number of queries."""
    host = urlsplit(absolute("")).hostname or "runpool"
    tasks = list(Task.objects.visible_to(user).filter(campaign=campaign).select_related("campaign"))
    events = [event for task, changed_at in _changed(tasks) for event in _of_task(task, changed_at, host)]
    page = absolute(campaign.get_absolute_url())
    for milestone in Milestone.objects.filter(campaign=campaign):
        uid, url = f"milestone-{milestone.pk}@{host}", milestone.web_link or page
        events.append(Event(uid, milestone.at, f"{campaign}: {milestone}", url, milestone.changed_at))
    return sorted(events, key=lambda event: (event.at, event.uid))


def milestones_of(campaign: Campaign) -> list[tuple[Milestone, bool]]:
    """The milestones in their order, each with whether it is over."""
    now = timezone.now()
    return [(milestone, milestone.at < now) for milestone in campaign.milestones.all()]


def _of_task(task: Task, changed_at: datetime, host: str) -> Iterable[Event]:
    for what, at, words in (
        ("opens", task.opens_at, "opens for runs"),
        ("closes", task.closes_at, "deadline for runs"),
    ):
        if at is not None and not _is_off(task, at):
            summary = f"{task.campaign}, {task}: {words}"
            yield Event(f"task-{task.pk}-{what}@{host}", at, summary, absolute(task.get_absolute_url()), changed_at)


def _is_off(task: Task, at: datetime) -> bool:
    """Whether uploads had been closed before the date, by a pool, by qrels or with the campaign."""
    stops = (task.runs_closed_at, task.campaign.closed_at)
    return any(stop is not None and stop < at for stop in stops)


def _changed(tasks: list[Task]) -> Iterable[tuple[Task, datetime]]:
    """Each task with the moment of its last change."""
    changes = AuditEvent.objects.filter(object_type="task", object_id__in=[str(task.pk) for task in tasks])
    latest = dict(changes.order_by().values_list("object_id").annotate(latest=Max("happened_at")))
    for task in tasks:
        yield task, latest.get(str(task.pk), task.created_at)
