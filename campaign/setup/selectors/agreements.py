from django.db.models import Count, QuerySet

from campaign.models import Agreement, Campaign

RETIRING = (
    "No team is asked to accept it any more; teams that lack nothing else can submit.",
    "Who accepted it, and when, stays on record.",
    "It cannot be taken back into force: add it anew, and every team is asked again.",
)
"""What follows when an agreement is retired."""


def current_agreements(campaign: Campaign) -> QuerySet[Agreement]:
    """Return the agreements that a team has to accept before it submits."""
    return Agreement.objects.filter(campaign=campaign, retired_at__isnull=True)


def counted_agreements(campaign: Campaign) -> QuerySet[Agreement]:
    """Return all agreements, current ones first, each with the number of teams that accepted it."""
    agreements = Agreement.objects.filter(campaign=campaign).annotate(acceptance_count=Count("acceptances"))
    return agreements.order_by("retired_at", "pk")
