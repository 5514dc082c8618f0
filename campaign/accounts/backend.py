from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from campaign.accounts.selectors import user_of_login
from campaign.models import User


class OneCheck(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """One password is compared for each attempt, whatever the name is: what takes twice as long tells that an address is known.

    An address that several accounts claim and none has confirmed is that of the first; the others sign in by user name.

    allauth has no public way to say whose password is compared. Its `_authenticate` and `_check_password`, which also keeps an
    inactive account for the page that says so, are held by tests/campaign/accounts/test_sign_in.py.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> User:
        user: User | None = super().authenticate(request, **credentials)
        if user is None:
            raise PermissionDenied  # no other backend is asked, which would compare again
        return user

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:
        meant = user_of_login(str(credentials.get("email") or credentials.get("username") or ""))
        found: User | None = self._check_password(meant, credentials["password"])
        return found
