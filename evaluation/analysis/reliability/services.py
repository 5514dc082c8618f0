"""Reports on boards are computed by jobs, which may be stopped at any moment and done twice."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction

from campaign.log.audit import audit
from campaign.models import Job, Task, User
from campaign.permissions import held_organised_campaign_or_404
from campaign.queue.jobs import JobFailed, enqueue
from campaign.storage import store
from campaign.web.daily_limits import require_few_changes
from evaluation.analysis.reliability.computing import report_of_board
from evaluation.analysis.reliability.selectors import (
    REPORT_OF_LEADERBOARD,
    REPORT_OF_SCORES,
    leaderboard_reported,
    working_reported,
)
from evaluation.models import Leaderboard, PublishedTrust, WorkingTrust
from evaluation.selectors.boards import working_board

FOLDER = "trust"
Report = Callable[[int, int, str], None]


@transaction.atomic
def reliability_request(*, actor: User, task: Task, leaderboard: Leaderboard | None = None) -> Job:
    """Ask for the report on the working board, or on a leaderboard that has none yet."""
    held_organised_campaign_or_404(actor, task.campaign)
    require_few_changes(actor)
    audit(actor, "asked for a report", leaderboard or task, campaign=task.campaign)
    if leaderboard is None:
        return enqueue(REPORT_OF_SCORES, task_id=task.pk)
    return enqueue(REPORT_OF_LEADERBOARD, leaderboard_id=leaderboard.pk)


def working_report_compute(*, task: Task, report: Report) -> None:
    """Compute the report on the working board as it is now, unless it is up to date; it bears the mark of that board."""
    working = working_board(task)
    if working is None or not working.run_ids:
        raise JobFailed("There is no board yet: score the runs first.")
    stored = WorkingTrust.objects.filter(task=task).first()
    if stored is not None and stored.mark == working.mark:
        return
    name = _stored(report_of_board(working_reported(working), report))
    WorkingTrust.objects.update_or_create(task=task, defaults={"mark": working.mark, "report": name})


def published_report_compute(*, leaderboard: Leaderboard, report: Report) -> None:
    """Compute the report on a leaderboard, once; a second job that was under way at the same time leaves the first one's."""
    if PublishedTrust.objects.filter(leaderboard=leaderboard).exists():
        return
    name = _stored(report_of_board(leaderboard_reported(leaderboard), report))
    try:
        with transaction.atomic():
            PublishedTrust.objects.create(leaderboard=leaderboard, report=name)
    except IntegrityError:
        return


def _stored(data: Mapping[str, Any]) -> str:
    content = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return store(ContentFile(content.encode()), folder=FOLDER, suffix=".json").name
