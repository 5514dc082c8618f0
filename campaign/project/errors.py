import sys

from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults

from campaign.storage.quarantine import DamagedFileError
from campaign.storage.room import is_disk_full


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The usual page; with a reason where the sender can do something about it."""
    if not isinstance(exception, TooManyFilesSent):
        return defaults.bad_request(request, exception)
    most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
    return render(request, "400.html", {"most_files": most, "back": request.path}, status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """The usual page; a full disk and a damaged file have a status and words of their own, also in the API.

    Rendered without the request: the page must not need the database, which may be what has no room.
    """
    problem = sys.exc_info()[1]
    if is_disk_full(problem):
        return render(None, "storage_full.html", status=507)
    if isinstance(problem, DamagedFileError):
        return render(None, "storage_damaged.html", {"problem": problem}, status=503)
    return defaults.server_error(request)
