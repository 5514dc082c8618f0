"""Texts that teams accept. Their words never change: another wording is another agreement, to be accepted anew."""

import hashlib
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from campaign.models import Acceptance, Agreement, Campaign, Membership, Team, User
from campaign.selectors.agreements import current_agreements
from campaign.services.audit import audit


@transaction.atomic
def agreement_create(*, actor: User, campaign: Campaign, title: str, text: str) -> Agreement:
    agreement = _new(campaign, title, text)
    audit(actor, "create", agreement, campaign=campaign, title=agreement.title, text_sha256=text_sha256(agreement))
    return agreement


@transaction.atomic
def agreement_replace(*, actor: User, agreement: Agreement, title: str, text: str) -> Agreement:
    """A new wording, which every team has to accept; what was accepted stays on record."""
    old = Agreement.objects.select_for_update().get(pk=agreement.pk)
    if (title.strip(), _tidy(text)) == (old.title, old.text):
        raise ValidationError("Nothing is changed. Teams would have to accept the same words again.")
    _retire(old)
    new = _new(old.campaign, title, text)
    audit(actor, "replace", new, campaign=new.campaign, title=new.title, before=old.pk, text_sha256=text_sha256(new))
    return new


@transaction.atomic
def agreement_retire(*, actor: User, agreement: Agreement) -> None:
    """Nobody is asked for it any more; what was accepted stays on record."""
    old = Agreement.objects.select_for_update().get(pk=agreement.pk)
    _retire(old)
    audit(actor, "retire", old, campaign=old.campaign, title=old.title)


@transaction.atomic
def agreements_accept(*, actor: User, team: Team, campaign: Campaign, agreements: Iterable[Agreement]) -> None:
    """Write down that a member accepts these for the team; accepting twice changes nothing."""
    if not Membership.objects.filter(team=team, user=actor).exists():
        raise ValidationError("Only a member can accept an agreement for a team.")
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


def text_sha256(agreement: Agreement) -> str:
    """Of the text's bytes in UTF-8, as the record gives it."""
    return hashlib.sha256(agreement.text.encode()).hexdigest()


def _new(campaign: Campaign, title: str, text: str) -> Agreement:
    agreement = Agreement(campaign=campaign, title=title.strip(), text=_tidy(text))
    agreement.full_clean(exclude=["retired_at"])
    agreement.save()
    return agreement


def _retire(agreement: Agreement) -> None:
    if agreement.retired_at is not None:
        raise ValidationError("This agreement is retired already.")
    agreement.retired_at = timezone.now()
    agreement.save(update_fields=["retired_at"])


def _tidy(text: str) -> str:
    """Line ends as they are everywhere: browsers send others, and the checksum must not depend on that."""
    return text.replace("\r\n", "\n").strip()
