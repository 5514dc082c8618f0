import logging
import re
import time
from collections.abc import Callable
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from campaign import logs

logger = logging.getLogger(__name__)
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestIds:
    """Names each request in the log lines made for it, in those of its jobs, and in the answer's X-Request-ID."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name, started = _request_id(request), time.monotonic()
        token = logs.request_id.set(name)
        try:
            response = self.get_response(request)
            if request.method not in ("GET", "HEAD", "OPTIONS"):
                # The page's name: its address may hold an invitation's key or the like.
                page = request.resolver_match.view_name if request.resolver_match else "no page"
                milliseconds = 1000 * (time.monotonic() - started)
                logger.info("%s %s: %d after %d ms", request.method, page, response.status_code, milliseconds)
        finally:
            logs.request_id.reset(token)
        response.headers["X-Request-ID"] = name
        return response


def _request_id(request: HttpRequest) -> str:
    """The name that a proxy of our own gave the request, which its log holds too; else a new one."""
    given = request.headers.get("X-Request-ID", "")
    return given if settings.PROXIES and REQUEST_ID.fullmatch(given) else uuid4().hex


class PrivateAnswers:
    """Keeps answers to people who are signed in out of every cache: a shared computer's too, once they have signed out.

    Only the session's cookie is looked at first, so that pages for visitors stay free of it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if settings.SESSION_COOKIE_NAME in request.COOKIES or settings.SESSION_COOKIE_NAME in response.cookies:
            response["Cache-Control"] = "private, no-store"
        return response


class CompressedAnswers(GZipMiddleware):
    """Send HTML, JSON and SVG compressed, but no page that may hold a secret which outlives it.

    The length of a compressed answer tells how much of it repeats, so a text that a stranger brings in (in an address, say)
    could find out a secret beside it byte by byte (BREACH). The pages of accounts and of teams hold tokens, keys of password
    resets and of invitations: they leave as they are. The token against forged requests is masked anew for each page, and
    Django adds up to 100 random bytes to every compressed answer.
    """

    TYPES = frozenset({"text/html", "application/json", "application/problem+json", "image/svg+xml"})
    WITH_SECRETS = ("/account/", "/teams/", "/api/v1/teams")

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        content_type = response.get("Content-Type", "").partition(";")[0].strip().lower()
        if response.streaming or content_type not in self.TYPES or request.path.startswith(self.WITH_SECRETS):
            return response
        return super().process_response(request, response)


class NoNulInAddresses:
    """Refuse addresses with a NUL: no page has one, and PostgreSQL cannot search for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("An address cannot hold a NUL character.")
        return self.get_response(request)
