"""What the pooled runs hold, which a job reads where they are long."""

from django.db import transaction

from campaign.models import Job, User
from campaign.queue.jobs import enqueue
from campaign.web.daily_limits import require_few_changes
from pooling.core.completeness.holders import Holders
from pooling.models import Pool
from pooling.selectors.holders import (
    LINES_READ_AT_ONCE,
    READ_HOLDERS,
    known_holders,
    latest_reading,
    lines_of_runs,
    read_holders,
    were_holders_read,
)


def holders_or_job(pool: Pool, again_for: User | None = None) -> tuple[Holders | None, Job | None]:
    """What the pooled runs hold, or the job that reads it; `again_for`: who asks for it also if the last one failed."""
    holders = known_holders(pool)
    if holders is not None:
        return holders, None
    job = latest_reading(pool)
    if job is not None and job.is_unfinished:
        return None, job
    if job is not None and job.state == Job.FAILED:
        if again_for is None:
            return None, job
        with transaction.atomic():
            require_few_changes(again_for)
    # A job has read what is there now and left nothing here: its process shares no cache with this one.
    is_done = job is not None and job.state == Job.DONE and were_holders_read(pool)
    if is_done or lines_of_runs(pool) <= LINES_READ_AT_ONCE:
        return read_holders(pool), None
    with transaction.atomic():
        return None, enqueue(READ_HOLDERS, task_id=pool.task_id, pool_id=pool.pk)
