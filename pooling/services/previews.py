"""Previews that take long are computed by a job, once, whoever asks for them."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.models import Job, Task, User, job_key
from campaign.permissions import locked_campaign_or_404
from campaign.queue.jobs import enqueue
from campaign.web.daily_limits import require_few_of_person
from pooling.selectors.previews import Asked

PREVIEW_POOL = "preview pool"
"""Done by pooling/jobs.py."""
MOST_WAITING = 10
"""Of a task, each with other settings: they wait before the work of everybody else."""
MOST_PREVIEWS_A_DAY = 2_000
"""By one person, of those that need a job."""


def preview_request(*, actor: User, asked: Asked) -> Job:
    """Have the figures computed; the job that is doing it already is the one that is waited for."""
    arguments = _arguments(asked)
    return _unfinished(arguments) or _ask(actor, asked.task, arguments)


@transaction.atomic
def _ask(actor: User, task: Task, arguments: dict[str, Any]) -> Job:
    locked_campaign_or_404(task.campaign)  # the task's row is held while a pool is being stored
    if asked_meanwhile := _unfinished(arguments):
        return asked_meanwhile
    waiting = Job.objects.filter(name=PREVIEW_POOL, task=task, state__in=[Job.QUEUED, Job.WORKING])
    if waiting.count() >= MOST_WAITING:
        raise ValidationError(f"{MOST_WAITING} previews of this task are being computed. Wait for some of them.")
    require_few_of_person(actor, "previews of pools", MOST_PREVIEWS_A_DAY)
    return enqueue(PREVIEW_POOL, **arguments)


def _unfinished(arguments: dict[str, Any]) -> Job | None:
    same = Job.objects.filter(name=PREVIEW_POOL, key=job_key(arguments))
    return same.filter(state__in=[Job.QUEUED, Job.WORKING]).order_by("pk").first()


def _arguments(asked: Asked) -> dict[str, Any]:
    other = None if asked.other is None else asked.other.to_json()
    return {"task_id": asked.task.pk, "spec": asked.spec.to_json(), "other": other}
