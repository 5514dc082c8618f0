"""Which keys are stored, for the hints of `near_keys`: spellings of a key are looked up, no list is read."""

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import QuerySet


def missing_in(rows: "QuerySet[Any]", field: str) -> Callable[[Iterable[str]], set[str]]:
    """The function that returns which keys no row has in this field."""

    def missing(keys: Iterable[str]) -> set[str]:
        asked = set(keys)
        return asked - set(rows.filter(**{f"{field}__in": asked}).order_by().values_list(field, flat=True))

    return missing
