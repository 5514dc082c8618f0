"""Seals of rows that are written once: what they held is known by a chain of checksums, which `manage.py verify` follows.

The sweep seals rows once they are there. A writer waits for no checksum; it waits while the last key of its table is read.
"""

import hashlib
import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, transaction
from django.db.models import JSONField, Max, Q, TextField, Value
from django.db.models.functions import Cast, Coalesce, Length

from campaign.database import clock
from campaign.integrity import Extent, Finding, each_by_itself
from campaign.models import Seal
from campaign.models.written_once import WrittenOnce
from campaign.text.plurals import number_of
from runpool.backup import rows

ROWS_OF_A_SEAL, CHARACTERS_OF_A_SEAL, SEALS_AT_ONCE = 5_000, 8 << 20, 10
"""A seal ends with the row that reaches one of the first two. They bound the memory, the third the time of a sweep."""
MOST_KEYS_AT_ONCE = 1000
PAUSE = timedelta(hours=1)
"""Rows that are too few for a whole seal wait until the newest seal of their table is as old."""
BUSY = "55P03"
"""PostgreSQL's word for a lock that somebody else holds."""
SEALING = 7_305_107
"""Among the advisory locks of the database."""
REMEDY = (
    "The database was changed behind the site's back: restore it from a backup of before the change. If the change was meant, "
    "write down why: the finding stays."
)
BROKEN = "A seal was changed or deleted behind the site's back: compare with those in the backups."
Sealed = type[WrittenOnce]
logger = logging.getLogger(__name__)


def sealed_models() -> list[Sealed]:
    """Models whose rows are neither changed nor deleted, by the names of their tables; seals check each other."""
    found = [model for model in apps.get_models() if issubclass(model, WrittenOnce) and not model.may_be_deleted]
    return sorted((model for model in found if model is not Seal), key=lambda model: model._meta.db_table)


def fixed_columns(model: Sealed) -> list[str]:
    return [field.attname for field in rows.columns(model) if field.attname not in model.changeable]


def rows_seal() -> int:
    """Seal rows that have none yet, a bounded number of them; return how many seals were made."""
    made = list[Seal]()
    for model in _in_turn():
        while len(made) < SEALS_AT_ONCE and (seal := _seal(model)):
            made.append(seal)
        if len(made) == SEALS_AT_ONCE:
            break
    if made:
        logger.info("%s; %s", number_of(sum(seal.row_count for seal in made), "row") + " sealed", _in_words(made[-1]))
    return len(made)


def _in_turn() -> list[Sealed]:
    """The tables, beginning after that of the newest seal: a long one does not keep the others waiting."""
    models = sealed_models()
    newest = Seal.objects.order_by("-pk").values_list("table", flat=True).first() or ""
    return sorted(models, key=lambda model: model._meta.db_table <= newest)


def _in_words(seal: Seal) -> str:
    return f"the newest seal is number {seal.pk}, {seal.sha256}"


def _end(model: Sealed) -> int:
    """The key up to which the table is sealed."""
    end: int | None = Seal.objects.filter(table=model._meta.db_table).aggregate(end=Max("through"))["end"]
    return end or 0


def _seal(model: Sealed) -> Seal | None:
    """The next seal of the table; None where none is due, somebody writes to the table, or another process seals it now."""
    after = _end(model)
    keys, is_whole = _keys_of_a_seal(model, after)
    if not keys or not (is_whole or _has_waited(model)) or (last := _last_settled(model)) is None:
        return None
    if not (settled := [key for key in keys if key <= last]):
        return None
    columns, through = fixed_columns(model), settled[-1]
    count, sha256 = _checksum(model, columns, after, through)
    seal = Seal(table=model._meta.db_table, columns=columns, after=after, through=through)
    seal.row_count, seal.rows_sha256 = count, sha256
    with transaction.atomic():  # SQLite has one writer at a time, from the beginning of the transaction
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SEALING])
        if _end(model) != after:
            return None
        newest = Seal.objects.order_by("-pk").first() or Seal(pk=0)
        seal.pk, seal.previous = newest.pk + 1, newest.sha256
        seal.sha256 = _sha256_of(seal)
        seal.save()
    return seal


def _has_waited(model: Sealed) -> bool:
    recent = clock.within("sealed_at", PAUSE, clock.now())
    return not Seal.objects.filter(recent, table=model._meta.db_table).exists()


def _keys_of_a_seal(model: Sealed, after: int) -> tuple[list[int], bool]:
    """The next keys, of as many rows as one seal takes by their number and length, and whether there are so many."""
    length: Any = Value(0)
    for field in rows.columns(model):
        if isinstance(field, JSONField | TextField):
            length = length + Coalesce(Length(Cast(field.attname, TextField())), 0)
    keys: list[int] = []
    characters, at_once = 0, 2  # the database reads a text to know its length: few at once where they are long
    while True:
        following = model._base_manager.filter(pk__gt=keys[-1] if keys else after).order_by("pk")
        part = list(following.values_list("pk", length)[:at_once])
        for key, characters_of_row in part:
            keys.append(key)
            characters += characters_of_row
            if len(keys) == ROWS_OF_A_SEAL or characters >= CHARACTERS_OF_A_SEAL:
                return keys, True
        if len(part) < at_once:
            return keys, False
        at_once = min(2 * at_once, MOST_KEYS_AT_ONCE)


