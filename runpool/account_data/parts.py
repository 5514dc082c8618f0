"""What apps know of a person: what is in the way of deleting the account, and tables of what is held."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import QuerySet


@dataclass(frozen=True, slots=True)
class Hindrance:
    """What must be settled before an account is deleted. `page`: where; `is_released`: the deletion does it, if so asked."""

    text: str
    page: str = ""
    is_released: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A table of what is held of a person. `about`: what it holds, a sentence; `rows`: read anew for each file that is made."""

    name: str
    about: str
    columns: tuple[str, ...]
    rows: Callable[[], Iterable[Mapping[str, object]]]


ROWS_AT_ONCE = 2000
HIDDEN_FROM_ASSESSORS = frozenset({"pass_number", "share", "share_seed", "part_seed", "is_repeat", "extent"})
"""Of an assignment, what tells that somebody else judges the topic as well, or that one judges it again: columns, and entries of
the log. Organisers read them in the campaign; no copy of a person's data has them."""


def table_part(
    name: str, about: str, rows: "QuerySet[Any]", columns: tuple[str, ...], *, without: frozenset[str] = frozenset()
) -> Part:
    """A part whose rows are columns of a table; "__" in their names becomes a dot. `without`: keys of values that are objects."""
    if hidden := HIDDEN_FROM_ASSESSORS & {*columns}:
        raise ValueError(f"hidden from assessors: {', '.join(hidden)}")
    return Part(
        name, about, tuple(column.replace("__", ".") for column in columns), partial(_read, rows, columns, without)
    )


def _read(rows: "QuerySet[Any]", columns: tuple[str, ...], without: frozenset[str]) -> Iterator[dict[str, object]]:
    names = [column.replace("__", ".") for column in columns]
    for values in rows.order_by("pk").values_list(*columns).iterator(chunk_size=ROWS_AT_ONCE):
        yield {name: _but(value, without) for name, value in zip(names, values, strict=True)}


def _but(value: object, without: frozenset[str]) -> object:
    return {key: entry for key, entry in value.items() if key not in without} if isinstance(value, dict) else value
