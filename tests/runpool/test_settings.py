"""Settings that depend on which process reads them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.places import REPOSITORY

SHOW = (
    "from django.conf import settings; import json; print(json.dumps(settings.DATABASES['default'].get('OPTIONS', {})))"
)
WRITE_BESIDE_A_TRANSACTION = """
import django
django.setup()
from django.db import OperationalError, connection, transaction
def asked(pragma):
    with connection.cursor() as cursor:
        return cursor.execute(f"PRAGMA {pragma}").fetchone()[0]
print(asked("journal_mode"), asked("synchronous"), asked("busy_timeout"))
other = connection.copy()
with transaction.atomic(), other.waiting(0), other.cursor() as cursor:
    cursor.execute("SELECT 1")
    try:
        cursor.execute("CREATE TABLE beside (x)")
    except OperationalError as problem:
        print(problem)
"""
NOWHERE = "postgres://nobody:nothing@127.0.0.1:1/none"
WEB_SERVER, WORKER = "import runpool.wsgi", "import runpool.celery"
WITH_OUR_LOGGER = f"import runpool.gunicorn_log; {WEB_SERVER}"


@pytest.mark.parametrize(
    ("process", "variables", "most"),
    [
        (WEB_SERVER, {}, 8),
        (WITH_OUR_LOGGER, {}, 8),
        (WEB_SERVER, {"RUNPOOL_DATABASE_POOL": "3"}, 3),
        (WORKER, {}, 0),
        (WORKER, {"RUNPOOL_DATABASE_POOL": "3"}, 0),
    ],
)
def test_only_web_servers_share_connections_to_postgresql(
    tmp_path: Path, process: str, variables: dict[str, str], most: int
) -> None:
    options = options_of_the_database(process, tmp_path, variables)
    assert options.get("pool", {}).get("max_size", 0) == most


@pytest.mark.parametrize("process", [WEB_SERVER, WORKER])
def test_every_process_keeps_what_the_address_of_the_database_asks_of_connections(tmp_path: Path, process: str) -> None:
    (tmp_path / "first.pem").touch()
    asked = {
        "RUNPOOL_DATABASE_URL": f"{NOWHERE}?sslmode=verify-full&connect_timeout=3&sslrootcert={tmp_path}/first.pem"
    }
    options = options_of_the_database(process, tmp_path, asked)
    assert (options["sslmode"], options["sslrootcert"]) == ("verify-full", f"{tmp_path}/first.pem")
    assert (options["connect_timeout"], options["tcp_user_timeout"]) == (3, 20_000)


@pytest.mark.sqlite("runpool.settings")
def test_a_transaction_on_sqlite_is_the_only_one_that_writes_and_others_go_on_reading(tmp_path: Path) -> None:
    shown = said(WRITE_BESIDE_A_TRANSACTION, tmp_path, {"RUNPOOL_DATABASE_URL": f"sqlite:///{tmp_path}/site.sqlite3"})
    assert shown == ["wal 2 20000", "database is locked"]


def options_of_the_database(process: str, folder: Path, variables: dict[str, str]) -> dict[str, Any]:
    options: dict[str, Any] = json.loads(said(f"{process}; {SHOW}", folder, variables)[-1])
    return options


def said(program: str, folder: Path, variables: dict[str, str]) -> list[str]:
    """The lines that a process with these settings prints."""
    environment = {
        **{name: value for name, value in os.environ.items() if name != "RUNPOOL_DATABASE_POOL"},
        "RUNPOOL_DATA_DIR": str(folder),
        "RUNPOOL_DATABASE_URL": NOWHERE,
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
        **variables,
    }
    command = [sys.executable, "-c", program]
    return subprocess.check_output(command, cwd=REPOSITORY, env=environment, text=True, timeout=60).splitlines()
