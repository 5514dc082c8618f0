"""Django's backend for SQLite, in which the threads of a process write one after the other.

A connection that waits inside of SQLite keeps its mutex. If the thread that it waits for collects garbage and frees a cursor of
that very connection, both wait for each other until the time is over. So a thread waits for the others of its process here, and
inside of SQLite for other processes only. Moments and days are read by `read_nearest`.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base, operations

from campaign.database.nearest_moments import day_of, read_nearest

WAITED_FOR_WRITERS_SECONDS = 20.0
READING = ("SELECT", "PRAGMA", "EXPLAIN")


class Line:
    """Who came first writes first: a lock of Python lets anybody pass, and one of many writers may wait for ever."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Event] = deque()

    def take(self, seconds: float) -> bool:
        """Return whether it is the caller's turn, at the latest after so many seconds."""
        with self._mutex:
            if not self._is_taken:
                self._is_taken = True
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            if turn.wait(seconds) or not self._leave(turn):
                return True
        except BaseException:
            if not self._leave(turn):
                self.give_on()
            raise
        return False

    def _leave(self, turn: threading.Event) -> bool:
        """Return whether it waited still; else it is its turn."""
        with self._mutex:
            if turn.is_set():
                return False
            self._waiting.remove(turn)
            return True

    def give_on(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False


_lines: dict[str, Line] = {}
os.register_at_fork(after_in_child=_lines.clear)  # nobody there ends a turn that a thread of the parent had


class DatabaseOperations(operations.DatabaseOperations):
    def convert_datetimefield_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return _read(super().convert_datetimefield_value, value, expression, connection)

    def convert_datefield_value(self, value: Any, expression: Any, connection: Any) -> Any:
        found = _read(super().convert_datefield_value, value, expression, connection)
        return None if found is None else day_of(found)


def _read(convert: Callable[..., Any], value: Any, *others: Any) -> Any:
    def read() -> Any:
        try:
            found = convert(value, *others)
        except (AttributeError, TypeError):  # Django asks a text that is no moment for its zone, and parses numbers
            found = None
        if found is None:
            raise ValueError(f"“{value}” is no date")
        return found

    return None if value is None else read_nearest(read, str(value))


class DatabaseWrapper(base.DatabaseWrapper):
    """`waits_seconds`: for how long a write waits for others of its process, and then again for other processes."""

    ops_class = DatabaseOperations
    waits_seconds = WAITED_FOR_WRITERS_SECONDS
    _line: Line | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.execute_wrappers.append(self._execute_in_turn)

    def get_connection_params(self) -> dict[str, Any]:
        """Texts come as they are to `DatabaseOperations`: Python's module takes an empty one for null."""
        return {**super().get_connection_params(), "detect_types": 0}

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[None]:
        """Let writes wait so long for others meanwhile."""
        usual = self.waits_seconds
        self._set_wait(seconds)
        try:
            yield
        finally:
            self._set_wait(usual)

    def _set_wait(self, seconds: float) -> None:
        self.waits_seconds = seconds
        with self.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

    def _execute_in_turn(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        if self._line or sql.lstrip().upper().startswith(READING):
            return execute(sql, params, many, context)
        self._take_turn()
        try:
            return execute(sql, params, many, context)
        finally:
            self._end_turn()

    def _start_transaction_under_autocommit(self) -> None:
        self._take_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # missing from the stubs
        except BaseException:
            self._end_turn()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]  # missing from the stubs
        finally:  # what a commit leaves open is rolled back next
            if self.connection is None or not self.connection.in_transaction:
                self._end_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]  # missing from the stubs
        finally:
            self._end_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]  # missing from the stubs
        finally:
            self._end_turn()

    def _take_turn(self) -> None:
        line = _lines.setdefault(str(self.settings_dict["NAME"]), Line())
        if not line.take(self.waits_seconds):
            raise OperationalError("database is locked")
        self._line = line

    def _end_turn(self) -> None:
        line, self._line = self._line, None
        if line:
            line.give_on()
