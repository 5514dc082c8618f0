import hashlib

from django.db.models import QuerySet
from django.utils import timezone

from campaign.models import ApiToken, User


def token_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def working_token(text: str) -> ApiToken | None:
    """The token of this text, if it may be used now."""
    return working_tokens().filter(token_sha256=token_hash(text)).select_related("user").first()


def working_tokens() -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(revoked_at=None, expires_at__gt=timezone.now(), user__is_active=True)


def own_tokens(user: User) -> QuerySet[ApiToken]:
    """The newest first, expired and revoked ones included."""
    return ApiToken.objects.filter(user=user)
