from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db.models import Max
from django.utils import timezone

from campaign.models import Allowance, Task, Team, User, Visitor


def closing_time(task: Task, team: Team | None = None) -> datetime | None:
    """The deadline for runs; a team's own one where an organiser has given it a later one."""
    if team is None:
        return task.closes_at
    own = Allowance.objects.filter(task=task, team=team).values_list("closes_at", flat=True).first()
    return later(task.closes_at, own)


def later(deadline: datetime | None, own: datetime | None) -> datetime | None:
    return max((at for at in (deadline, own) if at is not None), default=None)


def accepts_runs(task: Task, now: datetime | None = None, team: Team | None = None) -> bool:
    """In an open campaign, past the set-up: by the clock where there is a deadline, else while the phase is Runs."""
    return accepts_runs_until(task, closing_time(task, team), now or timezone.now())


def accepts_runs_until(task: Task, closes_at: datetime | None, now: datetime) -> bool:
    """The same, where the deadline is known already."""
    return _is_open(task, now) and _is_before(closes_at, task, now)


def accepts_runs_of(user: Visitor, task: Task) -> bool:
    """Whether one of the user's teams in the campaign can submit now, by the deadline for all or by its own."""
    return accepts_runs(task) or any(
        accepts_runs(task, team=team) for team in Team.objects.taking_part(user, task.campaign)
    )


def open_for(user: User, tasks: Iterable[Task]) -> Iterator[tuple[Task, datetime | None]]:
    """Those of the tasks to which a team of the user can submit now, with the latest deadline; one query for all of them.

    The tasks are of campaigns in which the user takes part.
    """
    own = Allowance.objects.filter(team__in=Team.objects.of(user), closes_at__isnull=False)
    latest = dict(own.order_by().values_list("task").annotate(Max("closes_at")))
    now = timezone.now()
    for task in tasks:
        closes_at = later(task.closes_at, latest.get(task.pk))
        if accepts_runs_until(task, closes_at, now):
            yield task, closes_at


def _is_open(task: Task, now: datetime) -> bool:
    if task.campaign.opened_at is None or task.phase == Task.SETUP:
        return False
    return task.opens_at is None or now >= task.opens_at


def _is_before(closes_at: datetime | None, task: Task, now: datetime) -> bool:
    if closes_at is not None and now < closes_at:
        return True
    # A team's own deadline is more time, never less: without one for all, its end closes nothing.
    return task.closes_at is None and task.phase == Task.RUNS