def _last_settled(model: Sealed) -> int | None:
    """The largest key, once no row with a smaller one can come any more; None while somebody writes to the table.

    In PostgreSQL keys are given before their rows are seen. The lock is not waited for: where it is not free the next sweep asks
    again. A writer waits meanwhile until the key is read; the server takes the lock away from a process that stands still.
    """
    try:
        with transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '3s'")
                    cursor.execute("SET LOCAL statement_timeout = '3s'")
                    cursor.execute(f'LOCK TABLE "{model._meta.db_table}" IN SHARE MODE NOWAIT')
            last: int | None = model._base_manager.aggregate(last=Max("pk"))["last"]
            transaction.set_rollback(True)  # gives lock and limits back, inside of another transaction too
            return last
    except OperationalError as problem:
        if getattr(problem.__cause__, "sqlstate", None) != BUSY:
            raise
        return None


def _checksum(model: Sealed, columns: list[str], after: int, through: int) -> tuple[int, str]:
    """The number of rows with keys above `after` up to `through`, and the SHA-256 of their values."""
    by_name: dict[str, Any] = {field.attname: field for field in rows.columns(model)}
    digest, count = hashlib.sha256(), 0
    among = Q(pk__gt=after, pk__lte=through)
    for line in rows.lines(model, DEFAULT_DB_ALIAS, fields=[by_name[name] for name in columns], among=among):
        digest.update(rows.NEGATIVE_ZERO.sub(b"0.0", line))
        count += 1
    return count, digest.hexdigest()


def _sha256_of(seal: Seal) -> str:
    names = ("pk", "previous", "table", "columns", "after", "through", "row_count", "rows_sha256")
    return hashlib.sha256(json.dumps([getattr(seal, name) for name in names]).encode()).hexdigest()


def verify_seals(extent: Extent) -> Iterator[Finding]:
    """Each seal against the one before, and the rows that it sealed against what they are now."""
    models = {model._meta.db_table: model for model in sealed_models()}
    newest, newest_by_table, of_other_columns = Seal(pk=0), dict[str, Seal](), set[str]()

    def compare(seal: Seal) -> Iterator[Finding]:
        nonlocal newest
        before, of_table = newest, newest_by_table.get(seal.table, Seal(through=0))
        newest = newest_by_table[seal.table] = seal
        if seal.pk != before.pk + 1:
            yield Finding("seals", str(seal), f"The seals from {before.pk + 1} up to it are missing.", BROKEN)
        elif seal.previous != before.sha256 or seal.sha256 != _sha256_of(seal) or seal.after != of_table.through:
            yield Finding("seals", str(seal), "It does not follow the seal before it.", BROKEN)
        if (model := models.get(seal.table)) is None or not set(seal.columns) <= set(fixed_columns(model)):
            of_other_columns.add(seal.table)
            return
        extent.looked["rows by their seals"] += seal.row_count
        count, sha256 = _checksum(model, seal.columns, seal.after, seal.through)
        if sha256 != seal.rows_sha256:
            yield Finding("seals", _rows_in_words(model, seal), _what_differs(seal, count), REMEDY)

    yield from each_by_itself("seals", Seal.objects.all(), compare)
    for table in sorted(of_other_columns):
        extent.notes.append(f"This version keeps other columns of {table}; rows sealed before were not compared.")
    for table, model in models.items():
        _tell_of_waiting(extent, model, newest_by_table.get(table))
    if newest.pk:
        extent.notes.append(f"{_in_words(newest).capitalize()}.")


def _tell_of_waiting(extent: Extent, model: Sealed, newest: Seal | None) -> None:
    """Rows without a seal, and since when they may be there; their own moments may be those of another site."""
    waiting = model._base_manager.filter(pk__gt=newest.through if newest else 0).count()
    extent.looked["rows that wait for their seal"] += waiting
    if waiting:
        since = (
            f"the newest seal of them is of {newest.sealed_at:%Y-%m-%d %H:%M} UTC"
            if newest
            else "none of them has a seal"
        )
        extent.notes.append(
            f"{str(model._meta.verbose_name_plural).capitalize()}: {waiting:,} wait for their seal; {since}."
        )


def _rows_in_words(model: Sealed, seal: Seal) -> str:
    return f"{model._meta.verbose_name_plural} {seal.after + 1:,} to {seal.through:,}"


def _what_differs(seal: Seal, count: int) -> str:
    day = f"{seal.sealed_at:%Y-%m-%d}"
    if count != seal.row_count:
        return f"{number_of(seal.row_count, 'row')} of them had been sealed on {day}; there are {count:,}."
    return f"At least one of {number_of(count, 'row')} is another than on {day}, when they were sealed."
