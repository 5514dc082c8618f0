"""A web server goes on when a later version has come to its database; it does not start over it."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.ports import free_port
from tests.sites import database

TABLE = "CREATE TABLE django_migrations (app text, name text, applied timestamptz)"
ENDED = (3, 1)
"""Gunicorn's status for a worker that does not begin, and that of its own error where a second one ends while it halts."""
LATER = "INSERT INTO django_migrations VALUES ('judging', '9999_later', now())"


@contextmanager
def web_server(folder: Path, url: str, port: int) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    log = folder / "web.log"
    settings = {
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
        "RUNPOOL_DATA_DIR": str(folder),
        "RUNPOOL_DATABASE_URL": url,
        "RUNPOOL_SECRET_KEY": "only for tests",
    }
    words = ["-m", "gunicorn", "runpool.wsgi", "--no-control-socket", "--workers", "2", "--bind", f"127.0.0.1:{port}"]
    with log.open("wb") as output:
        server = subprocess.Popen([sys.executable, *words], env={**os.environ, **settings}, stderr=output)
        try:
            yield server, log
        finally:
            server.terminate()
            server.wait(30)


def answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/nowhere", timeout=20)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 90
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.2)


def workers(log: Path) -> list[int]:
    return [int(pid) for pid in re.findall(r"Booting worker with pid: (\d+)", log.read_text())]


def test_workers_that_die_after_migrate_are_replaced_and_a_new_server_is_refused(tmp_path: Path) -> None:
    port = free_port()
    with database() as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute(TABLE)
        with web_server(tmp_path, url, port) as (server, log):
            wait_until(lambda: len(workers(log)) == 2 and answers(port))
            connection.execute(LATER)
            for pid in workers(log):
                os.kill(pid, signal.SIGKILL)
            wait_until(lambda: len(workers(log)) == 4 and answers(port))
            assert server.poll() is None
            assert "runpool.E021" not in log.read_text()
        with web_server(tmp_path, url, port) as (server, log):
            assert server.wait(90) in ENDED
            assert "lacks its migration judging.9999_later" in log.read_text()
