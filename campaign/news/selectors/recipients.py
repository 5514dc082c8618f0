"""Who a notice is for."""

from dataclasses import dataclass, field, replace

from django.db.models import Exists, OuterRef, Q, QuerySet

from campaign.mail.choices import without_those_who_switched_off
from campaign.models import Campaign, Membership, Notice, Registration, Role, Run, Task, Team, User
from campaign.models.mail import DEADLINE, NOTICE, REMINDER

TEAMS_AND_ORGANISERS = frozenset({DEADLINE, REMINDER})
"""Kinds of notices for everybody that assessors get no mail of: nothing for them depends on it."""


@dataclass(frozen=True, slots=True)
class Audience:
    """For whom a notice is, before it is written. `but`: the author, who knows it already."""

    campaign: Campaign
    name: str
    kind: str = NOTICE
    task: Task | None = None
    teams: list[Team] = field(default_factory=list)
    owners_only: bool = False
    but: User | None = None

    @classmethod
    def of(cls, notice: Notice) -> "Audience":
        teams = list(notice.teams.all()) if notice.audience in Notice.OF_TEAMS else []
        return cls(
            notice.campaign, notice.audience, notice.kind, notice.task, teams, notice.owners_only, notice.written_by
        )

    def with_teams(self) -> "Audience":
        """The same with the teams that it means now, where it is one of certain teams."""
        if self.name not in (Notice.SUBMITTERS, Notice.WITHOUT_RUN):
            return self
        tasks = [self.task] if self.task else self.campaign.tasks.all()
        has_run = Exists(Run.objects.counting().filter(team=OuterRef("pk"), task__in=tasks))
        approved = Team.objects.filter(pk__in=_approved(self.campaign).values("team"))
        return replace(self, teams=list(approved.filter(has_run if self.name == Notice.SUBMITTERS else ~has_run)))


def people(audience: Audience) -> QuerySet[User]:
    """All people of an audience `with_teams`, with and without an address."""
    wanted = Q(pk__in=_members(audience).values("user"))
    roles = Role.objects.filter(campaign=audience.campaign)
    organisers = Q(pk__in=roles.filter(role=Role.ORGANISER).values("user"))
    assessors = Q(pk__in=roles.filter(role=Role.ASSESSOR).values("user"))
    if audience.name == Notice.EVERYBODY:
        wanted |= organisers if audience.kind in TEAMS_AND_ORGANISERS else organisers | assessors
    elif audience.name in (Notice.ORGANISERS, Notice.ASSESSORS):
        wanted = organisers if audience.name == Notice.ORGANISERS else assessors
    found = User.objects.filter(wanted, is_active=True)
    return found if audience.but is None else found.exclude(pk=audience.but.pk)


def mailed(audience: Audience) -> list[User]:
    """Those of an audience who get it by mail: with an address, each address once, and not switched off."""
    wanted = without_those_who_switched_off(people(audience).exclude(email=""), audience.kind)
    return list({user.email.lower(): user for user in wanted.order_by("pk")}.values())


def _members(audience: Audience) -> QuerySet[Membership]:
    if audience.name in Notice.OF_TEAMS:
        members = Membership.objects.filter(team__in=[team.pk for team in audience.teams])
    else:
        members = Membership.objects.filter(team__in=_approved(audience.campaign).values("team"))
    return members.filter(is_owner=True) if audience.owners_only else members


def _approved(campaign: Campaign) -> QuerySet[Registration]:
    return Registration.objects.approved().filter(campaign=campaign)
