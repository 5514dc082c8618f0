"""Backups, restorations and moves that are killed in the middle leave nothing half-done, and are started again."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from campaign.storage.owners import other_sites
from runpool.backup.making import backup_make
from runpool.backup.targets import UNFINISHED, Folder
from tests.conftest import MadeOnce
from tests.runpool.backup.sites import OtherSite
from tests.world import World, make_world

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def backups(made_once: MadeOnce, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("backups")

    def make() -> World:
        world = make_world()
        other_sites("https://first.example.org/")  # as the daily cleaning does: the site has a name
        backup_make(Folder(folder), lambda line: None)
        return world

    with made_once(make):
        yield folder


def killed_when(site: OtherSite, *arguments: str, reached: Callable[[], object]) -> None:
    process = site.start(*arguments)
    deadline = time.monotonic() + 120
    try:
        while not reached() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.fixture(scope="module")
def restored_again(backups: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[OtherSite, str]:
    """A site whose restoration was killed and started again, and what that said."""
    folder = tmp_path_factory.mktemp("site")
    site, files = OtherSite(folder), folder / "files"
    killed_when(site, "restore", str(backups), reached=lambda: files.is_dir() and any(files.rglob("*.*")))
    assert "was not finished: the database lacks its rows" in site.manage("verify", fails=True)
    return site, site.manage("restore", str(backups))


def test_a_restoration_that_is_killed_leaves_no_rows_and_goes_on_with_the_same_command(
    restored_again: tuple[OtherSite, str],
) -> None:
    site, said = restored_again
    assert "is restored" in said
    assert "\n0 findings" in site.manage("verify", "files")


def test_a_restoration_that_was_killed_while_it_made_the_tables_goes_on_with_the_same_command(
    backups: Path, tmp_path: Path
) -> None:
    site = OtherSite(tmp_path)
    site.manage("migrate", "--verbosity", "0", "campaign", "0001")
    assert "can be restored here" in site.manage("restore", str(backups), "--dry-run")
    assert "is restored" in site.manage("restore", str(backups))


KILLED_AFTER_THE_ROWS = """
import os, sys
import django
django.setup()
from runpool.backup import restoring
restoring.call_command = lambda *arguments, **options: os._exit(9)
from django.core.management import call_command
call_command("restore", sys.argv[1])
"""


def test_a_restoration_that_was_killed_after_its_rows_counted_goes_on_with_the_same_command(
    backups: Path, tmp_path: Path
) -> None:
    site = OtherSite(tmp_path / "site")
    command = [sys.executable, "-c", KILLED_AFTER_THE_ROWS, str(backups)]
    killed = subprocess.run(
        command, cwd=site.program, env=site.environment, capture_output=True, text=True, check=False
    )
    assert killed.returncode == 9, killed.stderr
    assert "is restored here already" in site.manage("restore", str(backups), "--dry-run")
    some_file = next(path for path in (tmp_path / "site" / "files").rglob("*.*") if path.is_file())
    some_file.unlink()
    for _ in range(2):
        said = site.manage("restore", str(backups))
        assert "are there already" in said
        assert "is restored: every table holds the rows" in said
        assert some_file.is_file()
    assert "\n0 findings" in site.manage("verify", "files")
    names = "print('named', SiteFigures.objects.get(name=SiteFigures.SITE).values['name'])"
    named = site.manage("shell", "-v", "0", "-c", f"from campaign.models import SiteFigures; {names}").split()[1]
    assert [file.name for file in (tmp_path / "site" / "files" / "sites").iterdir()] == [named]
    site.manage("create_user", "newcomer", "--email", "newcomer@example.org")
    assert "not empty" in site.manage("restore", str(backups), fails=True)
    assert "not empty" in site.manage("restore", str(backups), "--dry-run", fails=True)


KILLED_ONCE_THERE_ARE_TABLES = """
import os, sys
import django
django.setup()
from django.db.migrations.executor import MigrationExecutor
migrate = MigrationExecutor.migrate
def killed_after(self, *arguments, **options):
    migrate(self, *arguments, **options)
    os._exit(9)
MigrationExecutor.migrate = killed_after
from django.core.management import call_command
call_command("restore", sys.argv[1])
"""


def test_a_restoration_that_was_killed_once_it_had_made_tables_leaves_none_without_a_mark(
    backups: Path, tmp_path: Path
) -> None:
    site = OtherSite(tmp_path / "site")
    command = [sys.executable, "-c", KILLED_ONCE_THERE_ARE_TABLES, str(backups)]
    killed = subprocess.run(
        command, cwd=site.program, env=site.environment, capture_output=True, text=True, check=False
    )
    assert killed.returncode == 9, killed.stderr
    assert "Its tables are not those of this version" in site.manage("verify", fails=True)


def test_two_backups_are_not_restored_into_one_storage_though_neither_site_was_started(
    backups: Path, tmp_path: Path
) -> None:
    storage = f"file://{tmp_path}/files"
    OtherSite(tmp_path / "one", RUNPOOL_STORAGE_URL=storage, RUNPOOL_SITE_URL="https://one.example.org").manage(
        "restore", str(backups)
    )
    said = OtherSite(tmp_path / "two", RUNPOOL_STORAGE_URL=storage).manage("restore", str(backups), fails=True)
    assert "that of another site: https://one.example.org/ (file sites/" in said


ANOTHER_LEAVES_ITS_FILE_MEANWHILE = """
import sys
import django
django.setup()
from campaign.storage.interface import files
from runpool.backup import restoring
leave_file = restoring.leave_file
def left_with_another(address):
    leave_file(address)
    with files().written_whole("sites/" + "a" * 32) as file:
        file.write(b"https://other.example.org/")
