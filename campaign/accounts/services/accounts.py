from collections.abc import Mapping
from datetime import datetime

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from campaign.log.audit import apply_changes, audit
from campaign.log.redaction import former_names_keep
from campaign.models import User
from campaign.models.lookalikes import plain_address, tidy
from campaign.web.daily_limits import require_few_changes


@transaction.atomic
def account_update(*, actor: User, display_name: str, time_zone: str, single_keys: bool) -> None:
    fields = {"display_name": tidy(display_name), "time_zone": time_zone, "single_keys": single_keys}
    changes = apply_changes(actor, fields)
    if not changes:
        return
    # A user name or address from before a rule came is no reason to refuse another zone of time.
    actor.clean_fields(exclude={field.name for field in actor._meta.fields} - changes.keys())
    actor.save(update_fields=list(changes))
    audit(actor, "update", actor, campaign=None, **changes)
    require_few_changes(actor)


@transaction.atomic
def desk_keys_update(*, actor: User, keys: Mapping[str, str]) -> None:
    """Store the keys that differ from the usual ones, by the name of the command; DeskKeysForm has checked them."""
    if changes := apply_changes(actor, {"desk_keys": dict(keys)}):
        actor.save(update_fields=["desk_keys"])
        audit(actor, "update", actor, campaign=None, **changes)
        require_few_changes(actor)


def news_see(*, actor: User, until: datetime) -> None:
    """What came until then is not new to the person any more.

    Never back: an old tab makes nothing new again. Never ahead: nobody has seen what is still to come.
    """
    moment = min(until, timezone.now())
    earlier = Q(news_seen_until=None) | Q(news_seen_until__lt=moment)
    User.objects.filter(earlier, pk=actor.pk).update(news_seen_until=moment)


@transaction.atomic
def address_vouch(*, user: User) -> None:
    """Take the user's address for confirmed, since the operator who makes the account answers for it."""
    address = plain_address(user.email)
    if not address:
        return
    if EmailAddress.objects.filter(email=address, verified=True).exclude(user=user).exists():
        raise ValidationError({"email": f"Another account has confirmed the address {address}. Give another one."})
    EmailAddress.objects.filter(user=user).update(primary=False)
    EmailAddress.objects.update_or_create(user=user, email=address, defaults={"verified": True, "primary": True})


def address_given_up(*, user: User, email_address: EmailAddress, **_: object) -> None:
    """Remember, for the day on which the account is deleted, that the log meant this person until now. Claims tell nothing."""
    if email_address.verified:
        former_names_keep(user, {email_address.email}, until=timezone.now())
