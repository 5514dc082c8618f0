"""What a PostgreSQL server says when somebody connects. Asked by a connection of its own: the pool has requests wait longer."""

from typing import Any

from django.db import connection
from psycopg import Error, connect

PATIENCE_SECONDS = 2
IN_UTF8 = (
    "Make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and let RUNPOOL_DATABASE_URL name it. "
    "What the old one holds comes there by pg_dump and psql."
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


def _parameters() -> dict[str, Any]:
    return connection.get_connection_params() | {"connect_timeout": PATIENCE_SECONDS}
