from campaign.models import Run
from campaign.runs.selectors.progress import CHECK_RUN
from campaign.runs.selectors.reading import run_check
from campaign.runs.services.decisions import run_finish_check
from campaign.tasking import Progress, job

LIMIT_SECONDS = 600
"""The largest files that are accepted are read in one or two minutes: a check that takes longer hangs."""


@job(CHECK_RUN, limit_seconds=LIMIT_SECONDS)
def check_run(progress: Progress, *, run_id: int) -> None:
    run = Run.objects.select_related("task__campaign", "task__collection").get(pk=run_id)
    if run.state == Run.RECEIVED:
        run_finish_check(run=run, check=run_check(run))
