from django.db.models import Count, Q, QuerySet

from campaign.models import Campaign, Invitation, Membership, Registration, Run, Task, Team, User, Visitor
from campaign.permissions import is_member
from campaign.setup.selectors.schedule import takes_runs_of
from campaign.teams.selectors.quotas import windows_with_room
from campaign.text.collation import by_numbers


def own_teams(user: Visitor) -> QuerySet[Team]:
    """Return the user's teams with the numbers of their members and of the campaigns that they take part in."""
    mine = Team.objects.filter(pk__in=Team.objects.of(user).values("pk"))
    return mine.annotate(
        member_count=Count("memberships", distinct=True),
        campaign_count=Count("registrations", filter=Q(registrations__state=Registration.APPROVED), distinct=True),
    )


def team_members(team: Team) -> QuerySet[Membership]:
    return team.memberships.select_related("user").order_by("-is_owner", "joined_at", "pk")


def team_registrations(user: Visitor, team: Team) -> QuerySet[Registration]:
    """Return the team's registrations in the campaigns that the reader may see."""
    visible = Campaign.objects.visible_to(user).values("pk")
    registrations = team.registrations.filter(campaign__in=visible).select_related("campaign", "registered_by")
    return registrations.order_by("-registered_at")


def invited_team(key: str) -> Team | None:
    """The team that a key belongs to: that of its link, or of an unused invitation by mail."""
    if "\0" in key:  # PostgreSQL refuses to look for it
        return None
    waiting = Invitation.objects.filter(key=key, accepted_at__isnull=True).values("team")
    return Team.objects.filter(Q(invitation_key=key) | Q(pk__in=waiting)).first()


def joined_team(user: Visitor, key: str) -> Team | None:
    """Return the team that the user joined by this invitation; people often open its link again."""
    if "\0" in key or not user.is_authenticated:
        return None
    return Team.objects.of(user).filter(invitations__key=key, invitations__accepted_by=user).first()


def open_invitations(team: Team) -> QuerySet[Invitation]:
    return team.invitations.filter(accepted_at__isnull=True).select_related("invited_by")


def sees_addresses(user: Visitor, team: Team) -> bool:
    """Members see each other's e-mail addresses; so do the organisers of the campaigns that the team takes part in."""
    registrations = team.registrations.exclude(state=Registration.REFUSED)
    organised = Campaign.objects.organised_by(user).values("pk")
    return is_member(user, team) or registrations.filter(campaign__in=organised).exists()


def own_registrations(user: Visitor, campaign: Campaign) -> QuerySet[Registration]:
    """The registrations of the user's teams in any state."""
    teams = Team.objects.of(user).values("pk")
    registrations = Registration.objects.filter(campaign=campaign, team__in=teams)
    return registrations.select_related("team", "campaign", "registered_by").order_by(by_numbers("team__name"))


def has_runs(registration: Registration) -> bool:
    return Run.objects.filter(task__campaign=registration.campaign_id, team=registration.team_id).exists()


def unregistered_teams(user: Visitor, campaign: Campaign) -> QuerySet[Team]:
    return Team.objects.of(user).exclude(registrations__campaign=campaign)


def tasks_with_readiness_for_runs(user: Visitor, campaign: Campaign) -> list[tuple[Task, bool, bool]]:
    """The campaign's tasks that the reader may see, each with whether it takes runs, and whether theirs have quota left."""
    tasks = list(Task.objects.visible_to(user).filter(campaign=campaign).select_related("campaign"))
    with_room = {task.pk for task, _ in windows_with_room(user, tasks)} if isinstance(user, User) else set()
    return [(task, takes_runs_of(user, task), task.pk in with_room) for task in tasks]
