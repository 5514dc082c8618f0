from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse


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
