"""A connection that PostgreSQL ends in the middle of a stream of rows: the error is Django's, so that jobs are tried again."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import polars as pl
import pytest
from django.db import OperationalError, connection, transaction

from campaign.collection.services.staging import write_rows
from campaign.database.errors import database_is_away
from campaign.queue.jobs import RETRIED
from pooling.core.strategies.drawing import ENTRY_COLUMNS
from pooling.models import Pool
from pooling.services.entries import entries_store
from tests.requirements import require_postgresql


@pytest.fixture(autouse=True)
def on_postgresql() -> None:
    require_postgresql(connection.vendor)


def end() -> None:
    """End the connection of this thread from another one."""
    pid = connection.connection.info.backend_pid
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 60000)", (pid,))


def read_rows() -> None:
    """As `.iterator()` does, to its end."""
    cursor = connection.chunked_cursor()
    cursor.execute("SELECT 1")
    cursor.fetchall()
    end()
    try:
        cursor.close()
    finally:
        cursor.cursor.close()  # the connection is known to be gone: nothing is asked of it


def write_documents() -> None:
    class Rows(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            yield 1, "D1", "", "", True
            end()
            yield 1, "D2", "", "", True

    write_rows(Rows())


def write_entries() -> None:
    def parts() -> Iterator[pl.DataFrame]:
        end()
        yield pl.DataFrame(schema=dict.fromkeys(ENTRY_COLUMNS, pl.String))

    entries_store(Pool(pk=1, task_id=1), parts())


def in_a_transaction(work: Callable[[], None]) -> None:
    try:
        with transaction.atomic():
            work()
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("work", [read_rows, write_documents, write_entries])
def test_it_is_known_as_a_database_that_is_away(work: Callable[[], None]) -> None:
    with ThreadPoolExecutor(1) as thread, pytest.raises(OperationalError) as problem:  # with a connection of its own
        thread.submit(in_a_transaction, work).result()
    assert isinstance(problem.value, RETRIED)
    assert database_is_away(problem.value)
