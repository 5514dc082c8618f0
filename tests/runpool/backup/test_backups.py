"""A backup of a site in which every page has something to show, restored into empty sites on either database."""

import errno
import gzip
import json
import os
import shutil
from collections.abc import Iterator
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import DEFAULT_DB_ALIAS, connection
from django.utils import timezone

from campaign.models import Campaign, Run, SiteFigures
from campaign.storage import store
from campaign.storage.disk import place
from campaign.storage.interface import StorageAwayError
from campaign.storage.inventory import named_files
from campaign.storage_places import place_of
from runpool.backup import rows
from runpool.backup.buckets import target_at
from runpool.backup.fingerprints import fingerprint, has_ranges
from runpool.backup.making import backup_check, backup_make
from runpool.backup.manifest import Manifest, read_manifest
from runpool.backup.pruning import backups_prune
from runpool.backup.sealing import Seal
from runpool.backup.targets import Folder, TargetError
from tests.buckets import KEYS, BucketServer, bucket_server
from tests.conftest import MadeOnce
from tests.runpool.backup.sites import OtherSite
from tests.sites import services
from tests.world import World, make_world


@pytest.fixture(scope="module")
def world_of_all(made_once: MadeOnce) -> Iterator[World]:
    with made_once(make_world) as world:
        yield world


@pytest.fixture
def world(world_of_all: World, db: None) -> World:
    return deepcopy(world_of_all)


@pytest.fixture(scope="module")
def restored_once(world_of_all: World, tmp_path_factory: pytest.TempPathFactory) -> tuple[Manifest, Path]:
    """What a backup of the world holds, and the folder of a site into which it was restored."""
    folder = tmp_path_factory.mktemp("restored")
    _, _, manifest = make(folder / "backups")
    site = OtherSite(folder / "site")
    assert "is restored" in site.manage("restore", str(folder / "backups"))
    return manifest, folder / "site"


@pytest.fixture
def restored(restored_once: tuple[Manifest, Path], tmp_path: Path) -> Manifest:
    """The site of `tmp_path / "site"` is a copy of that one."""
    manifest, site = restored_once
    shutil.copytree(site, tmp_path / "site")
    return manifest


def quiet(line: str) -> None:
    """Nobody reads the progress."""


def make(folder: Path, seal: Seal | None = None) -> tuple[Folder, str, Manifest]:
    target = Folder(folder, seal)
    made = backup_make(target, quiet)
    assert made.manifest.is_complete, made.manifest.missing
    return target, made.name, made.manifest


def digests(manifest: Manifest) -> dict[str, tuple[int, str]]:
    return {name: (table.rows, table.digest) for name, table in manifest.tables.items()}


def parts_in(folder: Path) -> list[Path]:
    return [path for path in (folder / "parts").rglob("*") if path.is_file()]


def require_equal(site: OtherSite, expected: Manifest, folder: Path) -> None:
    """A backup of the restored site holds the same rows and files, and the name under which it keeps files besides."""
    site.manage("backup", str(folder))
    target = Folder(folder)
    again = read_manifest(target, target.manifests()[-1])
    found, wanted = digests(again), digests(expected)
    figures = SiteFigures._meta.db_table
    assert found.pop(figures)[0] == wanted.pop(figures)[0] + 1
    assert found == wanted
    assert (again.file_count, again.file_bytes) == (expected.file_count, expected.file_bytes)


@pytest.mark.sqlite("runpool.backup.rows._insert", "runpool.backup.rows.set_counters")
def test_a_restored_site_holds_every_row_and_file_verifies_and_gives_new_rows_new_keys(
    restored: Manifest, tmp_path: Path
) -> None:
    assert restored.file_count, "the world has stored files"
    site = OtherSite(tmp_path / "site")
    require_equal(site, restored, tmp_path / "again")
    assert "\n0 findings" in site.manage("verify", "files")
    site.manage("create_user", "newcomer", "--email", "newcomer@example.org")


