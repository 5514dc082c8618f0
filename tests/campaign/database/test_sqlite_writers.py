"""Several threads of one process that write to SQLite, in processes of their own.

They write to a file of their own in any pass: only what chance decides is tried again in that on SQLite.
"""

import threading
from pathlib import Path

import pytest

from campaign.database.sqlite import base
from tests.runpool.test_settings import said

PREPARE = """
import django
django.setup()
import gc, threading
from django.db import OperationalError, connection, transaction
def execute(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
def in_threads(*acts):
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
def in_a_knot():
    '''A cursor of this thread's connection that only the garbage collector frees.'''
    knot = [connection.cursor()]
    knot.append(knot)
    knot[0].execute("SELECT 1 UNION ALL SELECT 2")
execute("CREATE TABLE written (x)")
execute("INSERT INTO written VALUES (1), (2)")
"""
GARBAGE_OF_ANOTHER_CONNECTION = (
    PREPARE
    + """
gc.disable()
writes, is_waiting = threading.Event(), threading.Event()
def wait_for_the_writer():
    in_a_knot()
    writes.wait()
    try:
        is_waiting.set()
        execute("INSERT INTO written VALUES (3)")
        print("written")
    except OperationalError as problem:
        print(problem)
def write():
    with transaction.atomic():
        execute("INSERT INTO written VALUES (4)")
        writes.set()
        is_waiting.wait()
        threading.Event().wait(0.3)  # until it is inside of SQLite: too early, and the test proves nothing
        gc.collect()
in_threads(wait_for_the_writer, write)
"""
)
WRITERS = (
    PREPARE
    + """
import os
gc.set_threshold(50, 2, 2)
connection.close()
is_second = {processes} == 2 and os.fork() == 0
failed = []
def write():
    for _ in range(40):
        in_a_knot()
        try:
            with transaction.atomic():
                execute("INSERT INTO written VALUES (3)")
            execute("UPDATE written SET x = 2 WHERE rowid = 1")
        except OperationalError as problem:
            failed.append(problem)
    connection.close()
in_threads(*[write] * (12 // {processes}))
if is_second:
    os._exit(len(failed))
of_second = os.wait()[1] if {processes} == 2 else 0
with connection.cursor() as cursor:
    print(len(failed), of_second, cursor.execute("SELECT count(*) FROM written").fetchone()[0])
"""
)


INTERRUPTED_COMMIT = (
    PREPARE
    + """
class Interrupt(BaseException):
    pass
connection.ensure_connection()
class Interrupting:
    def __init__(self, connection):
        self._connection = connection
    def __getattr__(self, name):
        return getattr(self._connection, name)
    def commit(self):
        self._connection.commit()
        raise Interrupt
usual = connection.connection
try:
    with transaction.atomic():
        execute("INSERT INTO written VALUES (3)")
        connection.connection = Interrupting(usual)
except Interrupt:
    print("interrupted")
connection.connection = usual
def write():
    try:
        with connection.waiting(0.5):
            execute("INSERT INTO written VALUES (4)")
        print("written")
    except OperationalError as problem:
        print(problem)
in_threads(write)
"""
)


def test_a_writer_that_frees_a_cursor_of_a_waiting_connection_holds_nobody_up(tmp_path: Path) -> None:
    assert said(GARBAGE_OF_ANOTHER_CONNECTION, tmp_path, on_sqlite(tmp_path)) == ["written"]


@pytest.mark.sqlite
@pytest.mark.parametrize("attempt", range(5))
def test_twelve_writers_all_write(tmp_path: Path, attempt: int) -> None:
    assert said(WRITERS.format(processes=1), tmp_path, on_sqlite(tmp_path)) == [f"0 0 {2 + 12 * 40}"]


def test_the_writers_of_two_processes_all_write(tmp_path: Path) -> None:
    assert said(WRITERS.format(processes=2), tmp_path, on_sqlite(tmp_path)) == [f"0 0 {2 + 12 * 40}"]


def test_who_is_interrupted_in_the_line_leaves_it() -> None:
    line, waits = base.Line(), threading.Event()

    class Interrupted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.set()
            raise KeyboardInterrupt

    assert line.take(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base.threading, "Event", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            line.take(5)
    assert waits.is_set()
    assert not line.take(0)
    line.give_on()
    assert line.take(0)


def test_a_commit_that_is_interrupted_gives_the_turn_on(tmp_path: Path) -> None:
    assert said(INTERRUPTED_COMMIT, tmp_path, on_sqlite(tmp_path)) == ["interrupted", "written"]


def on_sqlite(folder: Path) -> dict[str, str]:
    return {"RUNPOOL_DATABASE_URL": f"sqlite:///{folder}/site.sqlite3"}
