"""How far the work is that organisers have asked for."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Path, Query, Router

from campaign.api.fields import LARGEST
from campaign.api.jobs import JobOut, job_out
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import get_or_404, get_organised_task_or_404

router = Router(tags=["Organising: tasks"])
Key = Annotated[int, Path(ge=1, le=LARGEST)]


@router.get(f"{TASK}/jobs", response=Page[JobOut], summary="List jobs of a task")
def list_jobs(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[JobOut]:
    """For organisers: what workers do or did for this task, the newest first."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return page_of(request, task.jobs.order_by("-pk"), paging, job_out)


@router.get(f"{TASK}/jobs/{{job}}", response=JobOut, summary="Read how far a job is")
def read_job(request: HttpRequest, path: Path[TaskPath], job: Key) -> JobOut:
    """For organisers."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return job_out(get_or_404(task.jobs.all(), pk=job))
