"""Names with numbers in them in the order in which people read them, sorted by the database."""

from typing import Any

from django.db.models import F
from django.db.models.functions import Collate

from campaign.text.natural_order import natural_order

COLLATION = "natural"
"""In PostgreSQL a migration makes it, of ICU's numeric order; SQLite is taught it with every connection."""


def by_numbers(field: str) -> Collate:
    """The field as a key to sort by: run-9 before run-10. For lists on pages; files keep the order of bytes."""
    return Collate(F(field), COLLATION)


def add_sqlite_collation(connection: Any, **_: Any) -> None:
    """Give a new connection the collation that SQLite lacks."""
    if connection.vendor == "sqlite":
        connection.connection.create_collation(COLLATION, _compare)


def _compare(one: str, other: str) -> int:
    first, second = (natural_order(text) for text in (one, other))
    return (first > second) - (first < second)
