"""What mails a person wants: a switch for each kind, and the signed links in mails that switch a kind off."""

from collections.abc import Mapping

from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from campaign.log.audit import audit
from campaign.models import MailChoice, User
from campaign.models.mail import KINDS, RUN
from campaign.web.daily_limits import require_few_changes
from campaign.web.links import absolute

IN_DIGEST = frozenset({RUN})
"""Kinds of which one mail a day can tell."""
SIGNER = Signer(salt="switch mails off")


def choice_of(user: User, kind: str) -> str:
    given = MailChoice.objects.filter(user=user, kind=kind).values_list("choice", flat=True).first()
    return given or MailChoice.EACH


def choices_of(user: User) -> dict[str, str]:
    """The choice for every kind."""
    return {**dict.fromkeys(KINDS, MailChoice.EACH), **dict(user.mail_choices.values_list("kind", "choice"))}


def without_those_who_switched_off(users: "QuerySet[User]", kind: str) -> "QuerySet[User]":
    return users.exclude(pk__in=MailChoice.objects.filter(kind=kind, choice=MailChoice.OFF).values("user"))


@transaction.atomic
def choices_set(*, actor: User, choices: Mapping[str, str]) -> None:
    """Set one's own choices; kinds that are not named stay as they are."""
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)  # two tabs that save at once
    before = choices_of(actor)
    for kind, choice in choices.items():
        if kind not in KINDS or choice not in allowed_choices(kind):
            raise ValidationError(f"There is no choice “{choice}” for mails of the kind “{kind}”.")
    changes = {kind: [before[kind], choice] for kind, choice in choices.items() if before[kind] != choice}
    for kind, (_, choice) in changes.items():
        MailChoice.objects.update_or_create(user=actor, kind=kind, defaults={"choice": choice})
    if any(choice != MailChoice.OFF for _, choice in changes.values()):  # the link in a mail always switches off
        require_few_changes(actor)
    if changes:
        audit(actor, "choose mails", actor, campaign=None, **changes)


def allowed_choices(kind: str) -> dict[str, str]:
    """What can be chosen for a kind, with its words."""
    return {
        choice: words for choice, words in MailChoice.CHOICES.items() if choice != MailChoice.DAILY or kind in IN_DIGEST
    }


def switch_off_address(user: User, kind: str) -> str:
    """The whole address of the page where this person switches off mails of this kind, without signing in."""
    return absolute(reverse("mail_off", kwargs={"key": SIGNER.sign(f"{user.pk}.{kind}")}))


def meant_by(key: str) -> tuple[User, str] | None:
    """The person and the kind that a link was made for; None if it is not one of ours."""
    try:
        pk, _, kind = SIGNER.unsign(key).partition(".")
    except BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    return (user, kind) if user is not None and kind in KINDS else None
