"""Rows that the backup before holds are not read again, and whatever happened to them since is in the new backup."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import DEFAULT_DB_ALIAS

from campaign.models import Job
from runpool.backup import making, rows
from runpool.backup.making import Made, backup_check, backup_make, part_lines
from runpool.backup.manifest import Table
from runpool.backup.targets import Folder
from tests.runpool.backup.sites import OtherSite

TABLE = Job._meta.db_table
ROWS, OF_A_PART = 60, 10


def quiet(line: str) -> None:
    """Nobody reads the progress."""


def make(folder: Path) -> Made:
    return backup_make(Folder(folder), quiet)


def not_read(made: Made) -> int:
    return made.rows_not_read[TABLE]


def add(*keys: int | None) -> None:
    state = Job.DONE
    Job.objects.bulk_create(Job(id=key, name="a job", key=uuid4().hex, state=state, message="né") for key in keys)


def lines_of(folder: Path, table: Table) -> list[bytes]:
    return [line for part in table.parts for line in part_lines(Folder(folder), part)]


def digests(made: Made) -> dict[str, tuple[int, str]]:
    return {name: (table.rows, table.digest) for name, table in made.manifest.tables.items()}


@pytest.fixture
def keys(db: None, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of many jobs; every second key is free."""
    monkeypatch.setattr(making, "ROWS_OF_A_PART", OF_A_PART)
    found = [10_000_000 + 2 * number for number in range(ROWS)]
    add(*found)
    return found


def change_some(among: random.Random) -> None:
    there = list(Job.objects.values_list("pk", flat=True))
    last = max(there, default=10_000_000)
    act = among.choice(
        ["nothing", "change", "change back", "delete", "delete a range", "add at the end", "add between"]
    )
    some = among.sample(there, min(len(there), among.randint(1, 4)))
    if act == "change":
        Job.objects.filter(pk__in=some).update(
            attempts=among.randint(1, 9), message=among.choice(["", "0", "né", "0.0"])
        )
    elif act == "change back":  # a row may hold again what it held in some backup
        Job.objects.filter(pk__in=some).update(attempts=0, message="né")
    elif act == "delete":
        Job.objects.filter(pk__in=some).delete()
    elif act == "delete a range":
        Job.objects.filter(pk__gte=min(some, default=0), pk__lte=min(some, default=0) + 2 * OF_A_PART).delete()
    elif act == "add at the end":
        add(*(last + 2 * number for number in range(1, among.randint(2, 3 * OF_A_PART))))
    elif act == "add between":
        add(*{key + 1 for key in some} - set(there))


@pytest.mark.sqlite("runpool.backup.fingerprints.fingerprint")
def test_after_whatever_changes_a_backup_beside_earlier_ones_holds_what_a_first_one_holds(
    keys: list[int], tmp_path: Path
) -> None:
    among, kept, folder = random.Random(42), 0, tmp_path / "incremental"
    for _ in range(12):
        made = make(folder)
        kept += not_read(made)
        table, live, digest = made.manifest.tables[TABLE], list(rows.lines(Job, DEFAULT_DB_ALIAS)), rows.Digest()
        for line in live:
            digest.add(line)
        assert lines_of(folder, table) == live
        assert (table.rows, table.digest) == (digest.rows, digest.hexadecimal)
        for _ in range(among.randint(0, 3)):
            change_some(among)
    assert backup_check(Folder(folder), made.manifest, quiet) == []
    assert kept > 12 * OF_A_PART, "else nothing was tried"
    assert digests(make(folder)) == digests(make(tmp_path / "first"))


@pytest.mark.sqlite("runpool.backup.fingerprints.fingerprint")
def test_a_restored_site_has_the_change_and_not_the_deleted_row_of_parts_that_were_kept_before(
    keys: list[int], tmp_path: Path
) -> None:
    make(tmp_path / "backups")
    assert not_read(make(tmp_path / "backups")) == ROWS
    Job.objects.filter(pk=keys[3]).delete()
    Job.objects.filter(pk=keys[25]).update(message="changed")
    assert not_read(make(tmp_path / "backups")) == ROWS - 2 * OF_A_PART
    assert not_read(make(tmp_path / "backups")) == ROWS - 1
    OtherSite(tmp_path / "site").manage("restore", str(tmp_path / "backups"))
    with closing(sqlite3.connect(tmp_path / "site" / "runpool.sqlite3")) as site:
        found = dict(site.execute("SELECT id, message FROM campaign_job WHERE id >= 10000000"))
    assert found == {key: "changed" if key == keys[25] else "né" for key in keys if key != keys[3]}


def test_a_part_that_is_damaged_or_gone_is_written_anew_from_rows_that_did_not_change(
    keys: list[int], tmp_path: Path
) -> None:
    first = make(tmp_path)
    damaged, gone = (
        tmp_path / "parts" / part.sha256[:2] / part.sha256 for part in first.manifest.tables[TABLE].parts[:2]
    )
    damaged.write_bytes(b"x" * damaged.stat().st_size)
    gone.unlink()
    second = make(tmp_path)
    assert (not_read(second), second.mended_parts) == (ROWS - 2 * OF_A_PART, 1)
    assert backup_check(Folder(tmp_path), second.manifest, quiet) == []


def test_all_rows_are_read_again_after_a_backup_of_another_version(
    keys: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "VERSION", "1.0.0")
    make(tmp_path)
    monkeypatch.undo()
    assert make(tmp_path).rows_not_read.total() == 0
