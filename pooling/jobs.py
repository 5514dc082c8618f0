from typing import Any

from django.core.exceptions import ValidationError

from campaign.collection.import_jobs import register_import_jobs
from campaign.models import Import, Job, Task, User
from campaign.permissions import get_or_404
from campaign.queue.jobs import JobFailed, Progress, job
from campaign.queues import REPORTS
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool
from pooling.selectors.duplicates import FIND_DUPLICATES
from pooling.selectors.holders import READ_HOLDERS, read_holders
from pooling.selectors.pools import FREEZE_POOL
from pooling.selectors.previews import compute, computed_before, previewed
from pooling.services.duplicates import duplicates_find
from pooling.services.imports import POOL_JOBS, pool_apply, pool_check
from pooling.services.pools import Confirmed, pool_freeze
from pooling.services.previews import PREVIEW_POOL


@job(FREEZE_POOL, queue=REPORTS, limit_seconds=3600)
def freeze_pool(
    progress: Progress, *, task_id: int, actor_id: int, spec: dict[str, Any], confirmed: dict[str, Any] | None = None
) -> None:
    """Safe to run twice: freezing the same pool again gives the version that is there."""
    task = get_or_404(Task.objects.select_related("campaign"), pk=task_id)
    try:
        pool_freeze(
            actor=User.objects.get(pk=actor_id),
            task=task,
            spec=PoolSpec.from_json(spec),
            confirmed=None if confirmed is None else Confirmed(**confirmed),
            report=progress.report,
        )
    except ValidationError as problem:
        raise JobFailed(" ".join(problem.messages)) from problem
    except PoolSpecError as problem:  # asked for by a version of the site that has other strategies
        raise JobFailed(str(problem)) from problem


register_import_jobs(
    POOL_JOBS, Import.POOL, check=pool_check, apply=lambda import_, report: pool_apply(import_), applying="freezing"
)


@job(READ_HOLDERS)
def read_holders_of_pool(progress: Progress, *, task_id: int, pool_id: int) -> None:
    """Safe to run twice: it writes nothing but what is kept for the page of the pool's completeness."""
    read_holders(get_or_404(Pool.objects.select_related("task__campaign"), pk=pool_id, task=task_id), progress.report)


@job(FIND_DUPLICATES, queue=REPORTS)
def find_duplicates(progress: Progress, *, task_id: int, pool_id: int) -> None:
    """Safe to run twice: what was found before is replaced in one transaction."""
    pool = get_or_404(Pool.objects.select_related("task__campaign"), pk=pool_id, task=task_id)
    try:
        duplicates_find(pool=pool, report=lambda done, total: progress.report(done, total, "comparing texts"))
    except ValidationError as problem:
        raise JobFailed(" ".join(problem.messages)) from problem


@job(PREVIEW_POOL)
def preview_pool(progress: Progress, *, task_id: int, spec: dict[str, Any], other: dict[str, Any] | None) -> None:
    """Safe to run twice: what is computed already, or is being computed by an earlier job, is left alone."""
    task = get_or_404(Task.objects.select_related("campaign"), pk=task_id)
    try:
        asked = previewed(task, PoolSpec.from_json(spec), None if other is None else PoolSpec.from_json(other))
    except PoolSpecError as problem:
        raise JobFailed(str(problem)) from problem
    if computed_before(asked) is None and not _is_done_elsewhere(progress.job_id):
        compute(asked, lambda done, total: progress.report(done, total, "Reading runs"))


def _is_done_elsewhere(job_id: int) -> bool:
    """Two requests at the same moment can bring two jobs. Should the earlier one die, it is sent again."""
    own = Job.objects.get(pk=job_id)
    return Job.objects.filter(name=own.name, key=own.key, state=Job.WORKING, pk__lt=job_id).exists()
