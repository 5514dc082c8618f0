import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.backends.signals import connection_created

from campaign.models import User
from runpool import checks, postgresql
from tests.factories import make_user
from tests.judging.meanwhile import open_transaction
from tests.ports import free_port
from tests.requirements import PGBOUNCER, lacking, require_postgresql


@pytest.mark.sqlite("runpool.postgresql.wrong_encoding")
def test_a_database_in_utf8_is_passed_over(db: None) -> None:
    assert postgresql.wrong_encoding() == ""


@pytest.mark.sqlite("runpool.postgresql.answers")
def test_a_database_that_runs_answers(db: None) -> None:
    assert postgresql.answers()


@pytest.mark.parametrize(("user", "expected"), [("nobody_of_this_name", True), (None, False)])
def test_a_server_that_refuses_answers_and_one_that_is_stopped_does_not(
    db: None, monkeypatch: pytest.MonkeyPatch, user: str | None, expected: bool
) -> None:
    require_postgresql(connection.vendor)
    name, value = ("USER", user) if user else ("PORT", str(free_port()))
    monkeypatch.setitem(connection.settings_dict, name, value)
    assert postgresql.answers() == expected


@pytest.fixture
def pooled(db: None, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Puts a PgBouncer of this mode between the tests' connections to come and the database."""
    require_postgresql(connection.vendor)
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin") or lacking(PGBOUNCER)
    started: list[subprocess.Popen[bytes]] = []
    asked = connection.get_connection_params()
    server = {"host": asked.get("host", "/var/run/postgresql"), "port": asked.get("port", 5432)}
    server |= {"user": asked["user"], "password": asked.get("password", ""), "dbname": asked["dbname"]}

    def start(mode: str) -> None:
        port, file = free_port(), tmp_path / "pgbouncer.ini"
        where = " ".join(f"{name}={value}" for name, value in server.items() if value)
        own = f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\n"
        own += "ignore_startup_parameters = options\n"
        file.write_text(f"[databases]\n{asked['dbname']} = {where}\n[pgbouncer]\n{own}")
        as_user = ["-u", "nobody"] if os.geteuid() == 0 else []
        started.append(subprocess.Popen([program, *as_user, str(file)], stderr=subprocess.DEVNULL))
        patched.setitem(connection.settings_dict, "HOST", "127.0.0.1")
        patched.setitem(connection.settings_dict, "PORT", port)
        until = time.monotonic() + 20
        while not postgresql.answers() and time.monotonic() < until:
            time.sleep(0.1)

    with pytest.MonkeyPatch.context() as patched:
        yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize(("mode", "expected"), [("transaction", True), ("session", False)])
def test_a_pool_that_hands_connections_on_after_each_transaction_is_recognised(
    pooled: Callable[[str], None], mode: str, expected: bool
) -> None:
    pooled(mode)
    assert postgresql.is_pooled_by_transaction() == expected
    assert [one.id for one in checks._database()] == (["runpool.E018"] if expected else [])


@pytest.mark.sqlite("runpool.postgresql.is_pooled_by_transaction")
def test_a_database_without_a_pool_is_passed_over(db: None) -> None:
    assert not postgresql.is_pooled_by_transaction()


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(postgresql, "WAITED_FOR_LOCKS_SECONDS", 0.2)
    postgresql.bound_waits()
    yield
    connection_created.disconnect(dispatch_uid="bound waits")


def lock_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        return str(cursor.fetchone()[0])


@pytest.mark.sqlite("runpool.postgresql._bound_waits")
def test_the_wait_is_bounded_where_the_database_has_such_a_bound_and_nothing_is_asked_elsewhere(db: None) -> None:
    postgresql._bound_waits(connection)
    if connection.vendor == "postgresql":
        assert lock_timeout() == "10s"


@pytest.mark.django_db(transaction=True)
def test_a_web_server_ends_a_wait_for_a_row_that_another_connection_holds(bound: None) -> None:
    require_postgresql(connection.vendor)
    user = make_user()

    def take() -> Any:
        try:
            with transaction.atomic():
                return User.objects.select_for_update().get(pk=user.pk)
        except OperationalError as problem:
            return getattr(problem.__cause__, "sqlstate", "")

    with open_transaction() as meanwhile:
        User.objects.select_for_update().get(pk=user.pk)
        assert meanwhile(take).result() == "55P03"
    with open_transaction() as meanwhile:
        assert meanwhile(take).result() == user


@pytest.mark.django_db(transaction=True)
def test_a_shorter_wait_that_operators_allow_stays(bound: None, monkeypatch: pytest.MonkeyPatch) -> None:
    require_postgresql(connection.vendor)
    options = connection.settings_dict["OPTIONS"] | {"options": "-c lock_timeout=50ms"}
    with open_transaction() as meanwhile:
        monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
        assert meanwhile(lock_timeout).result() == "50ms"


ASKED = """
import django
{begin}
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SHOW lock_timeout")
    print(cursor.fetchone()[0])
"""


@pytest.mark.parametrize(
    ("begin", "expected"), [("import runpool.wsgi", "10s"), ("import runpool.asgi", "10s"), ("django.setup()", "0")]
)
def test_web_servers_wait_for_locks_for_a_bounded_time_and_commands_as_long_as_it_takes(
    db: None, begin: str, expected: str, tmp_path: Path
) -> None:
    require_postgresql(connection.vendor)
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "runpool.settings", "RUNPOOL_DATA_DIR": str(tmp_path)}
    script = ASKED.format(begin=begin)
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=False, text=True)
    assert (done.stdout.strip(), done.returncode) == (expected, 0), done.stderr
