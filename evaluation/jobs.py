from typing import Any

from campaign.models import Task, User
from campaign.permissions import get_or_404
from campaign.queue.jobs import JobFailed, Progress, job
from campaign.queues import MAIL, REPORTS, SCORE
from evaluation.analysis.reliability.selectors import REPORT_OF_LEADERBOARD, REPORT_OF_SCORES
from evaluation.analysis.reliability.services import published_report_compute, working_report_compute
from evaluation.models import Leaderboard
from evaluation.preferences.selectors import SCORE_PREFERENCES
from evaluation.preferences.services import order_score
from evaluation.selectors.publication_effects import PUBLISH
from evaluation.selectors.scores import SCORE_RUNS, SCORE_TASK
from evaluation.services.leaderboards import MAIL_LEADERBOARD, leaderboard_mail
from evaluation.services.publication_requests import NO_RIGHT, publication_do
from evaluation.services.scoring_by_parts import RUNS_SCORED, PartOfRuns, part_score, task_score_by_parts
from judging.models import PreferenceOrder


@job(SCORE_TASK, queue=SCORE)
def score_task(progress: Progress, *, task_id: int) -> None:
    task = get_or_404(Task.objects.select_related("campaign"), pk=task_id)
    task_score_by_parts(
        task=task, asked_by=progress.job_id, report=lambda done, total: progress.report(done, total, RUNS_SCORED)
    )


@job(SCORE_RUNS, queue=SCORE, part_of=SCORE_TASK)
def score_runs(progress: Progress, *, task_id: int, set_name: str, first: int, last: int, asked_by: int) -> None:
    """`asked_by`: the job that this is a part of. No other asks for this one, so that it sees which it has asked for."""
    task = get_or_404(Task.objects.select_related("campaign"), pk=task_id)
    part_score(
        task=task,
        runs=PartOfRuns(set_name, first, last),
        report=lambda done, total: progress.report(done, total, RUNS_SCORED),
    )


@job(SCORE_PREFERENCES, queue=SCORE)
def score_by_preferences(progress: Progress, *, order_id: int) -> None:
    order = get_or_404(PreferenceOrder.objects.select_related("task__campaign"), pk=order_id)
    order_score(order=order, report=lambda done, total: progress.report(done, total, "runs scored"))


@job(PUBLISH)
def publish_leaderboard(progress: Progress, *, task_id: int, actor_id: int, asked: dict[str, Any]) -> None:
    task = get_or_404(Task.objects.select_related("campaign"), pk=task_id)
    actor = User.objects.filter(is_active=True, pk=actor_id).first()
    if actor is None:
        raise JobFailed(NO_RIGHT)
    publication_do(actor=actor, task=task, asked=asked, job_id=progress.job_id, report=progress.report)


@job(MAIL_LEADERBOARD, queue=MAIL)
def mail_leaderboard(progress: Progress, *, notice_id: int, leaderboard_id: int) -> None:
    leaderboard_mail(notice_id=notice_id, leaderboard_id=leaderboard_id)


@job(REPORT_OF_SCORES, queue=REPORTS)
def report_on_scores(progress: Progress, *, task_id: int) -> None:
    task = get_or_404(Task.objects.select_related("campaign"), pk=task_id)
    working_report_compute(task=task, report=progress.report)


@job(REPORT_OF_LEADERBOARD, queue=REPORTS)
def report_on_leaderboard(progress: Progress, *, leaderboard_id: int) -> None:
    leaderboard = get_or_404(Leaderboard.objects.select_related("task__campaign", "qrels"), pk=leaderboard_id)
    published_report_compute(leaderboard=leaderboard, report=progress.report)
