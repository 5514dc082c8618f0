from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.internal.userkit import filter_users_by_email, get_user_by_username
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from campaign.models import User


class OneCheck(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """One password is compared for each attempt, whatever the name is: what takes twice as long tells that an address is known.

    An address that several accounts claim and none has confirmed is that of the first; the others sign in by user name.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> User:
        user: User | None = super().authenticate(request, **credentials)
        if user is None:
            raise PermissionDenied  # no other backend is asked, which would compare again
        return user

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:
        login = str(credentials.get("email") or credentials.get("username") or "")
        claims = filter_users_by_email(login, prefer_verified=True, for_login=True)
        meant = min(claims, key=lambda user: user.pk, default=None) or get_user_by_username(login)
        found: User | None = self._check_password(meant, credentials["password"])
        return found
