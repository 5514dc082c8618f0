"""How far assessors agree and what a pool missed, as organisers read it on pages: the same numbers as their JSON files."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Path, Router, Status

from campaign.api.auth import ORGANISING
from campaign.api.fields import LARGEST
from campaign.api.jobs import JobOut, job_out
from campaign.api.paths import TASK, TaskPath
from campaign.models import Job
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.web.links import absolute
from judging.agreement.exports import as_json
from judging.agreement.selectors import task_agreement
from judging.completeness.exports import completeness_json
from judging.completeness.holders import holders_or_job
from judging.completeness.selectors import judged_pool
from pooling.core.completeness.holders import Holders
from pooling.models import Pool
from pooling.permissions import get_pool_or_404

router = Router(tags=["Organising: judging"])
COMPLETENESS = f"{TASK}/pools/{{version}}/completeness"
Version = Annotated[int, Path(ge=1, le=LARGEST)]


@router.get(f"{TASK}/judging/agreement", response=dict[str, Any], summary="Read how far assessors agree")
def read_agreement(request: HttpRequest, path: Path[TaskPath]) -> dict[str, Any]:
    """For organisers: of the task, each topic, each two assessors and each assessor, as in the file of the page."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return as_json(task_agreement(task).report)


@router.get(COMPLETENESS, response=dict[str, Any], summary="Read what a pool missed")
def read_pool_completeness(request: HttpRequest, path: Path[TaskPath], version: Version) -> HttpResponse:
    """For organisers, as in the file of the page.

    Figures of runs and teams are missing as long as the pooled runs are not read: `reading` then says how far that is, or
    why it failed.
    """
    pool = _pool(request, path, version)
    return _completeness(pool, *holders_or_job(pool))


@router.post(
    COMPLETENESS,
    response={200: dict[str, Any], 202: JobOut},
    summary="Read the pooled runs again",
    **ORGANISING,
)
def read_pooled_runs_again(
    request: HttpRequest, response: HttpResponse, path: Path[TaskPath], version: Version
) -> HttpResponse | Status[JobOut]:
    """For organisers, after it failed. 202 if a job reads them, else the figures."""
    pool = _pool(request, path, version)
    holders, job = holders_or_job(pool, again_for=signed_in(request.user))
    if job is None:
        return _completeness(pool, holders, job)
    job.refresh_from_db()
    response["Location"] = absolute(request.path)  # where the figures are
    return Status(202, job_out(job))


def _pool(request: HttpRequest, path: TaskPath, version: int) -> Pool:
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return get_pool_or_404(request.user, task, version)


def _completeness(pool: Pool, holders: Holders | None, reading: Job | None) -> HttpResponse:
    text = completeness_json(pool, judged_pool(pool, holders), holders, reading)
    return HttpResponse(text, content_type="application/json; charset=utf-8")
