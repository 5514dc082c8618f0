"""A row as a line of JSON, and back. Equal rows give equal bytes on every site: no key of the database, times in UTC."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import BinaryField, Field, FileField, ForeignKey, JSONField, Model
from django.utils.dateparse import parse_date, parse_datetime

from campaign.archive.names import Name, People, RowNames
from campaign.archive.registry import JsonRow, Table
from campaign.models import User
from campaign.models.fields import require_plain_lines

NUL = "\0"
DEEPEST = 100


class RowError(ValueError):
    """A line of the archive that is no row of its table, in words."""


def line_of(row: Mapping[str, Any]) -> bytes:
    text = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"{text}\n".encode()


def row_of(line: bytes) -> JsonRow:
    try:
        row = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as problem:
        raise RowError("This line is no JSON.") from problem
    if not isinstance(row, dict):
        raise RowError("This line holds no object.")
    if has_broken_text(row):
        raise RowError("Null characters, halves of characters (lone surrogates) and deep nesting cannot be stored.")
    return row


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def has_broken_text(value: Any, depth: int = 0) -> bool:
    """Whether pages or the database cannot hold it; so is what is nested too deeply to be written again."""
    if depth > DEEPEST:
        return True
    if isinstance(value, dict):
        return any(has_broken_text(part, depth + 1) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(has_broken_text(part, depth + 1) for part in value)
    return isinstance(value, str) and (NUL in value or any("\ud800" <= mark <= "\udfff" for mark in value))


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
    if isinstance(column, ForeignKey | FileField) or column.name in table.lists:
        if value is None and not (column.null or isinstance(column, FileField)):
            raise RowError(f"“{column.name}” is empty.")
        return value
    try:
        return _checked(column, value)
    except RowError:
        raise
    except ValidationError as problem:
        raise RowError(f"“{column.name}”: {problem.messages[0]}") from problem
    except (ValueError, TypeError, OverflowError) as problem:
        raise RowError(f"“{column.name}” has a value of another kind.") from problem


def _checked(column: "Field[Any, Any]", value: Any) -> Any:
    if value is None:
        if not column.null:
            raise RowError(f"“{column.name}” is empty.")
        return None
    if isinstance(column, JSONField):
        column.run_validators(value)
        return value
    if isinstance(value, dict | list):
        raise TypeError(column.name)
    if isinstance(column, BinaryField):
        return b64decode(value, validate=True)
    found = _moment(column, value) if column.get_internal_type() == "DateTimeField" else column.to_python(value)
    if column.get_internal_type() == "DateField":
        found = value if isinstance(value, date) else parse_date(value)
    if column.choices and found not in dict(column.flatchoices) and not (found == "" and column.blank):
        raise RowError(f"“{column.name}” is none of the known values.")
    if found != "":
        column.run_validators(found)
    elif not (column.blank or column.has_default()):
        raise RowError(f"“{column.name}” is empty.")
    return found


def _moment(column: "Field[Any, Any]", value: Any) -> datetime:
    found = parse_datetime(value)
    if found is None or found.tzinfo is None:
        raise ValueError(column.name)
    return found


def require_sound(instance: Model) -> None:
    """What models say of their lines, for those that say something."""
    if type(instance).clean is not Model.clean:
        try:
            require_plain_lines(instance)
        except ValidationError as problem:
            raise RowError(" ".join(problem.messages)) from problem
