"""The rows of all tables as lines of JSON, the same whether they come from SQLite or PostgreSQL."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.apps.registry import Apps
from django.core.management.color import no_style
from django.db import connections, models
from django.utils.duration import duration_iso_string

from campaign.database.nearest_moments import replaced_moments
from campaign.database.readable import Unreadable, readable_rows
from campaign.models import (
    Job,
    LastSeen,
    SiteFigures,
    SlowRequest,
    Verification,
    VerificationFinding,
    WorkerHeartbeat,
)

Model = type[models.Model]
ROWS_AT_ONCE = 2000
NEGATIVE_ZERO = re.compile(rb"(?<![\w.+-])-0\.0(?![\w.])")
"""PostgreSQL's JSON has no negative zero."""
MADE_BY_MIGRATE = frozenset({"django_content_type", "auth_permission", "django_migrations"})
"""Tables that `migrate` fills."""
SESSIONS = "django_session"
MADE_BY_RUNNING = frozenset(
    model._meta.db_table
    for model in (LastSeen, WorkerHeartbeat, SiteFigures, SlowRequest, Verification, VerificationFinding, Job)
)
"""Tables that a site fills by itself, which is empty with them alone."""


def tables(apps: Apps) -> list[Model]:
    """The models of all tables, each table once, in the order of their names."""
    found = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True) if _is_table(model)}
    return [found[name] for name in sorted(found)]


def _is_table(model: Model) -> bool:
    return model._meta.managed and not model._meta.proxy


def columns(model: Model) -> list[models.Field[Any, Any]]:
    """By name: the order of a model's fields is not that in which migrations add them."""
    found = [field for field in model._meta.local_concrete_fields if not field.generated]
    return sorted(found, key=lambda field: field.attname)


class Digest:
    """Of the rows of a table, in whatever order they come: databases sort texts differently."""

    def __init__(self) -> None:
        self.rows, self._sum = 0, 0

    def add(self, line: bytes) -> None:
        self.rows += 1
        self._sum += int.from_bytes(hashlib.sha256(NEGATIVE_ZERO.sub(b"0.0", line)).digest(), "big")

    def include(self, rows: int, hexadecimal: str) -> None:
        """Add the rows of another digest."""
        self.rows += rows
        self._sum += int(hexadecimal, 16)

    @property
    def hexadecimal(self) -> str:
        return f"{self._sum % (1 << 256):064x}"


def lines(
    model: Model,
    using: str,
    tell: Callable[[str], None] = lambda name: None,
    *,
    fields: Sequence["models.Field[Any, Any]"] = (),
    among: models.Q | None = None,
) -> Iterator[bytes]:
    """Yield the rows in the order of their keys, a line of JSON each: the values of `fields`, or else of all `columns`.

    `tell` is given the name of a row with a date that no program can read: the nearest that can be read is put in its place.
    `among`: which rows, if not all.
    """
    fields = fields or columns(model)
    rows = model._base_manager.using(using).filter(among or models.Q())
    for found in readable_rows(rows.values_list("pk", *(field.attname for field in fields)), ROWS_AT_ONCE):
        if isinstance(found, Unreadable):
            tell(found.name)
            with replaced_moments():
                found = rows.filter(pk=found.pk).values_list("pk", *(field.attname for field in fields)).get()
        _, *row = found
        text = json.dumps(row, default=_plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        yield text.encode("utf-8", "surrogatepass") + b"\n"


def _plain(value: object) -> object:
    """JSON of what JSON has no word for; `_of_column` reads it again."""
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return duration_iso_string(value)
    if isinstance(value, UUID | Decimal):
        return str(value)
    raise TypeError(f"no way to store {type(value).__name__}")


def insert(model: Model, found: Iterable[bytes], using: str) -> Digest:
    """Insert lines as `lines` gives them, inside the caller's transaction; return their digest."""
    digest, waiting = Digest(), []
    for line in found:
        digest.add(line)
        waiting.append(line)
        if len(waiting) == ROWS_AT_ONCE:
            _insert(model, waiting, using)
            waiting = []
    if waiting:
        _insert(model, waiting, using)
    return digest


def _insert(model: Model, found: Sequence[bytes], using: str) -> None:
    """By SQL: saving objects would set the columns that take the time of the moment."""
    connection, fields = connections[using], columns(model)
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(field.column)) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    statement = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({marks})"  # noqa: S608 - names of our own tables
    rows = [
        [
            field.get_db_prep_value(_of_column(field, value), connection)
            for field, value in zip(fields, json.loads(line), strict=True)
        ]
        for line in found
    ]
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)


def _of_column(field: models.Field[Any, Any], value: Any) -> Any:
    if isinstance(field, models.ForeignKey):
        field = field.target_field
    if value is None or isinstance(field, models.JSONField):
        return value
    return base64.b64decode(value) if isinstance(field, models.BinaryField) else field.to_python(value)


def digest_of(model: Model, using: str) -> Digest:
    digest = Digest()
    for line in lines(model, using):
        digest.add(line)
    return digest


def set_counters(found: Iterable[Model], using: str) -> None:
    """Let the next key of each table come after the largest."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(found)):
            cursor.execute(statement)


def make_room(found: Iterable[Model], using: str) -> None:
    """Remove, inside the caller's transaction, the rows that `migrate` and a site without content make by themselves."""
    there = set(connections[using].introspection.table_names())
    for model in found:
        if model._meta.db_table in (MADE_BY_MIGRATE | MADE_BY_RUNNING) & there:
            model._base_manager.using(using).all().delete()


def tables_with_rows(using: str, found: Iterable[Model]) -> list[str]:
    """The names of tables that are there and hold rows of the site's own."""
    there = set(connections[using].introspection.table_names())
    wanted = [model for model in found if model._meta.db_table in there - MADE_BY_MIGRATE - MADE_BY_RUNNING]
    return [model._meta.db_table for model in wanted if model._base_manager.using(using).exists()]
