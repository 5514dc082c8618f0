"""Rows of many campaigns, one of which may hold what cannot be read: the others are read all the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django.core.exceptions import FieldError
from django.db import DataError, connection
from django.db.models import BinaryField, DateField, DateTimeField, F, Func, Model, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Coalesce, Length, Substr

from campaign.database.nearest_moments import EARLIEST, replaced_moments
from campaign.formats.moments import LATEST

NO_VALUE = (DataError, OverflowError, ValueError)
"""What drivers and columns raise for a value of the database that Python does not have, such as a year before 1."""
TO_CAMPAIGN = ("", "task__", "topic__task__", "run__task__", "pool__task__", "assignment__pool__task__")
AT_ONCE = 2000
M = TypeVar("M", bound=Model)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that the database holds and nobody can read. `name` says which, with its campaign."""

    pk: Any
    name: str
    problem: str


def readable_rows(rows: "QuerySet[M, R]", chunk_size: int = AT_ONCE) -> Iterator[R | Unreadable]:
    """The rows in the order of their keys; read one by one where some of them cannot be read together.

    Of a `values_list` the key is the first value.
    """
    rows, last = rows.order_by("pk"), None
    while True:
        part = rows if last is None else rows.filter(pk__gt=last)
        try:
            for row in part.iterator(chunk_size):
                last = row[0] if isinstance(row, tuple) else cast(Model, row).pk
                yield row
        except NO_VALUE:
            part = rows if last is None else rows.filter(pk__gt=last)
            for last in list(part.values_list("pk", flat=True)[:chunk_size]):
                yield from _row(rows, last)
        else:
            return


def _row(rows: "QuerySet[M, R]", pk: Any) -> Iterator[R | Unreadable]:
    try:
        found = list(rows.filter(pk=pk))
    except NO_VALUE as problem:
        yield Unreadable(pk, named(rows.model, pk), f"{type(problem).__name__}: {problem}")
    else:
        yield from found


def rows_without_moment(model: type[Model], column: "DateField[Any, Any]") -> Iterator[Any]:
    """The keys of rows whose day or moment pages replace by the nearest one that can be read."""
    name, is_moment = column.attname, isinstance(column, DateTimeField)
    ends = (EARLIEST, LATEST) if is_moment else (EARLIEST.date(), LATEST.date())
    odd, rows = Q(**{f"{name}__lt": ends[0]}) | Q(**{f"{name}__gt": ends[1]}), model._base_manager.all()
    if connection.vendor == "sqlite":  # it stores any text, and compares texts
        usual = Q(as_text=F("as_read"), characters=F("bytes"), bytes__in=(19, 26) if is_moment else (10,))
        rows, odd = rows.annotate(**_as_text(name, is_moment)), odd | ~usual
    for pk in rows.filter(odd, **{f"{name}__isnull": False}).order_by("pk").values_list("pk", flat=True).iterator():
        with replaced_moments() as replaced:
            list(model._base_manager.filter(pk=pk).values_list(name))
        if replaced:
            yield pk


def _as_text(name: str, is_moment: bool) -> dict[str, Any]:
    """What the text of the row begins with, and what SQLite reads in it: 30 February becomes 2 March."""
    form, text = "%Y-%m-%d %H:%M:%S" if is_moment else "%Y-%m-%d", Cast(name, TextField())
    read = Func(Value(form), text, Value("+0 days"), function="strftime", output_field=TextField())
    return {
        "as_text": Substr(text, 1, 19),
        "as_read": Coalesce(read, Value("")),
        "characters": Length(text),
        "bytes": Length(Cast(text, BinaryField())),
    }


def named(model: type[Model], pk: Any) -> str:
    """A row by its kind and key, and the address of its campaign where it has one. Reads no other column."""
    name = f"{model._meta.verbose_name} {pk}"
    paths = ["slug"] if model._meta.model_name == "campaign" else [f"{way}campaign__slug" for way in TO_CAMPAIGN]
    for path in paths:
        try:
            if slug := model._base_manager.filter(pk=pk).values_list(path, flat=True).get():
                return f"{name} of campaign {slug}"
        except FieldError:
            continue
    return name
