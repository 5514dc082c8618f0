import logging

from campaign.formats.patterns import PatternError
from campaign.models import Run, Task, User
from campaign.models.run import CHECK_ALL_RUNS
from campaign.permissions import get_or_404
from campaign.queue.jobs import JobFailed, Progress, job
from campaign.queues import queue_for_file
from campaign.runs.selectors.progress import CHECK_RUN
from campaign.runs.selectors.reading import checked_run
from campaign.runs.services.decisions import run_finish_check
from campaign.runs.services.rechecks import runs_check_all

logger = logging.getLogger(__name__)
LIMIT_SECONDS = 600
"""The largest files that are accepted are read in one or two minutes: a check that takes longer hangs."""


def _queue(*, run_id: int) -> str:
    return queue_for_file(Run.objects.filter(pk=run_id).values_list("size", flat=True).first())


@job(CHECK_RUN, limit_seconds=LIMIT_SECONDS, queue=_queue)
def check_run(progress: Progress, *, run_id: int) -> None:
    run = get_or_404(Run.objects.select_related("task__campaign", "task__collection"), pk=run_id)
    if run.state == Run.RECEIVED:
        try:
            check = checked_run(run)
        except PatternError as problem:
            raise JobFailed(str(problem)) from problem
        run_finish_check(run=run, check=check)
        logger.info("run %d is checked: %s", run.pk, run.get_state_display())


@job(CHECK_ALL_RUNS)
def check_all_runs(progress: Progress, *, task_id: int, actor_id: int) -> None:
    runs_check_all(
        actor=User.objects.get(pk=actor_id), task=get_or_404(Task.objects.select_related("campaign"), pk=task_id)
    )
