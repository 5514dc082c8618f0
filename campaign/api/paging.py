from collections.abc import Callable
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.encoding import escape_uri_path
from ninja import Field, Schema

from campaign.api.fields import LARGEST
from campaign.web.links import absolute

M = TypeVar("M", bound=Model)
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
    count, end = queryset.count(), paging.offset + paging.limit
    items = [make(entry) for entry in queryset[paging.offset : end]]
    following = next_address(request, limit=paging.limit, offset=end) if end < count else None
    return Page(items=items, count=count, next=following)


def next_address(request: HttpRequest, **where: str | int) -> str:
    """This address with another place in the list."""
    query = request.GET.copy()
    for name, value in where.items():
        query[name] = str(value)
    return absolute(f"{escape_uri_path(request.path)}?{query.urlencode()}")
