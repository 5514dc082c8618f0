from campaign.models import Task
from campaign.tasking import Progress, job
from evaluation.preferences.selectors import SCORE_PREFERENCES
from evaluation.preferences.services import order_score
from evaluation.selectors.scores import SCORE_TASK
from evaluation.services.scoring import task_score
from judging.models import PreferenceOrder


@job(SCORE_TASK)
def score_task(progress: Progress, *, task_id: int) -> None:
    task = Task.objects.select_related("campaign").get(pk=task_id)
    task_score(task=task, report=lambda done, total: progress.report(done, total, "runs scored"))


@job(SCORE_PREFERENCES)
def score_by_preferences(progress: Progress, *, order_id: int) -> None:
    order = PreferenceOrder.objects.select_related("task__campaign").get(pk=order_id)
    order_score(order=order, report=lambda done, total: progress.report(done, total, "runs scored"))
