"""The database of a site under load, made beside the one that is named: PostgreSQL or SQLite."""

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg

SQLITE = "sqlite:///"


@contextlib.contextmanager
def own_database(server: str) -> Iterator[str]:
    """Yield the address of a new database, and drop it at the end."""
    name = f"runpool_load_{uuid4().hex[:12]}"
    if server.startswith(SQLITE):
        with tempfile.TemporaryDirectory(prefix=f"{name}-") as folder:
            yield f"{SQLITE}{folder}/site.sqlite3"
        return
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{server.rsplit('/', 1)[0]}/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def rows_of(database: str, statement: str) -> list[Any]:
    """Return what the statement finds."""
    if database.startswith(SQLITE):
        with contextlib.closing(sqlite3.connect(database.removeprefix(SQLITE), timeout=60)) as connection:
            return connection.execute(statement).fetchall()
    with psycopg.connect(database, autocommit=True) as connection:
        return connection.execute(statement).fetchall()


def count_of(database: str, statement: str) -> int:
    """Return the one number that the statement counts."""
    [(count,)] = rows_of(database, statement)
    return int(count)


def counted_rows(database: str) -> dict[str, int]:
    """Return the number of rows of each table."""
    tables = "SELECT relname FROM pg_stat_user_tables ORDER BY relname"
    if database.startswith(SQLITE):
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    names = [name for [name] in rows_of(database, tables)]
    counts = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM \"{name}\"" for name in names)
    return dict(rows_of(database, counts))


def size_of(database: str) -> int:
    """Return bytes."""
    if database.startswith(SQLITE):
        return Path(database.removeprefix(SQLITE)).stat().st_size
    return count_of(database, "SELECT pg_database_size(current_database())")
