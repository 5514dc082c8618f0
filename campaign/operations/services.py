from django.core.exceptions import ValidationError
from django.db import transaction

from campaign import clock, tasking
from campaign.audit import audit
from campaign.models import Job, LastSeen, User


def sweep_record() -> None:
    LastSeen.objects.update_or_create(name=LastSeen.SWEEP, defaults={"at": clock.now()})


@transaction.atomic
def job_send_again(*, actor: User, job: Job) -> Job:
    """Send a job that waits or failed to the queue again."""
    if job.state not in (Job.QUEUED, Job.FAILED):
        raise ValidationError("This job is not waiting and has not failed: there is nothing to send.")
    try:
        row = tasking.enqueue(job.name, **job.arguments)
    except (tasking.UnknownJobError, TypeError) as problem:
        raise ValidationError(f"This version of the site has no job “{job.name}” with these arguments.") from problem
    audit(actor, "send again", job, campaign=None, name=job.name, arguments=job.arguments, job=row.pk)
    return row
