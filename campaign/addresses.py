"""Addresses of pages: whole ones, where to go on afterwards, and links to a person's next step."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.http import url_has_allowed_host_and_scheme

from campaign.models import Task


def absolute(path: str) -> str:
    """Return the whole address of a page, for mails and files, which leave the site."""
    return f"{settings.SITE_URL}{path}"


def return_address(request: HttpRequest) -> str:
    """Return the address in `next`, if that is a page of this site; else an empty string."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if ours else ""


@dataclass(frozen=True, slots=True)
class Step:
    """A next step of a person, as one link."""

    label: str
    url: str


def page_step(label: str, page: str, task: Task, **kwargs: str) -> Step | None:
    try:
        return Step(label, reverse(page, kwargs={**task.address, **kwargs}))
    except NoReverseMatch:  # pages of later apps are linked by URL name only; a site without that app lacks the page
        return None
