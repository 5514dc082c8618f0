from campaign.models import Task
from campaign.tasking import Progress, job
from evaluation.selectors import SCORE_TASK
from evaluation.services.scoring import task_score


@job(SCORE_TASK)
def score_task(progress: Progress, *, task_id: int) -> None:
    task = Task.objects.select_related("campaign").get(pk=task_id)
    task_score(task=task, report=lambda done, total: progress.report(done, total, "runs scored"))
