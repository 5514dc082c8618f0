from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.database import clock
from campaign.log.audit import audit
from campaign.models import Job, LastSeen, SiteFigures, User
from campaign.queue import open_jobs
from campaign.queue.jobs import UnknownJobError, enqueue, find_job
from campaign.queue.periodic import last_seen_record
from campaign.web.daily_limits import require_few_changes

MOST_SENT = 500
"""Failed jobs at one press, so that the request ends within seconds."""


def sweep_record(failed: Sequence[str] = ()) -> None:
    """That a sweep has run, and which of its steps failed. The rows are written unread, as those of `last_seen_record`."""
    now = clock.now()
    last_seen_record(LastSeen.SWEEP, now)
    steps = SiteFigures(name=SiteFigures.FAILED_STEPS, at=now, values={"names": list(failed)})
    SiteFigures.objects.bulk_create(
        [steps], update_conflicts=True, unique_fields=["name"], update_fields=["at", "values"]
    )


@transaction.atomic
def job_send_again(*, actor: User, job: Job) -> Job:
    """Send a job that waits or failed to the queue again, as one of the changes that a person makes within a day."""
    require_few_changes(actor)
    return _sent_again(actor, job)


def _sent_again(actor: User, job: Job) -> Job:
    if job.state not in (Job.QUEUED, Job.FAILED):
        raise ValidationError("This job is not waiting and has not failed: there is nothing to send.")
    try:
        row = enqueue(job.name, **job.arguments)
    except (UnknownJobError, TypeError) as problem:
        raise ValidationError(f"This version of the site has no job “{job.name}” with these arguments.") from problem
    audit(actor, "send again", job, campaign=None, name=job.name, arguments=job.arguments, job=row.pk)
    return row


def failed_jobs_send_again(*, actor: User) -> tuple[int, list[str]]:
    """Send the failed jobs whose work was not requested again since, the oldest first: how many, and the names of those unsent.

    Each stands alone: one that this version does not know keeps no other from being sent. All together are one change of a day.
    """
    with transaction.atomic():
        require_few_changes(actor)
    failed = Job.objects.filter(state=Job.FAILED).exclude(pk__in=open_jobs.superseded_jobs().values("pk"))
    names = failed.order_by().values_list("name", flat=True).distinct()
    sent, unsent = 0, [name for name in names if find_job(name) is None]
    for job in list(failed.exclude(name__in=unsent).order_by("pk")[:MOST_SENT]):
        try:
            with transaction.atomic():
                _sent_again(actor, job)
        except ValidationError:
            unsent.append(job.name)
        else:
            sent += 1
    return sent, sorted(set(unsent))
