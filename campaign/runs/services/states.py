from typing import Any

from campaign.clock import Moment
from campaign.models import Run


def move(run: Run, states: list[str], **changes: Any) -> bool:
    """Change a run that is in one of these states, by a conditional UPDATE; return whether this call did."""
    moved = Run.objects.filter(pk=run.pk, state__in=states).update(state_changed_at=Moment(), **changes) == 1
    run.refresh_from_db()
    return moved
