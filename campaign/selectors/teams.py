from django.db.models import Count, QuerySet

from campaign.models import Campaign, Membership, Registration, Task, Team, Visitor
from campaign.selectors.tasks import accepts_runs


def own_teams(user: Visitor) -> QuerySet[Team]:
    """With the number of their members and of the campaigns that they take part in."""
    mine = Team.objects.filter(pk__in=Team.objects.of(user).values("pk"))
    return mine.annotate(
        member_count=Count("memberships", distinct=True), campaign_count=Count("registrations", distinct=True)
    )


def team_members(team: Team) -> QuerySet[Membership]:
    return team.memberships.select_related("user").order_by("-is_owner", "joined_at", "pk")


def team_registrations(user: Visitor, team: Team) -> QuerySet[Registration]:
    """In the campaigns that the reader may see."""
    visible = Campaign.objects.visible_to(user).values("pk")
    registrations = team.registrations.filter(campaign__in=visible).select_related("campaign", "registered_by")
    return registrations.order_by("-registered_at")


def invited_team(key: str) -> Team | None:
    if "\0" in key:  # PostgreSQL refuses to look for it
        return None
    return Team.objects.filter(invitation_key=key).first()


def registered_teams(user: Visitor, campaign: Campaign) -> QuerySet[Team]:
    return Team.objects.of(user).filter(registrations__campaign=campaign)


def unregistered_teams(user: Visitor, campaign: Campaign) -> QuerySet[Team]:
    return Team.objects.of(user).exclude(registrations__campaign=campaign)


def tasks_with_readiness_for_runs(user: Visitor, campaign: Campaign) -> list[tuple[Task, bool]]:
    """The campaign's tasks that the reader may see, each with whether it takes runs now."""
    tasks = Task.objects.visible_to(user).filter(campaign=campaign).select_related("campaign")
    return [(task, accepts_runs(task)) for task in tasks]
