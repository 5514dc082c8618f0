"""Notices some days before a deadline, each once for every deadline that a task had."""

from datetime import datetime, timedelta
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from campaign.database import clock
from campaign.models import Notice, Task
from campaign.models.fields import moment_in_words
from campaign.models.mail import DEADLINE, REMINDER
from campaign.news.services.automatic import at_two_clocks, automatic
from campaign.queue.periodic import by_itself
from campaign.text.plurals import number_of

DAYS_BEFORE = {7: timedelta(days=2), 1: timedelta(hours=20)}
"""Days before the deadline, and for how long after that moment the notice is still worth sending."""
NAMESPACE = UUID("5f0c1f0e-6a38-4b0c-9a2f-2d1a3b4c5d6e")


def deadlines_remind(now: datetime | None = None) -> int:
    """Write the notices that are due and not written: part of the sweep."""
    now = now or timezone.now()
    near = Task.objects.filter(
        campaign__opened_at__isnull=False,
        campaign__closed_at__isnull=True,
        runs_closed_at__isnull=True,
        closes_at__gt=now,
        closes_at__lte=now + timedelta(days=max(DAYS_BEFORE)),
    ).exclude(phase=Task.SETUP)
    return by_itself(
        near, lambda task: sum(_remind(task.pk, days, now) for days in DAYS_BEFORE if _is_due(task, days, now))
    )


def _is_due(task: Task, days: int, now: datetime) -> bool:
    if task.closes_at is None:
        return False
    late = now - (task.closes_at - timedelta(days=days))
    if not timedelta(0) <= late < DAYS_BEFORE[days]:
        return False
    just_moved = clock.within("written_at", timedelta(days=1), now) & Q(kind=DEADLINE)
    return not Notice.objects.filter(Q(batch=_batch(task, days)) | just_moved, task=task).exists()


@transaction.atomic
def _remind(pk: int, days: int, now: datetime) -> bool:
    """Under the task's lock, so that the deadline is the one that holds, and two sweeps write one notice.

    Where somebody else holds it, the next sweep comes back: this one waits for nobody.
    """
    locked = Task.objects.select_for_update(of=("self", "campaign"), no_key=True, skip_locked=True).select_related(
        "campaign"
    )
    task = locked.filter(pk=pk).first()
    if task is None or task.closes_at is None or not _is_due(task, days, now):
        return False
    title = f"{task}: the deadline for runs is {moment_in_words(task.closes_at, task.campaign.time_zone)}"
    less = "24 hours" if days == 1 else number_of(days, "day")
    body = f"Runs are taken for less than {less}, until {at_two_clocks(task.closes_at, task)}."
    return automatic(kind=REMINDER, task=task, title=title, body=body, batch=_batch(task, days)) is not None


def _batch(task: Task, days: int) -> UUID:
    """The same for every sweep, and another one for another deadline."""
    return uuid5(NAMESPACE, f"{task.pk} {task.closes_at} {days}")
