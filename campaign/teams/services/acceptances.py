from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.log.audit import audit
from campaign.models import Acceptance, Agreement, Campaign, Membership, Team, User
from campaign.setup.selectors.agreements import current_agreements
from campaign.setup.services.agreements import text_sha256


@transaction.atomic
def agreements_accept(*, actor: User, team: Team, campaign: Campaign, agreements: Iterable[Agreement]) -> None:
    """Record that a member accepts these for the team; accepting twice changes nothing."""
    if not Membership.objects.filter(team=team, user=actor).exists():
        raise ValidationError("Only a member can accept an agreement for a team.")
    if campaign.why_closed:
        raise ValidationError(campaign.why_closed)
    given = list(agreements)
    current = {agreement.pk: agreement for agreement in current_agreements(campaign)}
    if any(agreement.pk not in current for agreement in given):
        raise ValidationError("An agreement has changed a moment ago. Read the new text below and accept that one.")
    for agreement in (current[agreement.pk] for agreement in given):
        values = {"accepted_by": actor, "text_sha256": text_sha256(agreement)}
        acceptance, is_new = Acceptance.objects.get_or_create(agreement=agreement, team=team, defaults=values)
        if is_new:
            sha256 = acceptance.text_sha256
            audit(actor, "accept", acceptance, campaign=campaign, title=agreement.title, team=team.name, sha256=sha256)
