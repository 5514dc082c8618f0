from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.encoding import escape_uri_path
from ninja import Field, Schema

from campaign.api.fields import LARGEST
from campaign.web.links import absolute

M = TypeVar("M", bound=Model)
E = TypeVar("E")
T = TypeVar("T")


class Paging(Schema):
    limit: int = Field(50, ge=1, le=200, description="How many at once.")
    offset: int = Field(0, ge=0, le=LARGEST, description="How many to leave out before.")


class Page(Schema, Generic[T]):
    items: list[T]
    count: int = Field(description="How many there are in all.")
    next: str | None = Field(description="The address of the next page; null on the last.")


def page_of(request: HttpRequest, queryset: "QuerySet[M]", paging: Paging, make: Callable[[M], T]) -> Page[T]:
    """One page of a queryset in a stable order."""
    return _page(request, queryset, queryset.count(), paging, make)


def page_of_list(request: HttpRequest, entries: Sequence[E], paging: Paging, make: Callable[[E], T]) -> Page[T]:
    """One page of what is known whole."""
    return _page(request, entries, len(entries), paging, make)


def _page(request: HttpRequest, entries: Any, count: int, paging: Paging, make: Callable[[Any], T]) -> Page[T]:
    end = paging.offset + paging.limit
    items = [make(entry) for entry in entries[paging.offset : end]]
    following = next_address(request, limit=paging.limit, offset=end) if end < count else None
    return Page(items=items, count=count, next=following)


def next_address(request: HttpRequest, **where: str | int) -> str:
    """This address with another place in the list."""
    query = request.GET.copy()
    for name, value in where.items():
        query[name] = str(value)
    return absolute(f"{escape_uri_path(request.path)}?{query.urlencode()}")
