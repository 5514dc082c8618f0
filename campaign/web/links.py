"""Addresses of pages: whole ones, and where to go on afterwards."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def absolute(path: str) -> str:
    """Return the whole address of a page, for mails and files, which leave the site."""
    return f"{settings.SITE_URL}{path}"


def return_address(request: HttpRequest) -> str:
    """Return the address in `next`, if that is a page of this site; else an empty string."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if ours else ""
