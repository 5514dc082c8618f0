"""Changes of the state of a run. A new attempt of a tag takes the place of the old one.

The old one is lost only when the new one has passed its check. Only one run of a tag can count, so the old one is withdrawn
while the new one waits, and put back if that fails.
"""

from typing import Any

from django.db import IntegrityError, transaction

from campaign.database.clock import Moment
from campaign.events import run_accepted
from campaign.log.audit import audit
from campaign.models import Run, Task, Team, User


def move(run: Run, states: list[str], **changes: Any) -> bool:
    """Change a run that is in one of these states, by a conditional UPDATE; return whether this call did."""
    moved = Run.objects.filter(pk=run.pk, state__in=states).update(state_changed_at=Moment(), **changes) == 1
    run.refresh_from_db()
    return moved


def replaced_run(task: Task, team: Team, tag: str) -> Run | None:
    """The team's own run of the tag that counts now."""
    return (
        Run.objects.counting()
        .filter(task=task, team=team, tag=tag)
        .select_related("task__campaign", "team", "replaces")
        .first()
    )


def withdraw_replaced(actor: User, earlier: Run) -> Run | None:
    """Make room for a new attempt; returns the last valid attempt, which counts again if the new one is rejected."""
    if move(earlier, [Run.RECEIVED], state=Run.WITHDRAWN):
        comes_back = earlier.replaces
        _forget(earlier)  # only the new attempt can bring it back
    elif move(earlier, [Run.VALID], state=Run.WITHDRAWN):
        comes_back = earlier
    else:  # rejected or withdrawn since it was read: there is nothing to replace any more
        return None
    audit(actor, "replace", earlier, campaign=earlier.task.campaign, tag=earlier.tag, attempt=earlier.attempt)
    return comes_back


def replacement_succeeded(run: Run) -> None:
    """Forget the attempt that this run replaced. Call it where a run becomes valid, in that transaction."""
    _forget(run)


def replacement_failed(run: Run) -> Run | None:
    """Let the attempt that this rejected run replaced count again, if there is one; call it in that transaction."""
    earlier = run.replaces
    if earlier is None:
        return None
    _forget(run)
    try:
        with transaction.atomic():
            is_back = move(earlier, [Run.WITHDRAWN], state=Run.VALID)
    except IntegrityError:  # the tag is in use again: that newer run counts
        return None
    if not is_back:
        return None
    audit(None, "restore", earlier, campaign=earlier.task.campaign, tag=earlier.tag, attempt=earlier.attempt)
    run_accepted.send(sender=Run, run=earlier)
    return earlier


def _forget(run: Run) -> None:
    if run.replaces_id is not None:
        Run.objects.filter(pk=run.pk).update(replaces=None)
        run.replaces = None
