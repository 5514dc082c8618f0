"""What rooms know of a person: what is in the way of deleting the account, what is forgotten with it, what is handed out.

No room knows the rooms after it: each registers its part when its app starts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import QuerySet

from campaign.models import User


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
HindrancesOf = Callable[[User], Iterator[Hindrance]]
PartsOf = Callable[[User], Iterator[Part]]

_hindrances: list[HindrancesOf] = []
_forgettings: list[Callable[[User], None]] = []
_parts: list[PartsOf] = []


def hinder_with(hindrances_of: HindrancesOf) -> None:
    if hindrances_of not in _hindrances:
        _hindrances.append(hindrances_of)


def forget_with(forget: Callable[[User], None]) -> None:
    """Register what is done of a room's rows within the transaction that deletes an account."""
    if forget not in _forgettings:
        _forgettings.append(forget)


def hand_out_with(parts_of: PartsOf) -> None:
    if parts_of not in _parts:
        _parts.append(parts_of)


def hindrances(user: User) -> list[Hindrance]:
    return [one for hindrances_of in _hindrances for one in hindrances_of(user)]


def forget_everywhere(user: User) -> None:
    for forget in _forgettings:
        forget(user)


def parts(user: User) -> list[Part]:
    return [part for parts_of in _parts for part in parts_of(user)]


def table_part(name: str, about: str, rows: "QuerySet[Any]", columns: tuple[str, ...]) -> Part:
    """A part whose rows are columns of a table; "__" in their names becomes a dot."""
    return Part(name, about, tuple(column.replace("__", ".") for column in columns), partial(_read, rows, columns))


def _read(rows: "QuerySet[Any]", columns: tuple[str, ...]) -> Iterator[dict[str, object]]:
    names = [column.replace("__", ".") for column in columns]
    for values in rows.order_by("pk").values_list(*columns).iterator(chunk_size=ROWS_AT_ONCE):
        yield dict(zip(names, values, strict=True))
