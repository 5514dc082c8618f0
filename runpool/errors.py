"""What the site answers where no view does: pages of errors, and the address that a page has now."""

import logging
import re
import sys
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.utils.encoding import escape_uri_path
from django.views import defaults

from campaign.database.errors import database_is_away
from campaign.storage.interface import storage_is_away
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.room import is_disk_full

logger = logging.getLogger(__name__)

MOVED = (
    (r"^(/c/.+?/scores/|/c/.+?/leaderboard/\d+/)of/", r"\1runs/"),
    (r"^(/c/.+?/scores/)as/", r"\1preview/"),
    (r"^(/c/.+?/scores/)without(/|\.csv)", r"\1removed-topics\2"),
    (r"^(/c/.+?/(?:scores|scores/preview/\w+|leaderboard/\d+)/)heat/", r"\1heatmap/"),
    (r"^(/c/.+?/(?:scores|scores/preview/\w+|leaderboard/\d+)/)trust(/|\.json)", r"\1reliability\2"),
    (r"^(/c/.+?/scores/preview/\w+/)of/", r"\1runs/"),
    (r"^(/c/.+?/pools/\d+/)worth/", r"\1completeness/"),
    (r"^(/c/.+?/judging/assign/)topics/", r"\1grid/"),
    (r"^(/c/[^/]+/[^/]+/)runs-again/$", r"\1resubmit-runs/"),
    (r"^/account/mails/off/", r"/account/emails/unsubscribe/"),
    (r"^/deleted/$", r"/trash/"),
    (r"^/api/v1/deleted(?=/|$)", r"/api/v1/trash"),
)
"""Addresses that pages had before, each with the one that it has now."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The usual page; with a reason where the sender can do something about it."""
    if not isinstance(exception, TooManyFilesSent):
        return defaults.bad_request(request, exception)
    most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
    return render(request, "400.html", {"most_files": most, "back": request.path}, status=400)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The usual page, or the way to the address that the page has now."""
    is_of_api = request.path.startswith("/api/")
    address = new_address(request.path) if is_of_api or request.method in ("GET", "HEAD") else ""
    if not address:
        return defaults.page_not_found(request, exception)
    query, address = request.META.get("QUERY_STRING", ""), escape_uri_path(address)
    answer = HttpResponsePermanentRedirect(f"{address}?{query}" if query else address)
    if is_of_api:
        answer.status_code = HTTPStatus.PERMANENT_REDIRECT  # method and body go along
    return answer


def new_address(path: str) -> str:
    """The address that the page has now; an empty string where it never moved.

    >>> new_address("/c/velo/climbs/leaderboard/2/heat/")
    '/c/velo/climbs/leaderboard/2/heatmap/'
    >>> new_address("/c/velo/climbs/topics/")
    ''
    """
    found = path
    for old, new in MOVED:
        found = re.sub(old, new, found)
    return found if found != path else ""


def server_error(request: HttpRequest) -> HttpResponse:
    """The usual page; a full disk, a damaged file, a database that is away have status and words of their own, in the API too.

    Rendered without the request: the page must not need the database, which may be what has no room.
    """
    problem = sys.exc_info()[1]
    if database_is_away(problem):
        answer = render(None, "database_away.html", status=503)
        answer["Retry-After"] = "10"
        return answer
    if is_disk_full(problem):
        return render(None, "storage_full.html", status=507)
    if storage_is_away(problem):
        logger.warning("storage: %s", getattr(problem, "reason", problem))
        answer = render(None, "storage_away.html", status=503)
        answer["Retry-After"] = "60"
        return answer
    if isinstance(problem, DamagedFileError):
        return render(None, "storage_damaged.html", {"problem": problem}, status=503)
    return defaults.server_error(request)
