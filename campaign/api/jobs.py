"""Work that a request asks for and does not wait for: 202, and an address to ask how far it is."""

from datetime import datetime

from django.http import HttpResponse
from django.urls import reverse
from ninja import Field, Schema, Status

from campaign.api.fields import one_of
from campaign.models import Job, Task
from campaign.web.links import absolute


class JobOut(Schema):
    id: int = Field(description="Names it in addresses: ask there until `state` is done or failed.")
    name: str = Field(description="What is done.")
    state: str = one_of(Job.STATES, "queued: waits for a worker; working; done; failed: `message` says why.")
    done: int = Field(description="Of `total`, in what `message` names.")
    total: int = Field(description="0: not known.")
    message: str
    created_at: datetime
    finished_at: datetime | None


class Waiting(Schema):
    message: str = Field(description="What is done meanwhile, and what to do.")


def job_out(job: Job) -> JobOut:
    same = ("name", "state", "done", "total", "message", "created_at", "finished_at")
    return JobOut(id=job.pk, **{name: getattr(job, name) for name in same})


def asked_for(response: HttpResponse, task: Task, job: Job) -> Status[JobOut]:
    response["Location"] = absolute(reverse("api:read_job", kwargs={**path_of(task), "job": job.pk}))
    return Status(202, job_out(job))


def path_of(task: Task) -> dict[str, str]:
    """The parts of the addresses of a task."""
    return {"campaign": task.campaign.slug, "task": task.slug}
