"""What is answered when the database is away; tests/faults takes a real one away."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import InternalError, OperationalError, connection, transaction
from django.test import Client

from campaign.database.errors import database_is_away, takes_no_writes
from campaign.storage.room import is_disk_full


def refuse(*args: Any) -> None:
    raise OperationalError("the connection was refused") from psycopg.OperationalError("refused")


@pytest.mark.sqlite
@pytest.mark.parametrize("address", ["/", "/api/v1/campaigns"])
def test_a_database_that_is_away_is_told_with_what_to_do(db: None, address: str) -> None:
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "some"
    with connection.execute_wrapper(refuse):
        answer = client.get(address)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert b"database does not answer, is busy or takes no writes" in answer.content
    assert answer["Content-Type"].startswith("application/problem+json" if "api" in address else "text/html")


@pytest.mark.sqlite("campaign.database.errors.database_is_away")
def test_a_database_that_another_process_writes_for_long_is_away(tmp_path: Path) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "site.sqlite3", isolation_level=None)) as writer,
        closing(sqlite3.connect(tmp_path / "site.sqlite3", isolation_level=None, timeout=0)) as other,
    ):
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError) as busy:
            other.execute("BEGIN IMMEDIATE")
    problem = OperationalError(*busy.value.args)
    problem.__cause__ = busy.value
    assert database_is_away(problem)


@pytest.mark.sqlite
def test_other_errors_of_the_database_are_none_of_its_absence(db: None) -> None:
    with pytest.raises(Exception, match="nowhere") as error:
        connection.cursor().execute("SELECT 1 FROM nowhere")
    assert not database_is_away(error.value)


@pytest.mark.sqlite("campaign.storage.room.is_disk_full")
@pytest.mark.parametrize(
    ("name", "is_full"), [("SQLITE_FULL", True), ("SQLITE_IOERR_SHMSIZE", True), ("SQLITE_IOERR", False)]
)
def test_a_full_disk_is_told_from_other_faults_of_sqlite(name: str, is_full: bool) -> None:
    cause = sqlite3.OperationalError("disk I/O error")
    cause.sqlite_errorname = name
    problem = OperationalError("disk I/O error")
    problem.__cause__ = cause
    assert is_disk_full(problem) == is_full


@pytest.mark.sqlite("campaign.database.errors.takes_no_writes")
def test_a_database_that_takes_no_writes_is_away(db: None, tmp_path: Path) -> None:
    """A standby server after a failover, and a file on a disk that can only be read."""
    if connection.vendor == "postgresql":
        with pytest.raises(InternalError) as refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY; CREATE TABLE x ()")
        assert database_is_away(refused.value)
        assert takes_no_writes(refused.value)
    file = tmp_path / "site.sqlite3"
    sqlite3.connect(file).close()
    only_read = closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True))
    with only_read as reader, pytest.raises(sqlite3.OperationalError) as read_only:
        reader.execute("CREATE TABLE x (y)")
    problem = OperationalError("attempt to write a readonly database")
    problem.__cause__ = read_only.value
    assert database_is_away(problem)
    assert takes_no_writes(problem)
    assert not database_is_away(InternalError("cache lookup failed"))
    assert not takes_no_writes(OperationalError("connection refused"))
