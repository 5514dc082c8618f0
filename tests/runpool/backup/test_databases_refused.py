"""Databases of PostgreSQL that cannot hold a site: named before anything is written, with the remedy."""

from pathlib import Path

import psycopg
import pytest
from django.db import connection
from django.test import Client

from runpool import postgresql
from runpool.backup import restoring
from tests.runpool.backup.sites import OtherSite
from tests.sites import database

IN_C = "TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"


@pytest.fixture
def backup(tmp_path: Path) -> str:
    site = OtherSite(tmp_path / "from")
    site.manage("migrate", "--verbosity", "0")
    site.manage("backup", str(tmp_path / "backups"))
    return str(tmp_path / "backups")


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_of_another_encoding_is_refused_by_checks_servers_and_restore(
    tmp_path: Path, backup: str, encoding: str
) -> None:
    with database(f"ENCODING '{encoding}' {IN_C}") as url:
        site = OtherSite(tmp_path / "to", url)
        for command in (["check"], ["migrate"], ["restore", backup], ["restore", backup, "--dry-run"]):
            said = site.manage(*command, fails=True)
            assert f"The encoding of the database is {encoding}" in said
            assert "ENCODING 'UTF8' TEMPLATE template0" in said
            assert "Traceback" not in said
        for program in (["gunicorn", "--check-config", "runpool.wsgi"], ["celery", "-A", "runpool", "worker"]):
            refused = site.run("-m", *program)
            assert refused.returncode == 3
            assert "(runpool.E016)" in refused.stderr


def test_a_server_that_found_its_database_away_says_so_once_it_is_there_in_another_encoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: Client, db: None
) -> None:
    with database(f"ENCODING 'LATIN1' {IN_C}") as url:
        monkeypatch.setitem(connection.settings_dict, "NAME", url.rpartition("/")[2])
        [part] = client.get("/readyz", {"part": "database"}).json()["parts"]
    assert part["status"] == "failing"
    assert part["sentence"].startswith("The encoding of the database is LATIN1, and not UTF8")
    assert part["remedy"] == postgresql.IN_UTF8


@pytest.mark.parametrize(
    ("statement", "reason", "remedy"),
    [
        ("DROP SCHEMA public", "no schema has been selected to create in", postgresql.OWN_IT),
        (
            "ALTER DATABASE {name} SET default_transaction_read_only = on",
            "cannot execute CREATE TABLE in a read-only transaction",
            postgresql.TAKES_WRITES,
        ),
    ],
)
def test_a_database_in_which_no_table_can_be_made_is_refused_by_migrate_in_one_line(
    tmp_path: Path, statement: str, reason: str, remedy: str
) -> None:
    with database() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(statement.format(name=url.rpartition("/")[2]))
        said = OtherSite(tmp_path / "to", url).manage("migrate", "--verbosity", "0", fails=True)
        assert said.startswith("error: The database cannot be used: ")
        assert reason in said
        assert said.endswith(f"{remedy}\n")
        assert len(said.splitlines()) == 1


def test_a_role_that_may_not_read_the_tables_is_told_so_in_one_line(tmp_path: Path) -> None:
    with database() as url:
        site = OtherSite(tmp_path / "to", url)
        site.manage("migrate", "--verbosity", "0")
        with psycopg.connect(url) as connection:
            connection.execute("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM CURRENT_USER")
        said = site.manage("verify", fails=True)
        assert said.startswith("error: The database cannot be used: permission denied for table ")
        assert said.endswith(f"{postgresql.OWN_IT}\n")


def test_a_role_that_may_make_no_tables_is_refused_before_anything_is_written(tmp_path: Path, backup: str) -> None:
    with database() as url:
        with psycopg.connect(url) as connection:
            connection.execute("DROP SCHEMA public")
        site = OtherSite(tmp_path / "to", url)
        for words in (["--dry-run"], []):
            said = site.manage("restore", backup, *words, fails=True)
            assert "No table can be made in the database: no schema has been selected to create in" in said
            assert "ALTER DATABASE … OWNER TO …" in said
            assert "Traceback" not in said
        with psycopg.connect(url) as connection:
            connection.execute("CREATE SCHEMA public")
        assert "can be restored here" in site.manage("restore", backup, "--dry-run")


@pytest.mark.sqlite("runpool.backup.restoring._require_right_to_make_tables")
def test_asking_whether_tables_can_be_made_leaves_none(db: None) -> None:
    restoring._require_right_to_make_tables()
    assert "runpool_may_make_tables" not in connection.introspection.table_names()
