from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from campaign.models import Allowance, Run, Task, Team, Visitor
from campaign.models.fields import zone_named
from campaign.setup.selectors.schedule import accepts_runs_until, closing_time, later
from campaign.teams.selectors.acceptances import missing_agreements


@dataclass(frozen=True, slots=True)
class Quota:
    """What a team may still submit to a task. `closed`: what keeps the task from taking its runs now, in words."""

    team: Team
    used: int
    most: int
    closes_at: datetime | None
    closed: str

    @property
    def left(self) -> int:
        return max(0, self.most - self.used)

    @property
    def has_room(self) -> bool:
        return bool(self.left) and not self.closed


def quota(task: Task, team: Team) -> Quota:
    used = Run.objects.counting().filter(task=task, team=team).count()
    allowance = Allowance.objects.filter(task=task, team=team).first() or Allowance()
    closes_at = later(task.closes_at, allowance.closes_at)
    return Quota(
        team=team,
        used=used,
        most=task.max_runs_per_team + allowance.extra_runs,
        closes_at=closes_at,
        closed=_why_closed(task, closes_at, timezone.now()),
    )


def own_quotas(user: Visitor, task: Task) -> list[Quota]:
    """Of each team that the user may submit for."""
    return [quota(task, team) for team in Team.objects.taking_part(user, task.campaign)]


def upload_rules(task: Task, quotas: list[Quota]) -> dict[str, object]:
    """What a page says to those who are about to upload: until when, how many, and why not."""
    return {
        "zone": zone_named(task.campaign.time_zone),
        "quotas": quotas,
        "may_upload": any(quota.has_room for quota in quotas),
        "lacking": [quota.team for quota in quotas if missing_agreements(quota.team, task.campaign).exists()],
        "refusals": [words for quota in quotas if (words := _why_no_room(quota, is_only_one=len(quotas) == 1))],
    }


def _why_no_room(quota: Quota, *, is_only_one: bool) -> str:
    if quota.closed:
        return quota.closed if is_only_one else f"{quota.team}: {quota.closed}"
    if not quota.left:
        used_up = f"{quota.team} has used up its quota, {quota.used} of {quota.most} runs."
        return f"{used_up} Replace or withdraw one of them; rejected and withdrawn runs do not count."
    return ""


def why_no_runs(task: Task, now: datetime | None = None, team: Team | None = None) -> str:
    """What keeps the task from taking runs, those of one team or all; empty when nothing does."""
    return _why_closed(task, closing_time(task, team), now or timezone.now())


def _why_closed(task: Task, closes_at: datetime | None, now: datetime) -> str:
    if accepts_runs_until(task, closes_at, now):
        return ""
    if task.campaign.opened_at is None or task.phase == Task.SETUP:
        return "This task is not open yet."
    zone = task.campaign.time_zone
    if task.opens_at is not None and now < task.opens_at:
        return f"This task takes runs from {task.opens_at.astimezone(zone_named(zone)):%-d %b %Y, %H:%M} {zone} on."
    if closes_at is not None:
        there = closes_at.astimezone(zone_named(zone))
        return f"The deadline was {there:%-d %b %Y, %H:%M} {zone}. Ask the organisers if you need more time."
    return "This task takes no more runs."