@pytest.mark.services
def test_a_site_goes_through_postgresql_and_back_unchanged(world: World, tmp_path: Path) -> None:
    _, _, manifest = make(tmp_path / "backups")
    with services() as environment:
        site = OtherSite(tmp_path / "on-postgresql", environment["RUNPOOL_DATABASE_URL"])
        site.manage("restore", str(tmp_path / "backups"))
        require_equal(site, manifest, tmp_path / "again")
        back = tmp_path / "on-sqlite"
        moved = site.manage(
            "move_site",
            "--to-database",
            f"sqlite:///{back}.sqlite3",
            "--to-files",
            f"{back}-files",
            "--site-is-stopped",
        )
        assert "all equal" in moved
        again = ("move_site", "--to-database", f"sqlite:///{back}.sqlite3", "--to-files", f"{back}-files")
        assert "all equal" in site.manage(*again, "--site-is-stopped"), "its end may not have been seen"
        there = OtherSite(tmp_path / "there", f"sqlite:///{back}.sqlite3")
        there.manage("create_user", "newcomer", "--email", "newcomer@example.org")
        assert "not empty" in site.manage(*again, "--site-is-stopped", fails=True)


def test_a_second_backup_stores_only_what_is_new(world: World, tmp_path: Path) -> None:
    make(tmp_path)
    before = set(parts_in(tmp_path))
    make(tmp_path)
    assert set(parts_in(tmp_path)) == before
    for model in filter(has_ranges, rows.tables(apps)):  # the database can hash the columns of all of them
        found = [fingerprint(model, DEFAULT_DB_ALIAS, None, 1 << 40) for _ in range(2)]
        assert found == [found[0]] * 2
        assert bool(found[0]) == model._base_manager.exists()
    Campaign.objects.filter(pk=world.cast.campaign.pk).update(title="Another title")
    _, _, manifest = make(tmp_path)
    new = {path.name for path in set(parts_in(tmp_path)) - before}
    changed = ("campaign_campaign", "campaign_rowstate")  # the site keeps what it left of a campaign
    assert new == {part.sha256 for table in changed for part in manifest.tables[table].parts} - {p.name for p in before}


