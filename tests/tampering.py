"""What somebody does to the database behind the site's back: rows that are written once are changed all the same."""

from django.db import connection
from django.db.models import Model


def tamper(row: Model, **columns: object) -> None:
    """Set columns of a row by SQL, with the triggers of its table off."""
    sets = ", ".join(f'"{name}" = %s' for name in columns)
    key = row._meta.pk.column
    _without_triggers(
        row._meta.db_table, f'UPDATE "{row._meta.db_table}" SET {sets} WHERE "{key}" = %s', [*columns.values(), row.pk]
    )


def erase(row: Model) -> None:
    table = row._meta.db_table
    _without_triggers(table, f'DELETE FROM "{table}" WHERE "{row._meta.pk.column}" = %s', [row.pk])


def _without_triggers(table: str, sql: str, values: list[object]) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # no table is altered while checks of its rows are to come
            cursor.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
            cursor.execute(sql, values)
            cursor.execute(f'ALTER TABLE "{table}" ENABLE TRIGGER USER')
            return
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table])
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f'DROP TRIGGER "{name}"')
        cursor.execute(sql, values)
        for _, made in triggers:
            cursor.execute(made.replace("%", "%%"))
