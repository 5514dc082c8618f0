"""What closes the uploads of a task besides its deadline: a frozen pool, and qrels that participants can see.

Later apps call these inside the transaction that freezes or shows. Teams with a deadline of their own can still upload.
"""

from django.db import transaction
from django.utils import timezone

from campaign.log.audit import audit
from campaign.models import Task, User
from campaign.permissions import locked_task_or_404


@transaction.atomic
def close_for_pool(*, actor: User, task: Task) -> None:
    """A pool of the task is frozen: uploads close, unless the task keeps them open or is a development round."""
    locked = locked_task_or_404(task)
    if not locked.takes_runs_after_pool and locked.round_kind != Task.DEVELOPMENT:
        _close(actor, locked, because="a pool was frozen")
    task.runs_closed_at = locked.runs_closed_at


@transaction.atomic
def close_for_qrels(*, actor: User, task: Task) -> None:
    """Participants can see qrels of the task from now on: later runs never rank, and uploads close but in a development round."""
    locked = locked_task_or_404(task)
    if locked.qrels_known_at is None:
        locked.qrels_known_at = timezone.now()
        locked.save(update_fields=["qrels_known_at"])
    if locked.round_kind != Task.DEVELOPMENT:
        _close(actor, locked, because="participants can see the qrels")
    task.runs_closed_at, task.qrels_known_at = locked.runs_closed_at, locked.qrels_known_at


def _close(actor: User, task: Task, *, because: str) -> None:
    now = timezone.now()
    if task.runs_closed_at is not None or (task.closes_at is not None and task.closes_at <= now):
        return
    task.runs_closed_at = now
    task.save(update_fields=["runs_closed_at"])
    audit(actor, "close uploads", task, campaign=task.campaign, because=because)
