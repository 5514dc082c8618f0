from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from math import inf

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from campaign.database import clock
from campaign.models import Allowance, Registration, Run, Task, Team, User, Visitor
from campaign.models.fields import moment_in_words
from campaign.setup.selectors.schedule import RunWindow, window_with
from campaign.storage.room import NO_UPLOADS, has_room
from campaign.teams.selectors.acceptances import missing_agreements
from campaign.text.plurals import number_of

DAY, GIB = timedelta(hours=24), 1024**3


@dataclass(frozen=True, slots=True)
class Day:
    """What a team has sent to a task in the last 24 hours, whatever became of it: `sent` has time and size, oldest first.

    Runs that were rejected or withdrawn cost no quota, but their files are kept: this bounds the disk that a team can fill.
    """

    sent: list[tuple[datetime, int]]
    most_attempts: int
    most_bytes: int
    time_zone: str

    @property
    def in_words(self) -> str:
        return f"at most {self.most_attempts}, of together at most {filesizeformat(self.most_bytes)}"

    def why_used_up(self, size: int = 0) -> str:
        """What keeps the team from sending another file of this size, and until when; empty if nothing does."""
        if len(self.sent) >= self.most_attempts:
            runs = number_of(len(self.sent), "run")
            what = f"has sent {runs} to this task within 24 hours, and {self.most_attempts} are the most"
            return self._sentence(what, self._free_at(len(self.sent) - self.most_attempts + 1))
        sizes = [size for _, size in self.sent]
        total = sum(sizes)
        if total + max(size, 1) <= self.most_bytes:
            return ""
        most = filesizeformat(self.most_bytes)
        what = f"has sent {filesizeformat(total)} to this task within 24 hours; with this file it were more than {most}"
        gone = next(
            (count for count, freed in enumerate(accumulate(sizes), 1) if total - freed + size <= self.most_bytes), 0
        )
        return self._sentence(what, self._free_at(gone))

    def _free_at(self, gone: int) -> datetime | None:
        """When so many of the oldest are 24 hours old."""
        return self.sent[gone - 1][0] + DAY if gone else None

    def _sentence(self, what: str, free_at: datetime | None) -> str:
        until = f"It can send again at {moment_in_words(free_at, self.time_zone)}. " if free_at else ""
        return f"{what}. Rejected and withdrawn runs count here. {until}An organiser can allow more."


@dataclass(frozen=True, slots=True)
class Quota:
    """What a team may still submit to a task, and when."""

    team: Team
    used: int
    most: int
    window: RunWindow
    day: Day

    @property
    def left(self) -> int:
        return max(0, self.most - self.used)

    @property
    def left_in_words(self) -> str:
        return f"{self.left} of {number_of(self.most, 'run')} left"

    @property
    def has_room(self) -> bool:
        return bool(self.left) and self.window.is_open and not self.day.why_used_up()


def quota(task: Task, team: Team, now: datetime | None = None, *, besides: Run | None = None) -> Quota:
    """The quota at a time, by default now; `besides` is a run that does not count in it."""
    runs = Run.objects.filter(task=task, team=team)
    if besides is not None:
        runs = runs.exclude(pk=besides.pk)
    allowance = Allowance.objects.filter(task=task, team=team).first() or Allowance()
    most = task.max_runs_per_team + allowance.extra_runs
    window = window_with(task, allowance.closes_at, now)
    sent = runs.filter(clock.within("submitted_at", DAY, now or timezone.now())).order_by("submitted_at")
    day = Day(
        sent=list(sent.values_list("submitted_at", "size")),
        # All runs of a team's quota fit into a day, each with a second try.
        most_attempts=max(settings.RUN_ATTEMPTS_PER_DAY, 2 * most) + allowance.extra_attempts,
        most_bytes=settings.RUN_BYTES_PER_DAY + allowance.extra_gib * GIB,
        time_zone=task.campaign.time_zone,
    )
    return Quota(team=team, used=runs.counting().count(), most=most, window=window, day=day)


def own_quotas(user: Visitor, task: Task) -> list[Quota]:
    """Return the quota of each team that the user may submit for."""
    return [quota(task, team) for team in Team.objects.taking_part(user, task.campaign)]


def windows_with_room(user: User, tasks: Sequence[Task]) -> Iterator[tuple[Task, RunWindow]]:
    """Return the tasks to which a team of the user can submit another run, each with the window of the latest deadline.

    Runs three queries for all of them, and one where the user has no team that takes part.
    """
    teams: dict[int, list[int]] = {}
    own = Registration.objects.approved().filter(team__memberships__user=user)
    for campaign, team in own.values_list("campaign", "team"):
        teams.setdefault(campaign, []).append(team)
    in_these = {team for task in tasks for team in teams.get(task.campaign_id, [])}
    if not in_these:
        return
    runs = Run.objects.counting().filter(task__in=tasks, team__in=in_these).order_by()
    used = Counter(runs.values_list("task", "team"))
    allowances = Allowance.objects.filter(task__in=tasks, team__in=in_these)
    allowed = {(allowance.task_id, allowance.team_id): allowance for allowance in allowances}
    now = timezone.now()
    for task in tasks:
        windows = []
        for key in [(task.pk, team) for team in teams.get(task.campaign_id, [])]:
            allowance = allowed.get(key) or Allowance()
            if used[key] < task.max_runs_per_team + allowance.extra_runs:
                windows.append(window_with(task, allowance.closes_at, now))
        if opened := [window for window in windows if window.is_open]:
            # Only teams' own deadlines differ, and each of them is later than that of all.
            yield task, max(opened, key=lambda window: window.deadline.timestamp() if window.deadline else inf)


def upload_rules(task: Task, quotas: list[Quota]) -> dict[str, object]:
    """Return the context of the upload page: deadlines, the runs that are left, and why a team cannot submit."""
    refusals = [words for quota in quotas if (words := _why_no_room(quota, is_only_one=len(quotas) == 1))]
    return {
        "quotas": quotas,
        "may_upload": has_room() and any(quota.has_room for quota in quotas),
        "lacking": [quota.team for quota in quotas if missing_agreements(quota.team, task.campaign).exists()],
        "refusals": refusals if has_room() else [NO_UPLOADS, *refusals],
    }


def _why_no_room(quota: Quota, *, is_only_one: bool) -> str:
    if not quota.window.is_open:
        return quota.window.why_closed if is_only_one else f"{quota.team}: {quota.window.why_closed}"
    if not quota.left:
        used_up = f"{quota.team} has used up its quota, {quota.used} of {number_of(quota.most, 'run')}."
        return f"{used_up} Replace or withdraw one of them; rejected and withdrawn runs do not count."
    if why := quota.day.why_used_up():
        return f"{quota.team} {why}"
    return ""
