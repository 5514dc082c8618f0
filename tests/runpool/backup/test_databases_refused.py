"""Databases of PostgreSQL that cannot hold a site: named before anything is written, with the remedy."""

from pathlib import Path

import psycopg
import pytest
from django.db import connection

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
