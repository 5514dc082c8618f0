"""What those who watch are told of a job whose parts are under way: it waits for no worker."""

from datetime import timedelta

from django.utils import timezone

from campaign.models import Job
from campaign.queue.open_jobs import no_worker, oldest_waiting_job_seconds, queue_lines

LONG = timedelta(minutes=30)


def make_waiting(key: str, total: int) -> None:
    job = Job.objects.create(name="score task", key=key, queue="score", total=total)
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - LONG)


def test_a_job_that_waits_for_its_parts_is_not_late(db: None) -> None:
    make_waiting("whole", total=300)
    assert oldest_waiting_job_seconds() is None
    assert no_worker() == ""
    line = next(line for line in queue_lines() if line.name == "score")
    assert (line.waiting, line.oldest_at, line.silent) == (1, None, False)


def test_a_job_that_waits_for_a_worker_is_late_beside_one_that_waits_for_its_parts(db: None) -> None:
    make_waiting("whole", total=300)
    make_waiting("other", total=0)
    assert (oldest_waiting_job_seconds() or 0) >= LONG.total_seconds()
    assert no_worker() == "no worker has taken a job of the queue score for 30 minutes"
    line = next(line for line in queue_lines() if line.name == "score")
    assert (line.waiting, line.oldest_at is not None, line.silent) == (2, True, True)
