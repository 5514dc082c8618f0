"""Previews that take long are computed by a job, once, whoever asks for them."""

from typing import Any

from campaign import tasking
from campaign.models import Job, job_key
from pooling.selectors.previews import Asked

PREVIEW_POOL = "preview pool"


def preview_request(asked: Asked) -> Job:
    """Have the figures computed; the job that is doing it already is the one that is waited for."""
    arguments = _arguments(asked)
    same = Job.objects.filter(name=PREVIEW_POOL, key=job_key(arguments))
    unfinished = same.filter(state__in=[Job.QUEUED, Job.WORKING]).order_by("pk").first()
    return unfinished or tasking.enqueue(PREVIEW_POOL, **arguments)


def _arguments(asked: Asked) -> dict[str, Any]:
    other = None if asked.other is None else asked.other.to_json()
    return {"task_id": asked.task.pk, "spec": asked.spec.to_json(), "other": other}
