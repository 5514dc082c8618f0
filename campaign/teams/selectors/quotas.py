from dataclasses import dataclass
from datetime import datetime

from campaign.models import Allowance, Run, Task, Team, Visitor
from campaign.setup.selectors.schedule import RunWindow, window_with
from campaign.teams.selectors.acceptances import missing_agreements


@dataclass(frozen=True, slots=True)
class Quota:
    """What a team may still submit to a task, and when."""

    team: Team
    used: int
    most: int
    window: RunWindow

    @property
    def left(self) -> int:
        return max(0, self.most - self.used)

    @property
    def has_room(self) -> bool:
        return bool(self.left) and self.window.is_open


def quota(task: Task, team: Team, now: datetime | None = None) -> Quota:
    used = Run.objects.counting().filter(task=task, team=team).count()
    allowance = Allowance.objects.filter(task=task, team=team).first() or Allowance()
    return Quota(
        team=team,
        used=used,
        most=task.max_runs_per_team + allowance.extra_runs,
        window=window_with(task, allowance.closes_at, now),
    )


def own_quotas(user: Visitor, task: Task) -> list[Quota]:
    """Return the quota of each team that the user may submit for."""
    return [quota(task, team) for team in Team.objects.taking_part(user, task.campaign)]


def upload_rules(task: Task, quotas: list[Quota]) -> dict[str, object]:
    """Return the context of the upload page: deadlines, the runs that are left, and why a team cannot submit."""
    return {
        "quotas": quotas,
        "may_upload": any(quota.has_room for quota in quotas),
        "lacking": [quota.team for quota in quotas if missing_agreements(quota.team, task.campaign).exists()],
        "refusals": [words for quota in quotas if (words := _why_no_room(quota, is_only_one=len(quotas) == 1))],
    }


def _why_no_room(quota: Quota, *, is_only_one: bool) -> str:
    if not quota.window.is_open:
        return quota.window.why_closed if is_only_one else f"{quota.team}: {quota.window.why_closed}"
    if not quota.left:
        used_up = f"{quota.team} has used up its quota, {quota.used} of {quota.most} runs."
        return f"{used_up} Replace or withdraw one of them; rejected and withdrawn runs do not count."
    return ""
