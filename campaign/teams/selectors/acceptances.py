from django.db.models import Exists, OuterRef, QuerySet

from campaign.models import Acceptance, Agreement, Campaign, Registration, Team, Visitor
from campaign.setup.selectors.agreements import current_agreements


def missing_agreements(team: Team, campaign: Campaign) -> QuerySet[Agreement]:
    """Return the agreements that the team has still to accept."""
    return current_agreements(campaign).exclude(acceptances__team=team)


def lacking_registrations(registrations: QuerySet[Registration]) -> QuerySet[Registration]:
    """Return the registrations whose team has not accepted all current agreements of its campaign."""
    accepted = Acceptance.objects.filter(agreement=OuterRef("pk"), team=OuterRef(OuterRef("team")))
    missing = Agreement.objects.filter(~Exists(accepted), campaign=OuterRef("campaign"), retired_at__isnull=True)
    return registrations.filter(Exists(missing))


def acceptances(campaign: Campaign) -> QuerySet[Acceptance]:
    """Return all acceptances of the campaign's agreements, oldest first."""
    given = Acceptance.objects.filter(agreement__campaign=campaign)
    return given.select_related("agreement", "team", "accepted_by").order_by("accepted_at", "pk")


def teams_that_lack_agreements(user: Visitor) -> QuerySet[Registration]:
    """Return the registrations of the user's teams in open campaigns that lack an acceptance."""
    taking_part = Registration.objects.approved().filter(
        team__in=Team.objects.of(user).values("pk"), campaign__opened_at__isnull=False, campaign__closed_at=None
    )
    return lacking_registrations(taking_part).select_related("team", "campaign")
