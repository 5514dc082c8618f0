"""One state of the database for many queries, while others go on writing."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection, transaction

_reads_only = ContextVar("reads_only", default=False)


def reads_only() -> bool:
    """Whether this is within `one_state`, where nothing can be written."""
    return _reads_only.get()


@contextmanager
def one_state() -> Iterator[None]:
    """Read everything as it is at one moment. Nothing can be written within; inside of another transaction, that one decides.

    SQLite is asked for by hand: a transaction of Django's would keep everybody else from writing.
    """
    if connection.in_atomic_block:
        yield
        return
    before = _reads_only.set(True)
    try:
        with _transaction():
            yield
    finally:
        _reads_only.reset(before)


@contextmanager
def _transaction() -> Iterator[None]:
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
