"""What happens while a transaction is open: another connection works until it is done, or until it waits for a lock."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from django.db import connection, transaction

Result = TypeVar("Result")
SECONDS = 120
WAITING = (
    "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_locks"
    " WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
)


@contextmanager
def open_transaction() -> Iterator[Callable[[Callable[[], Result]], "Future[Result]"]]:
    """The body runs in one transaction; what it hands to the callable works beside it, on a connection of its own."""
    with ThreadPoolExecutor(1) as threads, transaction.atomic():

        def meanwhile(work: Callable[[], Result]) -> "Future[Result]":
            working = threads.submit(_closing(work))
            wait_until_it_waits(working)
            return working

        yield meanwhile


def _closing(work: Callable[[], Result]) -> Callable[[], Result]:
    def closing() -> Result:
        try:
            return work()
        finally:
            connection.close()

    return closing


def wait_until_it_waits(working: "Future[Result]") -> None:
    deadline = time.monotonic() + SECONDS
    while not working.done():
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return
        assert time.monotonic() < deadline, "Neither done nor waiting."
        time.sleep(0.01)


def kill_who_waits() -> None:
    """End the connection that waits, in the middle of its transaction, as if its process had been killed."""
    with connection.cursor() as cursor:
        cursor.execute(WAITING.replace("count(*)", "pg_terminate_backend(pid)"))
