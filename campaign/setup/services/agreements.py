"""Texts that teams accept. Their wording never changes: a new wording is a new agreement, to be accepted anew."""

import hashlib

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from campaign.log.audit import audit
from campaign.models import Agreement, Campaign, User
from campaign.permissions import locked_organised_campaign_or_404
from campaign.web.daily_limits import require_few_changes
from campaign.web.rendered_markdown import require_prose

MOST_AGREEMENTS = 200
"""Of a campaign, with those that were replaced or retired: each is kept for whoever accepted it."""


@transaction.atomic
def agreement_create(*, actor: User, campaign: Campaign, title: str, text: str) -> Agreement:
    agreement = _new(locked_organised_campaign_or_404(actor, campaign), title, text)
    require_few_changes(actor)
    audit(actor, "create", agreement, campaign=campaign, title=agreement.title, text_sha256=text_sha256(agreement))
    return agreement


@transaction.atomic
def agreement_replace(*, actor: User, agreement: Agreement, title: str, text: str) -> Agreement:
    """Replace the wording: every team has to accept the new one; earlier acceptances stay on record."""
    old = _locked(actor, agreement)
    if (title.strip(), _tidy(text)) == (old.title, old.text):
        raise ValidationError("Nothing is changed. Teams would have to accept the same words again.")
    _retire(old)
    new = _new(old.campaign, title, text)
    require_few_changes(actor)
    audit(actor, "replace", new, campaign=new.campaign, title=new.title, before=old.pk, text_sha256=text_sha256(new))
    return new


@transaction.atomic
def agreement_retire(*, actor: User, agreement: Agreement) -> None:
    """Retire the agreement: teams need not accept it any more; earlier acceptances stay on record."""
    old = _locked(actor, agreement)
    _retire(old)
    audit(actor, "retire", old, campaign=old.campaign, title=old.title)


def text_sha256(agreement: Agreement) -> str:
    """Return the SHA-256 of the text in UTF-8, as the record shows it."""
    return hashlib.sha256(agreement.text.encode()).hexdigest()


def _new(campaign: Campaign, title: str, text: str) -> Agreement:
    """`campaign` is locked."""
    agreement = Agreement(campaign=campaign, title=title.strip(), text=_tidy(text))
    agreement.full_clean(exclude=["retired_at"])
    require_prose("text", agreement.text)
    if Agreement.objects.filter(campaign=campaign).count() >= MOST_AGREEMENTS:
        raise ValidationError(f"A campaign has at most {MOST_AGREEMENTS} agreements, earlier wordings included.")
    agreement.save()
    return agreement


def _locked(actor: User, agreement: Agreement) -> Agreement:
    """The campaign first: its agreements are counted under its lock."""
    locked_organised_campaign_or_404(actor, agreement.campaign)
    return Agreement.objects.select_for_update(of=("self",)).select_related("campaign").get(pk=agreement.pk)


def _retire(agreement: Agreement) -> None:
    if agreement.retired_at is not None:
        raise ValidationError("This agreement is retired already.")
    agreement.retired_at = timezone.now()
    agreement.save(update_fields=["retired_at"])


def _tidy(text: str) -> str:
    """Normalise line ends to LF: browsers send CRLF, and the checksum must not depend on that."""
    return text.replace("\r\n", "\n").strip()
