"""A row as a line of JSON, and back. Equal rows give equal bytes on every site: no key of the database, times in UTC."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models import BinaryField, CharField, Field, FileField, ForeignKey, Model
from django.template.defaultfilters import filesizeformat
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.text import Truncator

from campaign.formats.shapes import is_storable
from campaign.models import User
from campaign.models.fields import Limited, day_problem, require_plain_lines
from campaign.queue.jobs import JobFailed
from runpool.archive.json_bytes import json_of_bytes
from runpool.archive.names import Name, People, RowNames
from runpool.archive.table import JsonRow, Table
from runpool.archive.zip_io import LONGEST_LINE, ArchiveError

CHANGED = "The archive was changed, or made by another version: get it from its source again."
LONGEST_SHOWN, LONGEST_PROBLEM = 60, 500
WHOLE_NUMBERS = {
    kind: range_of
    for kind, range_of in BaseDatabaseOperations.integer_field_ranges.items()
    if not kind.endswith("AutoField")
}
"""Lowest and highest by the kind of column: SQLite takes larger ones, which no array holds."""


class RowError(ValueError):
    """A line of the archive that is no row of its table, in words."""


def bad_row(path: str, number: int, problem: Exception) -> ArchiveError:
    words = " ".join(problem.messages) if isinstance(problem, ValidationError) else str(problem)
    return ArchiveError("row", f"{path}, line {number}: {Truncator(words).chars(LONGEST_PROBLEM)}", CHANGED)


def line_of(row: Mapping[str, Any], path: str, remedy: str) -> bytes:
    """JobFailed for a longer line than a site would restore. `remedy`: what then helps for this table."""
    text = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    line = f"{text}\n".encode()
    if len(line) > LONGEST_LINE:
        raise JobFailed(
            f"No site would restore the archive: the row of {path} that begins with {text[:LONGEST_SHOWN]} is longer than "
            f"{filesizeformat(LONGEST_LINE)}. {remedy}"
        )
    return line


def row_of(line: bytes) -> JsonRow:
    try:
        row = json_of_bytes(line)
    except ValueError as problem:
        raise RowError("This line is no JSON.") from problem
    if not isinstance(row, dict):
        raise RowError("This line holds no object.")
    if not is_storable(row):
        raise RowError(
            "Null characters, halves of characters (lone surrogates), numbers without end and deep nesting cannot be stored."
        )
    return row


def written_rows(
    table: Table, rows: Any, names: RowNames, people: People
) -> Iterator[tuple[int, dict[str, Any], JsonRow]]:
    """The primary key of each row, its values as the database has them, and what is written of it, without its files."""
    columns = table.columns
    attnames = [column.attname for column in columns]
    for pk, *values in rows.values_list("pk", *attnames).iterator(chunk_size=2000):
        held = dict(zip(attnames, values, strict=True))
        row = {column.name: _written(table, column, held[column.attname], names, people) for column in columns}
        yield pk, held, row


def _written(table: Table, column: "Field[Any, Any]", value: Any, names: RowNames, people: People) -> Any:
    if value is None or isinstance(column, FileField):
        return None
    if isinstance(column, ForeignKey):
        if column.related_model is User:
            return people.name(value)
        return names.of(column.related_model, value)
    if column.name in table.lists:
        return [None if pk is None else names.of(table.lists[column.name], pk) for pk in value]
    if isinstance(column, BinaryField):
        return b64encode(bytes(value)).decode()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value if isinstance(value, str | int | float | list | dict) else str(value)


def name_of(table: Table, row: JsonRow, number: int) -> Name:
    if not table.key:
        return number
    values = [row[column] for column in table.key]
    return values[0] if len(values) == 1 else values


def read_values(table: Table, row: JsonRow) -> dict[str, Any]:
    """The values of the row by the names of their columns, checked one by one; references and files as they are written."""
    columns = {column.name: column for column in table.columns}
    if unknown := sorted(row.keys() - columns.keys()):
        raise RowError(f"This version knows no “{unknown[0]}” here.")
    values = {}
    for name, column in columns.items():
        if name in row:
            values[name] = _read(table, column, row[name])
        elif not (column.has_default() or column.null):
            raise RowError(f"“{name}” is missing.")
    return values


def _read(table: Table, column: "Field[Any, Any]", value: Any) -> Any:
    if value is None:
        if not (column.null or (isinstance(column, FileField) and column.blank)):
            raise RowError(f"“{column.name}” is empty.")
        return None
    try:
        if isinstance(column, ForeignKey):
            return _reference(value)
        if column.name in table.lists:
            return [None if name is None else _reference(name) for name in _of_kind(value, list)]
        return _checked(column, value)
    except ValidationError as problem:
        raise _bad_value(column, value, problem.messages[0]) from problem
    except (ValueError, TypeError, OverflowError) as problem:
        raise _bad_value(column, value, "That is a value of another kind.") from problem


def _bad_value(column: "Field[Any, Any]", value: Any, what: str) -> RowError:
    shown = Truncator(json.dumps(value, ensure_ascii=False)).chars(LONGEST_SHOWN)
    return RowError(f"“{column.name}” is {shown}. {what}")


def _reference(value: Any) -> Name:
    """By the number of a line, or by one or several values of its row."""
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, bool) or not isinstance(part, str | int):
            raise TypeError
    return value  # type: ignore[no-any-return]


def _of_kind(value: Any, *kinds: type) -> Any:
    """The value if it is of one of these types; true and false are no numbers."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError
    return value


