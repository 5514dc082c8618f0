"""What a PostgreSQL server says when somebody connects. Asked by a connection of its own: the pool has requests wait longer."""

import secrets
from typing import Any, LiteralString

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from psycopg import Error, OperationalError, connect
from psycopg.conninfo import make_conninfo
from psycopg.errors import ConnectionTimeout
from psycopg.pq import PGconn, Ping

PATIENCE_SECONDS = 2
WAITED_FOR_LOCKS_SECONDS = 10
OF_PYTHON = ("context", "cursor_factory", "prepare_threshold")
"""Parameters of a connection that the server does not know."""
IN_UTF8 = (
    "Make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and let RUNPOOL_DATABASE_URL name it. "
    "What the old one holds comes there by pg_dump and psql."
)
OWN_IT = (
    "Let the role of RUNPOOL_DATABASE_URL own the database and its tables (ALTER DATABASE … OWNER TO …, ALTER TABLE … OWNER "
    "TO …), or, where it has none yet, GRANT CREATE ON SCHEMA public to it; and see that the server takes writes."
)
BY_SESSION = (
    "Set pool_mode = session in the pool (PgBouncer or the like), with room for all connections, or let RUNPOOL_DATABASE_URL "
    "name the database itself."
)
TAKES_WRITES = "Let RUNPOOL_DATABASE_URL name the server that takes writes, and see default_transaction_read_only."
REMEDIES = {"42501": OWN_IT, "3F000": OWN_IT, "25006": TAKES_WRITES}
"""By the code with which the server refuses what the role may not do."""


def bound_waits() -> None:
    """From now on no statement of this process waits longer for a lock: a web thread that waits serves nobody else.

    What a job or a command waits for is worth its time. A bound that operators gave the role, the database or the address stays.
    """
    connection_created.connect(_bound_waits, dispatch_uid="bound waits")


def _bound_waits(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if connection.vendor == "postgresql":
        connection.connection.execute(
            "SELECT set_config('lock_timeout', %s, false) WHERE current_setting('lock_timeout') = '0'",
            [f"{WAITED_FOR_LOCKS_SECONDS}s"],
        )


def wrong_encoding() -> str:
    """Why the database cannot hold every text; empty where it can, where it does not answer, and on SQLite."""
    if connection.vendor != "postgresql":
        return ""
    try:
        with connect(**_parameters()) as own:
            found = own.info.parameter_status("server_encoding")
    except Error:
        return ""
    return (
        "" if found == "UTF8" else f"The encoding of the database is {found}, and not UTF8: it refuses or spoils names."
    )


def rows_of(query: LiteralString) -> list[tuple[Any, ...]]:
    """What the database answers; nothing where it does not, or has no such table."""
    try:
        with connect(**_parameters()) as own:
            return own.execute(query).fetchall()
    except Error:
        return []


def is_pooled_by_transaction() -> bool:
    """Whether a pool between hands connections on after each transaction: cursors get lost, bounds of waits reach others.

    True is certain. A busy pool may not be noticed.
    """
    if connection.vendor != "postgresql":
        return False
    mark = secrets.token_hex(8)
    try:
        with connect(**_parameters(), autocommit=True) as own, connect(**_parameters(), autocommit=True) as other:
            own.execute("SELECT set_config('runpool.mark', %s, false)", [mark])
            with other.transaction():
                found = other.execute("SELECT current_setting('runpool.mark', true)").fetchone()
    except Error:
        return False
    return found == (mark,)


def answers() -> bool:
    """Whether it can be asked, told within seconds. One that has no connection left does: the site's pool may hold some."""
    if connection.vendor != "postgresql":
        return True
    parameters = _parameters()
    try:
        connect(**parameters).close()
    except ConnectionTimeout:
        return False
    except OperationalError:
        address = {name: value for name, value in parameters.items() if name not in OF_PYTHON}
        return PGconn.ping(make_conninfo(**address).encode()) == Ping.OK
    return True


def _parameters() -> dict[str, Any]:
    return connection.get_connection_params() | {"connect_timeout": PATIENCE_SECONDS}
