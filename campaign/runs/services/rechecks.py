"""Checking many runs again: all of a task after its rules have changed, and those whose job is lost."""

import logging
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from campaign.log.audit import audit
from campaign.models import Run, Task, User
from campaign.permissions import held_organised_campaign_or_404
from campaign.queue.jobs import enqueue
from campaign.runs.selectors.check_counts import forgotten_runs
from campaign.runs.selectors.progress import CHECK_RUN
from campaign.runs.services.decisions import wait_for_check
from campaign.teams.services.registrations import registrations_lock
from campaign.web.daily_limits import require_few_of_person

logger = logging.getLogger(__name__)


MOST_CHECKS_A_DAY = 100
"""Of one person: each reads every run of a task."""


@dataclass
class Rechecks:
    """The number of runs sent to a check. `skipped`: the reason for each rejected run that could not count after any check."""

    count: int = 0
    skipped: list[str] = field(default_factory=list)


@transaction.atomic
def runs_check_again(*, actor: User, task: Task) -> Rechecks:
    """As `runs_check_all`, for an organiser who asks for it."""
    held_organised_campaign_or_404(actor, task.campaign)
    require_few_of_person(actor, "checks of all runs", MOST_CHECKS_A_DAY)
    return runs_check_all(actor=actor, task=task)


@transaction.atomic
def runs_check_all(*, actor: User, task: Task) -> Rechecks:
    """Check every run of the task by its current rules. Decisions by hand hold: rejected and accepted runs stay so.

    Goes from the newest run to the oldest, so that the newest count again where the tag or the quota has no room for all. The
    actor of a job may have lost the role since they asked.
    """
    asked = Rechecks()
    registrations_lock(task.campaign)
    for run in _to_be_checked(task).select_related("task__campaign", "team").order_by("-pk"):
        try:
            asked.count += wait_for_check(run, [Run.RECEIVED, Run.VALID, Run.REJECTED])
        except ValidationError as problem:
            asked.skipped.append(f"{run} (attempt {run.attempt}): {problem.messages[0]}")
    audit(actor, "check all again", task, campaign=task.campaign, runs=asked.count, skipped=len(asked.skipped))
    return asked


def _to_be_checked(task: Task) -> QuerySet[Run]:
    """Exclude rejected attempts that the team has followed by a newer one, even if that was withdrawn since."""
    later = Run.objects.filter(task=task, tag=OuterRef("tag"), team=OuterRef("team"), attempt__gt=OuterRef("attempt"))
    runs = Run.objects.filter(task=task, state__in=[Run.RECEIVED, Run.VALID, Run.REJECTED])
    return runs.exclude(decision=Run.REJECTED_BY_HAND).exclude(Q(state=Run.REJECTED) & Exists(later))


def runs_check_forgotten() -> int:
    """Enqueue the checks of waiting runs without a job: its row may be lost, or it ended without an outcome."""
    forgotten = forgotten_runs()
    for run in forgotten:
        logger.warning("run %s waits and has no job: its check is enqueued again", run.pk)
        enqueue(CHECK_RUN, run_id=run.pk)
    return len(forgotten)
