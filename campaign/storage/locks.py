"""The lock of names where no folder is shared: PostgreSQL keeps it for all machines of the site."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from campaign.storage.disk import is_locked_at_once, locked_folder

NAMES, BACKUP, RESTORE, MOVE = 0x72756E70, 0x72756E71, 0x72756E72, 0x72756E73
"""Among the advisory locks of the database."""
PAUSE_SECONDS = 0.1


@contextmanager
def locked_for_all_machines(*, alone: bool) -> Iterator[None]:
    """With SQLite there is one machine, and a file of its data folder is the lock."""
    if connection.vendor != "postgresql":
        with locked_folder(Path(settings.DATA_DIR), alone=alone):
            yield
        return
    own = _own_connection()
    try:
        _lock(own, alone=alone)
        yield
    finally:
        _give_back(own)


@contextmanager
def only_one_at_work(key: int) -> Iterator[bool]:
    """Whether nobody else of this site, on whatever machine, is at this work; nobody begins it meanwhile."""
    if connection.vendor != "postgresql":
        with (Path(settings.DATA_DIR) / f".lock-{key}").open("ab") as lock:
            yield is_locked_at_once(lock)
        return
    own = _own_connection()
    try:
        with _cursor(own) as cursor:
            yield _tried(cursor, key)
    finally:
        _give_back(own)


def _own_connection() -> BaseDatabaseWrapper:
    """A connection beside that of the thread: a transaction that fails, or is taken back, must not decide about the lock."""
    own = connection.copy()
    own.settings_dict["OPTIONS"].pop("pool", None)
    return own


def _give_back(own: BaseDatabaseWrapper) -> None:
    """The lock is free when this returns; that of a connection which only closes, when the server notices its end."""
    with suppress(Error):  # a connection that is lost holds no lock
        own.rollback()
    own.close()


def _lock(own: BaseDatabaseWrapper, *, alone: bool) -> None:
    with _cursor(own) as cursor:
        if not alone:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [NAMES])
            return
        # Not by waiting in the server's queue: those who store would stand behind it for as long as a backup is made.
        while not _tried(cursor, NAMES):
            time.sleep(PAUSE_SECONDS)


@contextmanager
def _cursor(own: BaseDatabaseWrapper) -> Iterator[CursorWrapper]:
    """In a transaction, so that a pool of connections between here and the server cannot leave the lock behind."""
    own.set_autocommit(False)
    with own.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")  # a backup holds it for hours
        cursor.execute("SET LOCAL lock_timeout = 0")  # what waits here has arrived: a web request must not lose it
        yield cursor


def _tried(cursor: CursorWrapper, key: int) -> bool:
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [key])
    return bool(cursor.fetchone() == (True,))
