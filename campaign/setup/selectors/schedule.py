"""When a task takes runs: used by pages, mails, the API and every check."""

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from campaign.models import Allowance, Task, Team, Visitor
from campaign.models.fields import moment_in_words, second_in_words
from campaign.web.asking_once import once


@dataclass(frozen=True, slots=True)
class RunWindow:
    """When a task takes the runs of one team, or of all teams.

    `deadline`: the moment after which no run is taken; None: organisers end it by the phase. `is_own`: the team has a later
    deadline than the others. `is_over`: the deadline has passed, which closes nothing for a team whose own deadline is the only
    one. `closed_when`: what closed the uploads at that moment, where nobody set it; else empty. `why_closed`: what keeps the
    task from taking runs now, in words; empty while it takes them.
    """

    opens_at: datetime | None
    deadline: datetime | None
    is_own: bool
    is_over: bool
    closed_when: str
    why_closed: str

    @property
    def is_open(self) -> bool:
        return not self.why_closed

    @property
    def closes_at(self) -> datetime | None:
        """The deadline while it is still to come, else None."""
        return self.deadline if self.is_open and not self.is_over else None


def run_window(task: Task, team: Team | None = None, now: datetime | None = None) -> RunWindow:
    """Return when the task takes runs of `team`, or of teams without a deadline of their own."""
    own = None
    if team is not None:
        allowed = Allowance.objects.filter(task=task, team=team).values_list("closes_at", flat=True)
        own = once((run_window, task.pk, team.pk), allowed.first)
    return window_with(task, own, now)


def window_with(task: Task, own: datetime | None, now: datetime | None = None) -> RunWindow:
    """Like `run_window`, for a team whose own deadline (`own`, None without one) is known already."""
    now = now or timezone.now()
    for_all = min((at for at in (task.closes_at, task.runs_closed_at) if at is not None), default=None)
    deadline = max((at for at in (for_all, own) if at is not None), default=None)
    closed_when = _closed_when(task, deadline)
    return RunWindow(
        opens_at=task.opens_at,
        deadline=deadline,
        is_own=deadline != for_all,
        is_over=deadline is not None and now >= deadline,
        closed_when=closed_when,
        why_closed=_why_closed(task, for_all, deadline, closed_when, now),
    )


def _closed_when(task: Task, deadline: datetime | None) -> str:
    if deadline is None or deadline != task.runs_closed_at:
        return ""
    is_known = task.qrels_known_at is not None and task.qrels_known_at <= deadline
    return "the relevance judgments became visible" if is_known else "the pool was frozen"


def why_too_late(task: Task, window: RunWindow, received_at: datetime) -> str:
    """Tell the sender of a late file both times; empty if something else than the deadline keeps the task from taking it."""
    if window.deadline is None or not window.is_over or _is_unopened(task) or task.campaign.why_closed:
        return ""
    if window.closed_when:
        return window.why_closed
    deadline, arrived = (second_in_words(at, task.campaign.time_zone) for at in (window.deadline, received_at))
    late = f"The deadline was {deadline}, and the last byte of your file arrived at {arrived}."
    return f"{late} Ask the organisers if you need more time."


def takes_runs_of(user: Visitor, task: Task) -> bool:
    """Whether the task takes runs now: from every team, or from a team of the user in the campaign by its own deadline."""
    teams = Team.objects.taking_part(user, task.campaign)
    return run_window(task).is_open or any(run_window(task, team).is_open for team in teams)


def coming_dates(tasks: Iterable[Task]) -> Iterator[tuple[datetime, str]]:
    """Yield the coming dates of the schedule, each with what happens then."""
    now = timezone.now()
    for task in tasks:
        if task.campaign.why_closed:
            continue
        if task.opens_at and task.opens_at > now:
            yield task.opens_at, f"{task} opens for runs"
        if task.closes_at and task.closes_at > now and task.runs_closed_at is None:
            yield task.closes_at, f"{task} closes for runs"


def when_runs_are_taken(task: Task) -> str:
    """Tell an organiser who is about to enter the phase Runs, which opens the uploads again, how long runs will be taken."""
    reopened = copy(task)
    reopened.runs_closed_at = None
    window = run_window(reopened)
    if window.deadline is None:
        return "Registered teams can upload runs for as long as the task is in this phase."
    deadline = moment_in_words(window.deadline, task.campaign.time_zone)
    if window.is_over:
        return f"The deadline {deadline} is over: no runs are taken. Move the deadline to take more."
    return f"Registered teams can upload runs until {deadline}."


def when_runs_are_refused(task: Task) -> str:
    """Tell an organiser who is about to leave the phase Runs whether runs will still be taken."""
    window = run_window(task)
    if window.deadline is None or window.is_over:
        return "No more runs are taken."
    deadline = moment_in_words(window.deadline, task.campaign.time_zone)
    return f"Runs are taken until the deadline, {deadline}. Move the deadline to stop earlier."


def uploads_end(task: Task, *, qrels: bool = False) -> list[str]:
    """Tell an organiser who is about to freeze a pool, or to show `qrels` to participants, what becomes of the uploads."""
    lines = []
    if task.qrels_known_at is None and qrels and task.round_kind != Task.DEVELOPMENT:
        lines.append(
            "Runs that come later, by a deadline of a team’s own, are marked “after the qrels” and never rank."
        )
    window = run_window(task)
    if window.is_over or (window.deadline is None and task.phase not in (Task.SETUP, Task.RUNS)):
        return lines
    zone = task.campaign.time_zone
    until = f"until {moment_in_words(window.deadline, zone)}" if window.deadline else "as long as the phase is Runs"
    if task.round_kind == Task.DEVELOPMENT:
        return [f"This is a development round: it takes runs {until} all the same."]
    if not qrels and task.takes_runs_after_pool:
        return [f"The task goes on taking runs, as its settings say: {until}. They are not in this pool."]
    instead = f", although the deadline is {moment_in_words(window.deadline, zone)}" if window.deadline else ""
    return [f"Uploads close now{instead}. Only teams with a deadline of their own can still upload.", *lines]


def _why_closed(
    task: Task, for_all: datetime | None, deadline: datetime | None, closed_when: str, now: datetime
) -> str:
    """Return why the task takes no runs now, empty if it does: until the deadline, or without one in the phase Runs."""
    zone = task.campaign.time_zone
    if task.campaign.why_closed:
        return task.campaign.why_closed
    if _is_unopened(task):
        return "This task is not open yet."
    if task.opens_at is not None and now < task.opens_at:
        return f"This task takes runs from {moment_in_words(task.opens_at, zone)} on."
    # A team's own deadline is more time, never less: where there is none for all, its end closes nothing.
    by_phase = for_all is None and task.phase == Task.RUNS
    if by_phase or (deadline is not None and now < deadline):
        return ""
    if deadline is None:
        return f"This task takes no more runs: its phase is {task.get_phase_display()}, and it has no deadline."
    ended = f"Uploads closed when {closed_when}," if closed_when else "The deadline was"
    return f"{ended} {moment_in_words(deadline, zone)}. Ask the organisers if you need more time."


def _is_unopened(task: Task) -> bool:
    return task.campaign.opened_at is None or task.phase == Task.SETUP
