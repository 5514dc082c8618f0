"""Pools that wait for an organiser: none is frozen although the runs are in, or the last freeze failed."""

from collections.abc import Iterator, Sequence

from django.db.models import Count

from campaign.models import Job, Run, Task, User
from campaign.navigation import Step, Todo
from campaign.setup.selectors.schedule import run_window
from campaign.text.plurals import number_of
from pooling.selectors.pools import FREEZE_POOL, latest_pools


def pools_to_freeze(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    frozen = latest_pools(tasks)
    missing = [task for task in tasks if task.pk not in frozen and task.phase in (Task.RUNS, Task.POOL)]
    if not missing:
        return
    jobs = Job.objects.filter(name=FREEZE_POOL, task__in=missing).order_by("pk")
    states = dict(jobs.values_list("task", "state"))  # of each task's last job
    valid = Run.objects.filter(task__in=missing, state=Run.VALID).order_by()
    run_counts = dict(valid.values_list("task").annotate(Count("pk")))
    for task in missing:
        runs, state = run_counts.get(task.pk, 0), states.get(task.pk, "")
        if state == Job.FAILED:
            yield Todo(task, "no pool: freezing it failed", Step("See why freezing failed", task.url("pool_list")))
        elif state in (Job.QUEUED, Job.WORKING):
            continue
        elif task.phase == Task.POOL or has_its_runs(task, runs):
            text = f"{number_of(runs, 'valid run')} and no pool"
            yield Todo(task, text, Step("Build the pool", task.url("pool_create")))


def has_its_runs(task: Task, runs: int) -> bool:
    """Whether no more runs are waited for: the deadline is past, or there is none."""
    window = run_window(task)
    return window.is_over or (window.deadline is None and runs > 0)
