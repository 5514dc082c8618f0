import logging
import re
import time
from collections.abc import Callable
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

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


class NoNulInAddresses:
    """Refuse addresses with a NUL: no page has one, and PostgreSQL cannot search for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("An address cannot hold a NUL character.")
        return self.get_response(request)
