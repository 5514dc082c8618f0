"""Counts of a task's runs by state, and the waiting runs that have no job."""

from dataclasses import dataclass

from django.db.models import Count, Q

from campaign.models import Job, Run, Task
from campaign.runs.selectors.lists import stuck_runs
from campaign.runs.selectors.progress import CHECK_RUN


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """The number of a task's runs by state. Received runs are `waiting`, or `stuck` if their check failed or was lost."""

    waiting: int
    stuck: int
    valid: int
    rejected: int
    rejected_by_hand: int
    withdrawn: int

    @property
    def total(self) -> int:
        return self.waiting + self.stuck + self.valid + self.rejected + self.withdrawn

    @property
    def checked(self) -> int:
        return self.valid + self.rejected


def check_counts(task: Task) -> CheckCounts:
    runs = Run.objects.filter(task=task)
    counts = runs.order_by().aggregate(
        valid=Count("pk", filter=Q(state=Run.VALID)),
        rejected=Count("pk", filter=Q(state=Run.REJECTED)),
        rejected_by_hand=Count("pk", filter=Q(state=Run.REJECTED, decision=Run.REJECTED_BY_HAND)),
        withdrawn=Count("pk", filter=Q(state=Run.WITHDRAWN)),
    )
    received = list(runs.filter(state=Run.RECEIVED))
    stuck = len(stuck_runs(received))
    return CheckCounts(waiting=len(received) - stuck, stuck=stuck, **counts)


def forgotten_runs() -> list[Run]:
    """Return received runs without a job in progress, except those whose check failed: their page asks an organiser.

    None of archived campaigns, in which no check can store its outcome: they come with archives that are restored.
    """
    waiting = Run.objects.filter(state=Run.RECEIVED, task__campaign__archived_at__isnull=True)
    received = list(waiting.only("pk", "state", "task_id"))
    stuck = stuck_runs(received)
    last = dict(Job.objects.filter(name=CHECK_RUN, run__in=stuck).order_by("pk").values_list("run_id", "state"))
    failed = {run for run, state in last.items() if state == Job.FAILED}
    return [run for run in received if run.pk in stuck - failed]
