"""Work done in parts: a job asks for further jobs, lets its process go, and is sent again when the last of them has ended.

A part belongs to the whole of the same task. No process ever waits for another, so that one worker can do all of it. Who ends
last is told from rows: a part looks after its own row says that it has ended, a whole after its row says that it waits.
"""

from django.db.models import F, QuerySet
from django.db.models.functions import Least

from campaign.models import Job
from campaign.queue.locks import finish, let_wait

UNFINISHED = (Job.QUEUED, Job.WORKING)


class JobWaits(Exception):  # noqa: N818 - an outcome that the job reports
    """Raised by a job whose parts are under way; `total` of what `message` names is left. No attempt is counted."""

    def __init__(self, part_name: str, total: int, message: str) -> None:
        super().__init__(message)
        self.part_name, self.total = part_name, total


def unfinished_parts(part_name: str, task_id: int | None) -> "QuerySet[Job]":
    """Those that wait or are at work, whoever asked for them."""
    return Job.objects.filter(name=part_name, task=task_id, state__in=UNFINISHED)


def wait_for_parts(row: Job, waits: JobWaits) -> bool:
    """Let the whole wait without a process; False where the same work was asked for meanwhile: that row goes on."""
    is_waiting = let_wait(row, str(waits), waits.total)
    if not is_waiting:
        finish(row.pk, Job.DONE)
    return is_waiting


def wholes_to_send(part: Job, whole_name: str) -> list[Job]:
    """The waiting wholes of a part that has ended, if it was the last one."""
    wholes = Job.objects.filter(name=whole_name, task=part.task_id, state=Job.QUEUED)
    done = Job.objects.filter(pk=part.pk).values_list("done", flat=True).first() or 0
    wholes.filter(total__gt=0).update(done=Least(F("done") + done, F("total")))
    return [] if unfinished_parts(part.name, part.task_id).exists() else list(wholes)