restoring.leave_file = left_with_another
from django.core.management import call_command
call_command("restore", sys.argv[1])
"""


def test_of_two_restorations_into_one_storage_that_found_it_empty_at_once_none_goes_on_and_one_alone_can_begin_again(
    backups: Path, tmp_path: Path
) -> None:
    site = OtherSite(tmp_path / "site", RUNPOOL_STORAGE_URL=f"file://{tmp_path}/files")
    command = [sys.executable, "-c", ANOTHER_LEAVES_ITS_FILE_MEANWHILE, str(backups)]
    refused = subprocess.run(
        command, cwd=site.program, env=site.environment, capture_output=True, text=True, check=False
    )
    assert "that of another site: https://other.example.org/ (file sites/" in refused.stderr
    [left] = [path for path in (tmp_path / "files").rglob("*") if path.is_file()]
    assert left.read_text() == "https://other.example.org/"
    left.unlink()
    assert "is restored: every table holds the rows" in site.manage("restore", str(backups))


KILLED_AMONG_THE_ROWS = KILLED_AFTER_THE_ROWS.replace(
    "restoring.call_command = lambda *arguments, **options", "restoring.rows.set_counters = lambda *arguments"
)


def test_a_restoration_that_was_killed_among_its_rows_is_told_and_goes_on_though_the_site_was_started_meanwhile(
    backups: Path, tmp_path: Path
) -> None:
    site = OtherSite(tmp_path / "site")
    command = [sys.executable, "-c", KILLED_AMONG_THE_ROWS, str(backups)]
    killed = subprocess.run(
        command, cwd=site.program, env=site.environment, capture_output=True, text=True, check=False
    )
    assert killed.returncode == 9, killed.stderr
    assert "was not finished: the database lacks its rows" in site.manage("verify", fails=True)
    imports = "from campaign.models import *; from django.utils.timezone import now"
    started = f"{imports}; LastSeen.objects.create(name='sweep', at=now())"
    verified = "Verification.objects.create(started_at=now()); Job.objects.create(name='clean', key='{}')"
    site.manage("shell", "-v", "0", "-c", f"{started}; {verified}")
    assert "can be restored here" in site.manage("restore", str(backups), "--dry-run")
    assert "is restored: every table holds the rows" in site.manage("restore", str(backups))
    assert "0 findings" in site.manage("verify", "files")


def test_a_backup_that_is_killed_is_none_and_the_next_one_uses_its_parts(
    restored_again: tuple[OtherSite, str], tmp_path: Path
) -> None:
    (site, _), target = restored_again, tmp_path / "again"
    killed_when(site, "backup", str(target), reached=lambda: any((target / "parts").rglob("??/*")))
    assert Folder(target).manifests() == []
    left = [path.relative_to(target).as_posix() for path in target.rglob(f"{UNFINISHED}*")]
    for folder in ("parts/ab", "backups"):  # it may have been killed between two files
        (target / folder).mkdir(exist_ok=True)
        (target / folder / f"{UNFINISHED}x").write_bytes(b"half")
        left.append(f"{folder}/{UNFINISHED}x")
    said = site.manage("backup", str(target))
    assert [
        name for name in left if f"{name}: left half-written by a backup that was cut off; removed" not in said
    ] == []
    site.manage("backup", str(target), "--check")
    assert not list(target.rglob(f"{UNFINISHED}*"))


def test_the_stored_files_of_another_site_take_no_restoration(backups: Path, tmp_path: Path) -> None:
    files = tmp_path / "files"
    of_other = files / "sites" / ("a" * 32)
    of_other.parent.mkdir(parents=True)
    of_other.write_text("https://staging.example.org/")
    site = OtherSite(tmp_path / "site", RUNPOOL_STORAGE_URL=f"file://{files}")
    for options in ([], ["--dry-run"]):
        said = site.manage("restore", str(backups), *options, fails=True)
        assert (
            f"that of another site: https://staging.example.org/ (file sites/{of_other.name}). Restore into a new"
            in said
        )
    assert [path for path in files.rglob("*") if path.is_file()] == [of_other]
    of_other.unlink()
    assert "can be restored here" in site.manage("restore", str(backups), "--dry-run")


KILLED_AMONG_THE_FILES = """
import os, sys
import django
django.setup()
from django.core.management import call_command
from runpool.backup import moving
moving.open_verified = lambda *arguments, **options: os._exit(9)
call_command("move_site", "--to-database", sys.argv[1], "--to-files", sys.argv[2], "--site-is-stopped")
"""


def test_the_new_place_of_a_move_that_was_killed_among_the_files_says_that_it_lacks_the_rows(
    restored_again: tuple[OtherSite, str], tmp_path: Path
) -> None:
    site, (database, files) = restored_again[0], (f"sqlite:///{tmp_path}/new.sqlite3", str(tmp_path / "files"))
    command = [sys.executable, "-c", KILLED_AMONG_THE_FILES, database, files]
    killed = subprocess.run(
        command, cwd=site.program, env=site.environment, capture_output=True, text=True, check=False
    )
    assert killed.returncode == 9, killed.stderr
    new = OtherSite(tmp_path / "data", database, RUNPOOL_STORAGE_URL=f"file://{files}")
    assert "The move of this site was not finished: the database lacks its rows" in new.manage("verify", fails=True)
    moved = site.manage("move_site", "--to-database", database, "--to-files", files, "--site-is-stopped")
    assert "all equal" in moved
    assert "\n0 findings" in new.manage("verify", "files")
