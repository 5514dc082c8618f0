import logging
import re
import time
from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import BadRequest, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html

from campaign import log
from campaign.api.problems import ROOT, problem
from campaign.database.nearest_moments import nearest_moments
from campaign.formats.encodings import UTF8_MARK
from campaign.log import traces
from campaign.log.audit import ARCHIVED
from campaign.log.secrets import page_name
from campaign.models import Campaign
from campaign.permissions import is_organiser
from campaign.web.asking_once import asked_once
from runpool.operations.metrics import requests
from runpool.operations.slow_requests import slow_request_note

logger = logging.getLogger(__name__)
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
OF_PROGRAMS = re.compile(r"/c/.*[^/]|/api/(?!v1/campaigns$).*")
"""Files of a campaign, whose addresses end with no slash as those of pages do, and the API but for its list of campaigns."""


class RequestIds:
    """Names each request in the log lines made for it, in those of its jobs, and in the answer's X-Request-ID."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name, started = _request_id(request), time.monotonic()
        with log.of_request(name, partial(_known_user, request)), traces.of_request(name):
            response = _without_body(self.get_response(request), request)
            _note(request, response.status_code, time.monotonic() - started)
            setattr(request, log.OVER, {"request_id": name, **log.facts()})
        response.headers["X-Request-ID"] = name
        return response


def _without_body(response: HttpResponse, request: HttpRequest) -> HttpResponse:
    """An answer to HEAD has none: gunicorn would drop it, and write a line each time."""
    if request.method == "HEAD" and not response.streaming and response.content:
        response.headers.setdefault("Content-Length", str(len(response.content)))
        response.content = b""
    return response


def _note(request: HttpRequest, status: int, seconds: float) -> None:
    page, method, milliseconds = page_name(request), request.method or "", round(1000 * seconds)
    requests.figures.observe(page, method, status, seconds)
    traces.request_told(method, page, status)
    slow_request_note(page=page, method=method, status=status, seconds=seconds)
    if method in ("GET", "HEAD", "OPTIONS") or 400 <= status < 500:  # Django writes a line of each refusal
        return
    facts = {"method": method, "page": page, "status": status, "milliseconds": milliseconds}
    logger.info("%s %s: %d after %d ms", method, page, status, milliseconds, extra={"facts": facts})


def _known_user(request: HttpRequest) -> int | None:
    """The user of the session as far as Django has read it already: a line of the log asks no database."""
    return getattr(getattr(request, "_cached_user", None), "pk", None)


def _request_id(request: HttpRequest) -> str:
    """The name that a proxy of our own gave the request, which its log holds too; else a new one."""
    given = request.headers.get("X-Request-ID", "")
    return given if settings.TRUSTED_PROXY_COUNT and REQUEST_ID.fullmatch(given) else uuid4().hex


class PrivateCacheControl:
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


class CsvForSpreadsheets:
    """Begins a CSV file with a byte-order mark where its address asks for that: without it Excel shows wrong letters for accents.

    Programs get the file without it, as it is stored and hashed.
    """

    ASKED = ("for", "spreadsheet")

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        name, value = self.ASKED
        if request.GET.get(name) != value or not response.get("Content-Type", "").startswith("text/csv"):
            return response
        if response.streaming:
            response.streaming_content = chain([UTF8_MARK], response.streaming_content)  # type: ignore[attr-defined]
        else:
            response.content = UTF8_MARK + response.content
        if "Content-Length" in response:
            response["Content-Length"] = str(int(response["Content-Length"]) + len(UTF8_MARK))
        return response


class ReadableAddresses:
    """Refuse addresses with a NUL, which no page has and PostgreSQL cannot search for, and with too many parameters.

    Django counts them where they are first read, which may be in the page of the refusal: its failure would be ours.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("An address cannot hold a NUL character.")
        try:
            request.GET  # noqa: B018 - reads them
        except TooManyFieldsSent:
            request.GET = QueryDict()
            raise BadRequest(f"An address has at most {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS} parameters.") from None
        return self.get_response(request)


class PagesOfOthers:
    """Refuses what scripts send from a page of somebody who was signed in before.

    They take the newest token against forged requests, which would let it pass, and name the user of the page.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        named, user = request.headers.get("X-Page-Of-User"), request.user
        if named is None or request.method in SAFE or not user.is_authenticated or named == str(user.pk):
            return self.get_response(request)
        told = format_html(
            '<p>Nothing was stored: the page is of another account. <a href="{}" data-signed-in-as="{}">Sign out</a></p>',
            reverse("account_logout"),
            user,
        )
        return HttpResponse(told, status=409)


class ReadOnlyCampaigns:
    """The one door of all campaigns: what is archived is not changed by anybody, what is closed by organisers only.

    By the address of a request that is no mere reading, whatever page or operation it is for. Jobs and commands, which come
    through no door, are refused by `audit`. Operations of the API know their user by a token, which is read later: whether a
    campaign is closed to that user is for the services to say.
    """

    POSSIBLE = frozenset({"campaign_state", "archive_list", "read_campaign_state", "list_archives"})
    """The way back, and to take the campaign along as a file: by page and by program.

    An address of the API has the name of its first operation.
    """
    WHILE_CLOSED = frozenset({"run_links"})
    """What teams do on pages after a campaign is closed: papers appear later. Their services say who may."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: list[Any], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        is_api = request.path.startswith(ROOT)
        slug = kwargs.get("campaign" if is_api else "campaign_slug")
        if slug is None or request.method in SAFE:
            return None
        campaign = Campaign.objects.filter(slug=slug, closed_at__isnull=False).first()
        if campaign is None or (request.resolver_match and request.resolver_match.url_name in self.POSSIBLE):
            return None
        if is_api:
            return problem(request, 403, ARCHIVED) if campaign.archived_at else None
        if campaign.archived_at is None and self._is_open_to(request, campaign):
            return None
        return render(request, "campaign/setup/at_rest.html", {"campaign": campaign}, status=403)

    def _is_open_to(self, request: HttpRequest, closed: Campaign) -> bool:
        user, match = request.user, request.resolver_match
        named = match is not None and match.url_name in self.WHILE_CLOSED
        return named or not user.is_authenticated or is_organiser(user, closed)


class NearestMoments:
    """No page, nor the API's list of campaigns, fails by a row of any campaign whose moment no program can read.

    Files and the other answers of the API fail, since programs would take the nearest moment for the true one; so do requests
    that may change something.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in SAFE or OF_PROGRAMS.fullmatch(request.path_info):
            return self.get_response(request)
        with nearest_moments():
            return self.get_response(request)


class AskedOnce:
    """Asks the database once for what several parts of a page need. Requests that may change something ask each time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in SAFE:
            return self.get_response(request)
        with asked_once():
            return self.get_response(request)
