"""Authentication by token only. Session cookies are ignored, so that no other site can misuse them."""

import math
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja.errors import Throttled
from ninja.security.http import HttpAuthBase

from campaign import log
from campaign.accounts.selectors import working_token
from campaign.accounts.services.tokens import token_touch
from campaign.api.errors import Unauthenticated
from campaign.api.limits import JUDGING as JUDGING_LIMIT
from campaign.api.limits import WRITES, WRONG_TOKENS
from campaign.models import ApiToken, Visitor
from campaign.web.uploads import received_at

MISSING = (
    "This needs a token: send the header “Authorization: Bearer <token>”. Tokens are made on the page /account/tokens/."
)
WRONG = "This token does not work: it is mistyped, expired or revoked. Make another on the page /account/tokens/."
TOO_NARROW = "This token may only {}. Make one with the scope “{}” on the page /account/tokens/."


class Token(HttpAuthBase):
    openapi_scheme = "bearer"
    openapi_description = "A token made on the page /account/tokens/."
    scope = ApiToken.READ
    is_optional = False

    def __call__(self, request: HttpRequest) -> ApiToken | Visitor:
        request.user = AnonymousUser()  # a session cookie is ignored
        header = request.headers.get("Authorization")
        if header is None and self.is_optional:
            return request.user
        if header is None:
            raise Unauthenticated(MISSING)
        token = self._read(request, header)
        if not token.covers(self.scope):
            raise PermissionDenied(TOO_NARROW.format(token.scope, self.scope))
        request.user = token.user
        log.about(user_id=token.user_id)
        token_touch(token=token)
        return token

    def _read(self, request: HttpRequest, header: str) -> ApiToken:
        scheme, _, text = header.strip().partition(" ")
        token = working_token(text.strip()) if scheme.lower() == "bearer" else None
        if token is None and not WRONG_TOKENS.allow_request(request):
            raise Throttled(wait=math.ceil(WRONG_TOKENS.wait()))
        if token is None:
            raise Unauthenticated(WRONG)
        return token


class TokenOrNobody(Token):
    is_optional = True


class SubmitToken(Token):
    scope = ApiToken.SUBMIT


class OrganiserToken(Token):
    scope = ApiToken.ORGANISE


class UploadToken(SubmitToken):
    """Reads the whole request before anything else is done with it: the time of its last byte counts."""

    def __call__(self, request: HttpRequest) -> ApiToken | Visitor:
        sender = super().__call__(request)
        received_at(request)
        return sender


class OrganiserUploadToken(OrganiserToken, UploadToken):
    """For files that organisers send."""


PUBLIC: dict[str, Any] = {"auth": TokenOrNobody()}
"""For operations that return what the site's pages show without login."""
WRITING: dict[str, Any] = {"auth": SubmitToken(), "throttle": WRITES}
JUDGING: dict[str, Any] = {"auth": SubmitToken(), "throttle": JUDGING_LIMIT}
UPLOADING: dict[str, Any] = {"auth": UploadToken(), "throttle": WRITES}
ORGANISING: dict[str, Any] = {"auth": OrganiserToken(), "throttle": WRITES}
ORGANISING_UPLOAD: dict[str, Any] = {"auth": OrganiserUploadToken(), "throttle": WRITES}
