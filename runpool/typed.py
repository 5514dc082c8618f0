"""What somebody typed into a form that the server does not take, since their session ended: it is shown, to be copied."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url

NOT_SHOWN = re.compile(r"csrf|password|token|_FORMS$", re.IGNORECASE)


def typed_texts(request: HttpRequest) -> list[tuple[str, str]]:
    """The entries of a form by name, without passwords; nothing where no entry holds words.

    A page of another site could send texts to be shown here: the browser must say that the form is of this site.
    """
    if request.headers.get("Sec-Fetch-Site") != "same-origin":
        return []
    entries = [
        (name.replace("_", " "), value)
        for name, values in request.POST.lists()
        for value in values
        if value.strip() and not NOT_SHOWN.search(name)
    ]
    return entries if any(" " in value.strip() for _, value in entries) else []


class TypedTexts:
    """Shows what was typed where a form of somebody who is signed out would only lead to the sign-in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method != "POST" or response.status_code != 302 or request.user.is_authenticated:
            return response
        is_page = "text/html" in request.headers.get("Accept", "") and "HX-Request" not in request.headers
        is_sign_in = urlsplit(response["Location"]).path == resolve_url(settings.LOGIN_URL)
        if (
            not (is_page and is_sign_in) or "draft_kept" in request.POST
        ):  # the browser's tab offers its draft after the sign-in
            return response
        typed = typed_texts(request)
        return _shown(request, "signed_out.html", typed) if typed else response


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page for a form whose token is that of another session (Django's CSRF failure)."""
    return _shown(request, "403_csrf.html", typed_texts(request))


def _shown(request: HttpRequest, template: str, typed: list[tuple[str, str]]) -> HttpResponse:
    context = {"typed": typed, "has_files": bool(request.FILES), "address": request.path}
    response = render(request, template, context, status=403)
    response["Cache-Control"] = "no-store"
    return response
