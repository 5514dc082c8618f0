"""Where the judging of a task contradicts its phase or its dates."""

from collections.abc import Iterator

from django.db.models import Exists, OuterRef

from campaign.models import Task
from campaign.navigation import Step, TaskWarning
from campaign.setup.selectors.schedule import run_window
from judging.core.set_names import DEFAULT
from judging.models import AssigningRules, Assignment, Qrels


def judging_against_phase(task: Task) -> Iterator[TaskWarning]:
    if task.phase == Task.JUDGING:
        yield from _nothing_to_judge(task)
    may_know = (
        task.phase == Task.PUBLISHED or task.round_kind == Task.DEVELOPMENT
    )  # published and open: the dates say it
    if not may_know and run_window(task).is_open:
        visible = task.qrels.filter(published_at__isnull=False, set_name=DEFAULT).order_by("-version").first()
        if visible is not None:
            text = f"{str(visible).capitalize()} can be read by everybody, and the task is open for runs."
            yield TaskWarning(text, Step("Change the deadline", task.url("task_edit")))


def _nothing_to_judge(task: Task) -> Iterator[TaskWarning]:
    """A release answers what stood open in the pools before it."""
    default = Qrels.objects.filter(task=OuterRef("task"), set_name=DEFAULT)
    pools = task.pools.annotate(
        is_assigned=Exists(Assignment.objects.filter(pool=OuterRef("pk"))),
        is_settled=Exists(default.filter(released_at__gte=OuterRef("frozen_at"))),
        is_taken=Exists(AssigningRules.objects.filter(task=OuterRef("task"), topics_are_open=True)),
    )
    pool = pools.order_by("-version").first()
    if pool is None:
        if not task.qrels.filter(set_name=DEFAULT).exists():
            text = "The phase is Judging, and there is no pool to judge."
            yield TaskWarning(text, Step("Freeze a pool", task.url("pool_create")))
    elif not (pool.is_assigned or pool.is_settled or pool.is_taken):
        text = f"The phase is Judging, and no topic of pool {pool.version} has an assessor."
        yield TaskWarning(text, Step("Assign its topics", task.url("assignment_create")))
