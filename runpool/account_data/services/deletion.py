"""Deleting an account: what others rest on stays under a number, everything else of the person goes."""

import re
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from campaign.accounts.selectors import confirmed_addresses, user_by_name, users_who_confirmed
from campaign.log.audit import audit
from campaign.log.redaction import former_names_keep
from campaign.mail.services import FORGOTTEN, mail_address, mail_text
from campaign.models import (
    ApiToken,
    AuditEvent,
    Campaign,
    DataExport,
    DigestEntry,
    Invitation,
    Mail,
    MailChoice,
    Membership,
    Role,
    RoleInvitation,
    Team,
    User,
)
from campaign.text.tokens import whole
from runpool.account_data.judging import work_released
from runpool.account_data.selectors import hindrances

DELETED_SUBJECT = "Your account is deleted"
NAMES_IN_THE_LOG = ("username", "display_name")
SHORTEST_NAME = 3
"""Shorter names are left in mails to others: they are parts of words."""


@transaction.atomic
def user_delete(*, actor: User | None, user: User, release: bool = False) -> User:
    """Delete an account; a second time changes nothing. `release`: what the person still holds is given back."""
    # The rows that others lock who take away the last organiser or owner: two must not leave at once.
    _lock(Campaign.objects.filter(roles__user=user))
    _lock(Team.objects.filter(memberships__user=user))
    # Not of its key, which the rows of a judgment look for when they are committed: that may be what this waits for below.
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if locked.deleted_at is not None:
        return locked
    in_the_way = [one.text for one in hindrances(locked) if not (one.is_released and release)]
    if in_the_way:
        raise ValidationError(in_the_way)
    names, address = _names_of(locked), locked.email
    work_released(locked)
    number = _free_name(locked)
    _take_names_out_of_mails(locked, names, number)
    _remove_rows(locked, names)
    former_names_keep(locked, names | _invited_as(locked))
    _empty(locked, number)
    audit(None if actor is None or actor.pk == user.pk else actor, "delete account", locked, campaign=None)
    if address:
        mail_address(address=address, subject=DELETED_SUBJECT, body=mail_text("account_deleted"), is_secret=True)
    return locked


def _lock(rows: "QuerySet[Any]") -> None:
    keys = rows.order_by().values("pk")
    list(rows.model.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk").values_list("pk"))


def _names_of(user: User) -> set[str]:
    """All names and addresses under which the site knows the person, also those of before that the log has.

    Nothing that is somebody else's: no user name of another account, and no address that the person only claims, whether as
    an address or as a name.
    """
    names, addresses = (
        {user.display_name, f"{user.first_name} {user.last_name}".strip()},
        set(confirmed_addresses(user)),
    )
    for data in AuditEvent.objects.filter(object_type="user", object_id=str(user.pk)).values_list("data", flat=True):
        names |= {name for key in NAMES_IN_THE_LOG for name in _texts(data, key)}
        addresses |= set(_texts(data, "email")[-1:])  # which an operator gave, and vouched for
    own = {name for name in names if "@" not in name and not _is_of_another(user, name)}
    return ({user.username} | own | addresses) - {""}


def _invited_as(user: User) -> set[str]:
    """Addresses at which the person read invitations to teams, and that are nobody else's."""
    used = Invitation.objects.filter(accepted_by=user).values_list("email", flat=True)
    return {address for address in used if not users_who_confirmed(address).exclude(pk=user.pk).exists()}


def _texts(data: Any, key: str) -> list[str]:
    """What an event says under a key: one text, or that of before and that of after."""
    said = data.get(key) if isinstance(data, dict) else None
    return [text for text in (said if isinstance(said, list) else [said]) if isinstance(text, str)]


def _is_of_another(user: User, name: str) -> bool:
    other = user_by_name(name)
    return other is not None and other != user


def _free_name(user: User) -> str:
    """ "deleted-" and the number of the account; with an underscore where somebody has taken that name."""
    name = f"deleted-{user.pk}"
    while _is_of_another(user, name):
        name += "_"
    return name


def _take_names_out_of_mails(user: User, names: set[str], number: str) -> None:
    """Mails to the person are emptied; in those to others the name is replaced. Unsent ones to the person are not sent."""
    now, addresses = timezone.now(), {name for name in names if "@" in name}
    own = Mail.objects.filter(Q(recipient=user) | Q(address__in=addresses))
    own.filter(sent_at=None).update(sent_at=now)
    for mail in own.only("pk").iterator():
        Mail.objects.filter(pk=mail.pk).update(
            address=f"{number}-{mail.pk}@deleted.invalid", reply_to="", subject="(removed)", body=FORGOTTEN
        )
    Mail.objects.filter(reply_to__in=addresses).update(reply_to="")
    for name in sorted((name for name in names if len(name) >= SHORTEST_NAME), key=len, reverse=True):
        _take_name_out(name, number, user.date_joined)


def _take_name_out(name: str, number: str, since: datetime) -> None:
    """Of mails to others. No address of a page is changed, whatever somebody calls themselves.

    A name that mails of before the account have is a word, or somebody else's: it stays, since nobody could tell whom it means.
    """
    pattern = re.compile(rf"(?P<address>https?://\S+)|{whole(name, '@.+-', behind='@+-')}", re.IGNORECASE)

    def numbered(text: str) -> str:
        return pattern.sub(lambda found: found["address"] or number, text)

    having = Mail.objects.filter(Q(body__icontains=name) | Q(subject__icontains=name)).order_by("created_at", "pk")
    for mail in having.iterator():
        body, subject = numbered(mail.body), numbered(mail.subject)
        if (body, subject) == (mail.body, mail.subject):
            continue
        if mail.created_at < since:
            return
        Mail.objects.filter(pk=mail.pk).update(body=body, subject=subject[:200])


def _remove_rows(user: User, names: set[str]) -> None:
    addresses = {name.lower() for name in names if "@" in name}
    Team.objects.filter(memberships__user=user).exclude(memberships__in=Membership.objects.exclude(user=user)).update(
        affiliation=""
    )
    for rows in (
        EmailAddress.objects.filter(user=user),
        ApiToken.objects.filter(user=user),
        MailChoice.objects.filter(user=user),
        DigestEntry.objects.filter(user=user),
        DataExport.objects.filter(user=user),
        RoleInvitation.objects.filter(Q(user=user) | Q(email__in=addresses) | Q(invited_by=user)),
        Invitation.objects.filter(Q(email__in=addresses) | Q(invited_by=user), accepted_at=None),
        Membership.objects.filter(user=user),
        Role.objects.filter(user=user),
    ):
        rows.delete()
    used = Invitation.objects.filter(Q(accepted_by=user) | Q(email__in=addresses))
    used.update(email="removed@deleted.invalid")
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()


def _empty(user: User, name: str) -> None:
    user.username, user.email, user.display_name = name, "", ""
    user.first_name, user.last_name, user.time_zone, user.desk_keys = "", "", "", {}
    user.is_active = user.is_superuser = user.is_staff = user.may_found_campaigns = False
    user.last_login, user.news_seen_until, user.deleted_at = None, None, timezone.now()
    user.single_keys = True
    user.set_unusable_password()
    user.save()


def confirmations_forget() -> str:
    """What the daily cleaning does: the mails that confirmed a deletion are the last place that has the address."""
    sent = Mail.objects.filter(subject=DELETED_SUBJECT, recipient=None, sent_at__isnull=False)
    count, _ = sent.delete()
    return f"confirmations of deleted accounts: {count:,}"
