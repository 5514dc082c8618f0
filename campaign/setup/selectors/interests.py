"""Conflicts of interest: assessors who are members of a team with runs in the campaign that they judge for."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from campaign.models import Campaign, Role, Run, User


@dataclass(frozen=True, slots=True)
class Conflict:
    """`runs`: how many of the team's runs count in the campaign."""

    role: Role
    team_id: int
    team: str
    runs: int

    @property
    def user(self) -> User:
        return self.role.user


def conflicts_in(campaign: Campaign) -> list[Conflict]:
    """As it is now: by assessor, then by team."""
    return conflicts_of(Role.objects.filter(campaign=campaign))


def conflicts_of(roles: Iterable[Role]) -> list[Conflict]:
    """Those of some roles, which may be of several campaigns."""
    counting = Run.objects.counting().filter(
        team__memberships__user__roles__in=roles, team__memberships__user__roles__role=Role.ASSESSOR
    )
    found = (
        counting.order_by()
        .values_list("team__memberships__user__roles", "task__campaign", "team", "team__name")
        .annotate(count=Count("pk", distinct=True))
    )
    rows = list(found)
    assessing = {role.pk: role for role in Role.objects.filter(pk__in={row[0] for row in rows}).select_related("user")}
    conflicts = [
        Conflict(assessing[role], team, name, count)
        for role, campaign, team, name, count in rows
        if role in assessing and assessing[role].campaign_id == campaign
    ]
    return sorted(conflicts, key=lambda one: (one.user.username, one.team))
