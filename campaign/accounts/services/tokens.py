import secrets
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from campaign.accounts.selectors import token_hash, working_tokens
from campaign.log.audit import audit
from campaign.models import ApiToken, User
from campaign.web.daily_limits import require_few_of_person

LONGEST_DAYS = 366
MOST_TOKENS = 50
MOST_TOKENS_A_DAY = 200
USE_WRITTEN_EVERY = timedelta(minutes=1)


@transaction.atomic
def token_create(*, actor: User, name: str, scope: str, expires_at: datetime) -> tuple[ApiToken, str]:
    """A token and its text. The text is returned here only: just its hash is stored."""
    User.objects.select_for_update(no_key=True).get(
        pk=actor.pk
    )  # two requests with one name at once must see each other
    _require_room(actor, name.strip(), expires_at)
    text = f"rp_{secrets.token_urlsafe(32)}"
    token = ApiToken(
        user=actor, name=name.strip(), scope=scope, start=text[:8], token_sha256=token_hash(text), expires_at=expires_at
    )
    token.full_clean()
    require_few_of_person(actor, "tokens", MOST_TOKENS_A_DAY)
    token.save()
    audit(actor, "create token", token, campaign=None, name=token.name, scope=scope, expires_at=expires_at.isoformat())
    return token, text


@transaction.atomic
def token_revoke(*, actor: User, token: ApiToken) -> None:
    """The token never works again; revoking it twice changes nothing."""
    now = timezone.now()
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        audit(actor, "revoke token", token, campaign=None, name=token.name)


@transaction.atomic
def tokens_revoke_all(*, user: User) -> None:
    for token in working_tokens().filter(user=user):
        token_revoke(actor=user, token=token)


def token_touch(*, token: ApiToken) -> None:
    """Record that the token is in use, at most once a minute, so that reading does not cost a write each time."""
    now = timezone.now()
    before = now - USE_WRITTEN_EVERY
    if token.last_used_at is None or token.last_used_at < before:
        unwritten = Q(last_used_at=None) | Q(last_used_at__lt=before)
        ApiToken.objects.filter(unwritten, pk=token.pk).update(last_used_at=now)


def _require_room(actor: User, name: str, expires_at: datetime) -> None:
    now = timezone.now()
    mine = working_tokens().filter(user=actor)
    if mine.filter(name=name).exists():
        raise ValidationError(
            {"name": "You have a working token of this name. Revoke it first, or choose another name."}
        )
    if mine.count() >= MOST_TOKENS:
        raise ValidationError(f"You have {MOST_TOKENS} working tokens. Revoke those that you do not use.")
    if not now < expires_at <= now + timedelta(days=LONGEST_DAYS):
        raise ValidationError({"until": "A token works until a day within the next year."})
