"""How far assessors agree and what a pool missed, as organisers read it on pages: the same numbers as their JSON files."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Path, Router

from campaign.api.fields import LARGEST
from campaign.api.paths import TASK, TaskPath
from campaign.permissions import get_organised_task_or_404
from judging.agreement.exports import as_json
from judging.agreement.selectors import task_agreement
from judging.completeness.holders import holders_or_job
from judging.completeness.selectors import judged_pool
from judging.exports import completeness_json
from pooling.permissions import get_pool_or_404

router = Router(tags=["Organising: judging"])
Version = Annotated[int, Path(ge=1, le=LARGEST)]


@router.get(f"{TASK}/judging/agreement", response=dict[str, Any], summary="Read how far assessors agree")
def read_agreement(request: HttpRequest, path: Path[TaskPath]) -> dict[str, Any]:
    """For organisers: of the task, each topic, each two assessors and each assessor, as in the file of the page."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return as_json(task_agreement(task).report)


@router.get(f"{TASK}/pools/{{version}}/completeness", response=dict[str, Any], summary="Read what a pool missed")
def read_pool_completeness(request: HttpRequest, path: Path[TaskPath], version: Version) -> HttpResponse:
    """For organisers, as in the file of the page; without figures of runs and teams as long as the runs are being read."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    pool = get_pool_or_404(request.user, task, version)
    holders, _ = holders_or_job(pool)
    text = completeness_json(pool, judged_pool(pool, holders), holders)
    return HttpResponse(text, content_type="application/json; charset=utf-8")
