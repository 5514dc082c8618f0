from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign import clock
from campaign.log.audit import audit
from campaign.models import Job, LastSeen, SiteFigures, User
from campaign.queue.jobs import UnknownJobError, enqueue


def sweep_record(failed: Sequence[str] = ()) -> None:
    """That a sweep has run, and which of its steps failed."""
    LastSeen.objects.update_or_create(name=LastSeen.SWEEP, defaults={"at": clock.now()})
    SiteFigures.objects.update_or_create(
        name=SiteFigures.FAILED_STEPS, defaults={"at": clock.now(), "values": {"names": list(failed)}}
    )


@transaction.atomic
def job_send_again(*, actor: User, job: Job) -> Job:
    """Send a job that waits or failed to the queue again."""
    if job.state not in (Job.QUEUED, Job.FAILED):
        raise ValidationError("This job is not waiting and has not failed: there is nothing to send.")
    try:
        row = enqueue(job.name, **job.arguments)
    except (UnknownJobError, TypeError) as problem:
        raise ValidationError(f"This version of the site has no job “{job.name}” with these arguments.") from problem
    audit(actor, "send again", job, campaign=None, name=job.name, arguments=job.arguments, job=row.pk)
    return row
