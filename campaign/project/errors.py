from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The usual page; with a reason where the sender can do something about it."""
    if not isinstance(exception, TooManyFilesSent):
        return defaults.bad_request(request, exception)
    most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
    return render(request, "400.html", {"most_files": most, "back": request.path}, status=400)