def _checked(column: "Field[Any, Any]", value: Any) -> Any:
    """What the form of the column would take, and nothing else."""
    found = _typed(column, value)
    if column.choices and found not in dict(column.flatchoices) and not (found == "" and column.blank):
        raise ValidationError("That is none of the known values.")
    if isinstance(found, date) and (problem := day_problem(found)):
        raise ValidationError(problem)
    if isinstance(column, Limited):
        column.require_limits(found)
    if isinstance(column, CharField) and len(f"{found}|".splitlines()) > 1:
        raise ValidationError("It has more than one line.")
    if found != "":
        column.run_validators(found)
    elif not column.blank:
        raise ValidationError("It is empty.")
    return found


def _typed(column: "Field[Any, Any]", value: Any) -> Any:
    """The value as the column has it. Nothing is converted but what JSON has no kind for."""
    kind = column.get_internal_type()
    if kind == "JSONField":
        return value
    if kind == "BooleanField":
        return _of_kind(value, bool)
    if kind in WHOLE_NUMBERS:
        lowest, highest = WHOLE_NUMBERS[kind]
        if not lowest <= _of_kind(value, int) <= highest:
            raise ValidationError(f"It must lie between {lowest} and {highest}.")
        return value
    if kind == "FloatField":
        return float(_of_kind(value, int, float))
    text = _of_kind(value, str)
    if kind == "BinaryField":
        return b64decode(text, validate=True)
    if kind == "DateTimeField":
        return _moment(text)
    if kind == "DateField":
        return _known(parse_date(text))
    return column.to_python(text)


def _known(found: Any) -> Any:
    if found is None:
        raise ValueError
    return found


def _moment(text: str) -> datetime:
    """In UTC: a year at the edge is another one there."""
    found: datetime = _known(parse_datetime(text))
    if found.tzinfo is None:
        raise ValueError
    try:
        return found.astimezone(UTC)
    except OverflowError as problem:
        raise ValidationError(day_problem(found)) from problem


def require_sound(instance: Model) -> None:
    """What models say of their lines, for those that say something."""
    if type(instance).clean is not Model.clean:
        try:
            require_plain_lines(instance)
        except ValidationError as problem:
            raise RowError(" ".join(problem.messages)) from problem
