import hashlib

from allauth.account.models import EmailAddress
from django.db.models import QuerySet
from django.utils import timezone

from campaign.models import ApiToken, User
from campaign.models.lookalikes import folded, plain_address, skeleton, tidy


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


def user_named(text: str) -> User | None:
    """The active user of this user name, or of this address if its owner has confirmed it.

    Never by an address that is only claimed: anybody can claim one. A text with an @ is an address, even if an old user name
    looks like it.
    """
    text = tidy(text)
    if "\0" in text:
        return None
    if "@" in text:
        return users_who_confirmed(text).filter(is_active=True).first()
    user = user_by_name(text)
    return user if user is not None and user.is_active else None


def user_by_name(text: str) -> User | None:
    """The user, active or not, of this user name in whatever case, width and Unicode form.

    By the skeleton, which is unique and folded here: SQLite folds letters of ASCII only.
    """
    name = tidy(text)
    if not name or "\0" in name:
        return None
    near = User.objects.filter(username_skeleton=skeleton(name)).first()
    return near if near is not None and folded(near.username) == folded(name) else None


def users_who_confirmed(address: str) -> QuerySet[User]:
    """At most one, where allauth keeps confirmed addresses unique."""
    return User.objects.filter(
        pk__in=EmailAddress.objects.filter(email=plain_address(address), verified=True).values("user")
    )


def has_confirmed(user: User, address: str) -> bool:
    return (
        bool(address) and EmailAddress.objects.filter(user=user, email=plain_address(address), verified=True).exists()
    )


def reply_address(user: User) -> str:
    """Where answers to this user's mails go: an address that is not confirmed may be a stranger's."""
    return user.email if has_confirmed(user, user.email) else ""


def confirmed_addresses(user: User) -> list[str]:
    return list(EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True))


def names_of(user: User) -> list[str]:
    """By which the user may sign in: the user name and all addresses, confirmed or not."""
    addresses = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    return [*dict.fromkeys([user.username, user.email, *addresses])]


def user_of_login(login: str) -> User | None:
    """The user who means themselves by this text at the sign-in, confirmed or not."""
    login = tidy(login)
    if not login or "\0" in login:
        return None
    claimed = User.objects.order_by("pk").filter(email__iexact=plain_address(login))
    return user_named(login) or user_by_name(login) or claimed.first()