def test_an_encrypted_backup_shows_neither_rows_nor_checksums_and_opens_by_its_key(
    world: World, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    call_command("backup", "--make-key", str(key), stdout=StringIO())
    call_command("backup", str(tmp_path / "backups"), "--key", str(key), stdout=StringIO(), stderr=StringIO())
    files = [path for path in (tmp_path / "backups").rglob("*") if path.is_file()]
    sha256s = set(Run.objects.exclude(sha256="").values_list("sha256", flat=True))
    assert not sha256s & {path.name for path in files}
    assert not any(world.cast.organiser.email.encode() in path.read_bytes() for path in files)
    site = OtherSite(tmp_path / "site")
    assert "encrypted" in site.manage("restore", str(tmp_path / "backups"), fails=True)
    site.manage("restore", str(tmp_path / "backups"), "--key", str(key))
    assert "\n0 findings" in site.manage("verify", "files")


def test_a_key_file_is_never_overwritten(tmp_path: Path) -> None:
    key = tmp_path / "key"
    call_command("backup", "--make-key", str(key), stdout=StringIO())
    before = key.read_text()
    with pytest.raises(CommandError, match="never overwritten"):
        call_command("backup", "--make-key", str(key), stdout=StringIO())
    assert key.read_text() == before
    assert key.stat().st_mode & 0o077 == 0


def test_a_full_disk_leaves_no_empty_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(CommandError, match="The disk is full"):
            call_command("backup", "--make-key", str(tmp_path / "key"), stdout=StringIO())
    assert list(tmp_path.iterdir()) == []
    call_command("backup", "--make-key", str(tmp_path / "key"), stdout=StringIO())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--list", "--check"], "not allowed with argument --list"),
        (["--check", "--make-key", "x"], "not allowed with argument --check"),
        (["--list", "--keep", "1"], "With --list no backup is made. Leave --keep out."),
        (["--check", "--sizes-only"], "With --check no backup is made. Leave --sizes-only out."),
        (["--backup", "x.json"], "--backup names the backup to --check. Add --check"),
        (["--list", "--backup", "x.json"], "--backup names the backup to --check. Add --check"),
    ],
)
def test_an_option_of_a_backup_is_obeyed_or_refused(db: None, tmp_path: Path, options: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("backup", str(tmp_path), *options, stdout=StringIO())
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_named_and_everything_else_is_kept(world: World, tmp_path: Path) -> None:
    name = Run.objects.exclude(file="").values_list("file", flat=True)[0]
    content = place(name).read_bytes()
    place(name).unlink()
    try:
        with pytest.raises(CommandError, match="Incomplete: 1 stored file"):
            call_command("backup", str(tmp_path), stdout=StringIO(), stderr=StringIO())
    finally:
        place(name).write_bytes(content)
    target = Folder(tmp_path)
    assert read_manifest(target, target.manifests()[-1]).missing == [name]


def test_a_file_with_other_bytes_than_its_name_promises_never_enters_a_backup(world: World, tmp_path: Path) -> None:
    name = Run.objects.exclude(file="").values_list("file", flat=True)[0]
    content = place(name).read_bytes()
    place(name).write_bytes(content[:-1] + b"?")
    try:
        made = backup_make(Folder(tmp_path), quiet)
    finally:
        place(name).write_bytes(content)
    assert made.manifest.missing == [name]


def test_a_site_that_is_not_empty_takes_no_restoration(world: World, tmp_path: Path) -> None:
    make(tmp_path)
    before = Run.objects.count()
    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", str(tmp_path))
    assert Run.objects.count() == before


def test_a_backup_of_a_later_version_is_refused_by_the_name_of_its_migration(world: World, tmp_path: Path) -> None:
    target, name, manifest = make(tmp_path)
    manifest.migrations.append(["campaign", "9999_from_next_year"])
    target.put_manifest(name, manifest.to_bytes())
    with pytest.raises(CommandError, match=r"later version.*campaign\.9999_from_next_year"):
        call_command("restore", str(tmp_path))


def test_a_manifest_of_a_later_format_is_refused(world: World, tmp_path: Path) -> None:
    target, name, manifest = make(tmp_path)
    manifest.format, manifest.version = manifest.format + 1, "9.1"
    target.put_manifest(name, manifest.to_bytes())
    with pytest.raises(TargetError, match=r"later version of Runpool \(9\.1\)"):
        read_manifest(target, name)


def test_a_backup_that_lacks_a_part_is_refused_before_anything_is_written(world: World, tmp_path: Path) -> None:
    _, _, manifest = make(tmp_path / "backups")
    part = manifest.tables["campaign_run"].parts[0]
    (tmp_path / "backups" / "parts" / part.sha256[:2] / part.sha256).unlink()
    site = OtherSite(tmp_path / "site")
    assert "is not there" in site.manage("restore", str(tmp_path / "backups"), fails=True)
    assert not list((tmp_path / "site").rglob("runs/*/*")), "no file was restored"


@pytest.mark.parametrize("kind", ["table", "file"])
def test_a_changed_byte_is_found_by_the_check(world: World, tmp_path: Path, kind: str) -> None:
    target, _, manifest = make(tmp_path)
    of_table = manifest.tables["campaign_run"].parts[0].sha256
    sha256 = of_table if kind == "table" else Run.objects.exclude(file="").values_list("sha256", flat=True)[0]
    path = tmp_path / "parts" / sha256[:2] / sha256
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    faults = backup_check(target, manifest, quiet)
    assert len(faults) == 1
    assert sha256 in faults[0]


def test_a_changed_manifest_is_refused(world: World, tmp_path: Path) -> None:
    target, name, _ = make(tmp_path)
    path = tmp_path / "backups" / name
    path.write_bytes(path.read_bytes().replace(b"campaign_run", b"campaign_ran", 1))
    with pytest.raises(TargetError, match="damaged"):
        read_manifest(target, name)


def test_of_many_backups_the_newest_are_kept_and_stay_whole(world: World, tmp_path: Path) -> None:
    make(tmp_path)
    Campaign.objects.filter(pk=world.cast.campaign.pk).update(title="Another title")
    target = Folder(tmp_path)
    made = backup_make(target, quiet)
    assert backups_prune(target, made, 1, quiet)[0] == 1
    [name] = target.manifests()
    assert backup_check(target, read_manifest(target, name), quiet) == []
    assert backups_prune(target, made, 1, quiet) == (0, 0)


def test_two_backups_into_one_folder_at_once_are_refused(world: World, tmp_path: Path) -> None:
    target = Folder(tmp_path)
    target.make()
    with target.alone(), pytest.raises(TargetError, match="Another backup"):
        backup_make(Folder(tmp_path), quiet)


@pytest.mark.sqlite
def test_every_table_is_in_a_backup_but_sessions(world: World, tmp_path: Path, db: Any) -> None:
    _, _, manifest = make(tmp_path)
    there = set(connection.introspection.table_names())
    of_the_cache = {name for name in there if "cache" in name}
    assert there - set(manifest.tables) == {"django_migrations", "django_session"} | of_the_cache


def test_the_logo_of_a_deleted_campaign_is_in_the_backup_as_long_as_it_can_be_restored(
    world: World, tmp_path: Path
) -> None:
    logo = store(ContentFile(b"a picture"), folder="logos", suffix=".png")
    Campaign.objects.create(slug="gone", title="Gone", logo=logo.name, deleted_at=timezone.now())
    assert logo.name in named_files()
    assert default_storage.exists(logo.name)


def test_the_list_says_what_each_backup_holds(world: World, tmp_path: Path) -> None:
    _, name, manifest = make(tmp_path)
    printed = StringIO()
    call_command("backup", str(tmp_path), "--list", stdout=printed)
    assert printed.getvalue().startswith(name)
    assert f"{manifest.file_count:,} files" in printed.getvalue()


def test_a_folder_without_backups_says_so(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="holds no backups"):
        call_command("restore", str(tmp_path))


def test_a_part_is_json_lines_that_any_program_reads(world: World, tmp_path: Path) -> None:
    _, _, manifest = make(tmp_path)
    part = manifest.tables["campaign_campaign"].parts[0].sha256
    lines = gzip.decompress((tmp_path / "parts" / part[:2] / part).read_bytes()).splitlines()
    assert any(world.cast.campaign.slug in json.loads(line) for line in lines)


def named_by_rows(server: BucketServer) -> list[str]:
    """Without the file that the site leaves."""
    return [name for name in server.names("files") if not name.startswith("sites/")]


def test_a_bucket_takes_backups_and_is_restored_from_and_moved_to(world: World, tmp_path: Path, monkeypatch) -> None:
    with bucket_server(tmp_path / "log") as server:
        for name, value in KEYS.items():
            monkeypatch.setattr(settings, name, value)
        target = target_at(place_of(server.url("backups")))
        made = backup_make(target, quiet)
        assert made.new_parts
        again = backup_make(target, quiet)
        assert again.new_parts == 0
        assert target.manifests()[0] == made.name
        assert backup_check(target, made.manifest, quiet) == []
        with server.door.closed(), pytest.raises(StorageAwayError):
            backup_make(target, quiet)
        assert backups_prune(target, again, 1, quiet)[0] == 1
        assert backup_check(target, read_manifest(target, target.manifests()[0]), quiet) == []

        monkeypatch.setattr(settings, "STORAGE_URL", server.url("files"))
        with pytest.raises(TargetError, match="cleaning would take the backups away"):
            target_at(place_of(server.url("files/backups")))
        site = OtherSite(tmp_path / "site", **KEYS, RUNPOOL_STORAGE_URL=server.url("files"))
        site.manage("restore", server.url("backups"))
        assert len(named_by_rows(server)) == made.manifest.file_count
        # A whole site need not lie on this machine.
        copies = [path for path in (tmp_path / "site" / "copies").rglob("*") if path.is_file()]
        assert {path.name for path in copies if path.parent.name != "sites"} <= {".looked-at"}
        new = f"sqlite:///{tmp_path}/moved.sqlite3"
        to = ("--to-database", new, "--to-files", server.url("moved"), "--site-is-stopped")
        assert "all equal" in site.manage("move_site", *to)
        assert server.names("moved") == server.names("files")


def test_files_alone_move_to_a_bucket_and_back_and_the_database_stays(restored: Manifest, tmp_path: Path) -> None:
    with bucket_server(tmp_path / "log") as server:
        site = OtherSite(tmp_path / "site", **KEYS)
        to = ("--to-files", server.url("files"), "--site-is-stopped")
        assert f"{restored.file_count:,} files" in site.manage("move_site", *to)
        assert f"{restored.file_count:,} files" in site.manage("move_site", *to), "it can be started again"
        assert len(named_by_rows(server)) == restored.file_count
        moved = OtherSite(tmp_path / "site", **KEYS, RUNPOOL_STORAGE_URL=server.url("files"))
        assert "\n0 findings" in moved.manage("verify", "files")
        folder = f"file://{tmp_path}/back"
        with server.door.closed(), pytest.raises(AssertionError, match="does not answer"):
            moved.manage("move_site", "--to-files", folder, "--site-is-stopped")
        assert f"{restored.file_count:,} files" in moved.manage("move_site", "--to-files", folder, "--site-is-stopped")
    back = OtherSite(tmp_path / "site", RUNPOOL_STORAGE_URL=folder)
    assert "\n0 findings" in back.manage("verify", "files")
