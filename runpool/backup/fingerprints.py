"""Whether the rows of a range of keys are those of the backup before: told by the database, which sends no row for it.

A fingerprint is a SHA-256 of every value of every row in the range. It differs where a row was changed, deleted or added,
by whatever program and also past the triggers: nothing rests on tables that are said to grow only.
"""

import hashlib
import json

from django.db import connections, models

from runpool.backup.rows import Model, columns

ROWS_AT_ONCE = 2000


def has_ranges(model: Model) -> bool:
    """Whether new rows come after all others: by keys that the database counts."""
    return isinstance(model._meta.pk, models.AutoField)


def keys_between(after: int | None, last: int | None) -> models.Q:
    """The rows with keys after the one and up to the other; None: without this end."""
    found = models.Q() if after is None else models.Q(pk__gt=after)
    return found if last is None else found & models.Q(pk__lte=last)


def key_in(model: Model, line: bytes) -> int:
    """The key in a line that `rows.lines` made; 0 for tables without ranges."""
    names = [field.attname for field in columns(model)]
    return int(json.loads(line)[names.index(str(model._meta.pk.attname))]) if has_ranges(model) else 0


def fingerprint(model: Model, using: str, after: int | None, last: int) -> str:
    """Of the rows with keys after `after` and up to `last`; empty where there are none.

    Read in the same transaction as the rows: else it tells of another moment. The two databases give different ones.
    """
    connection = connections[using]
    quote = connection.ops.quote_name
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    where = f"{key} <= %s" if after is None else f"{key} <= %s AND {key} > %s"
    values = [last] if after is None else [last, after]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            each = (
                f'SELECT sha256(record_send("all of it")) AS h FROM {table} AS "all of it" WHERE {where} ORDER BY {key}'  # noqa: S608 - names of our own tables
            )
            cursor.execute(f"SELECT encode(sha256(string_agg(h, ''::bytea)), 'hex') FROM ({each}) AS each", values)  # noqa: S608 - as above
            return cursor.fetchone()[0] or ""
        # The sign keeps Python from making moments of texts, and changes nothing.
        names = ", ".join(f"+{quote(str(field.column))}" for field in columns(model))
        cursor.execute(f"SELECT {names} FROM {table} WHERE {where} ORDER BY {key}", values)  # noqa: S608 - as above
        digest, is_empty = hashlib.sha256(), True
        while found := cursor.fetchmany(ROWS_AT_ONCE):
            digest.update(repr(found).encode())
            is_empty = False
        return "" if is_empty else digest.hexdigest()
