"""What lies damaged where backups are made: the next backup mends it, and nothing calls it whole."""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command

from campaign.models import Campaign
from campaign.storage import store
from campaign.storage.disk import place
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.reading import open_verified
from runpool.backup.making import backup_check, backup_make, files_of
from runpool.backup.manifest import read_manifest
from runpool.backup.pruning import backups_prune
from runpool.backup.sealing import Seal, new_key
from runpool.backup.targets import Folder, reason_of
from tests.factories import Cast
from tests.runpool.backup.sites import OtherSite

CONTENT = b"a picture" * 1000
REAL = shutil.disk_usage("/")


@pytest.fixture
def logo(cast: Cast) -> str:
    """The checksum of a stored file."""
    sha256 = store(ContentFile(CONTENT), folder="logos", suffix=".png")
    Campaign.objects.filter(pk=cast.campaign.pk).update(logo=sha256.name)
    return sha256.sha256


@pytest.fixture
def made(logo: str, tmp_path: Path) -> Path:
    """A folder with one backup."""
    backup(tmp_path / "made")
    return tmp_path / "made"


def backup(folder: Path, *options: str) -> tuple[str, str]:
    said, told = StringIO(), StringIO()
    call_command("backup", str(folder), *options, stdout=said, stderr=told)
    return said.getvalue(), told.getvalue()


def damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    changed = {
        "emptied": b"",
        "cut": content[:-1],
        "longer": content + b"x",
        "changed": content[:-1] + bytes([content[-1] ^ 1]),
    }
    path.write_bytes(changed[how])


def path_of(target: Folder, sha256: str) -> Path:
    return target.path / target._part(sha256)


def quiet(line: str) -> None:
    """Nobody reads the progress."""


@pytest.mark.parametrize(
    ("kind", "how", "is_sealed"),
    [
        ("row", "emptied", False),
        ("row", "changed", True),
        ("file", "cut", True),
        ("file", "longer", False),
        ("file", "changed", False),
    ],
)
def test_the_next_backup_names_a_damaged_part_and_writes_it_anew(
    logo: str, tmp_path: Path, kind: str, how: str, is_sealed: bool
) -> None:
    target = Folder(tmp_path, Seal(new_key()) if is_sealed else None)
    first = backup_make(target, quiet)
    sha256 = logo if kind == "file" else first.manifest.tables["campaign_campaign"].parts[0].sha256
    damage(path_of(target, sha256), how)
    assert any(sha256 in fault for fault in backup_check(target, first.manifest, quiet))
    told: list[str] = []
    second = backup_make(target, told.append)
    assert (second.mended_parts, second.new_parts) == (1, 0)
    assert any(sha256 in line and "written anew" in line for line in told)
    for made in (first, second):
        assert backup_check(target, made.manifest, quiet) == []


@pytest.mark.parametrize("how", ["removed", "emptied"])
@pytest.mark.parametrize("is_sealed", [False, True], ids=["plain", "encrypted"])
def test_the_last_copy_of_a_file_that_the_site_lost_stays_in_every_backup(
    logo: str, tmp_path: Path, how: str, is_sealed: bool
) -> None:
    (tmp_path / "key").write_text(new_key())
    options = ("--key", str(tmp_path / "key")) if is_sealed else ()
    target = Folder(tmp_path / "made", Seal((tmp_path / "key").read_text()) if is_sealed else None)
    backup(target.path, *options)
    file = place(f"logos/{logo[:2]}/{logo}.png")
    file.unlink() if how == "removed" else file.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(
            CommandError, match="The backup is whole, but the site is not: 1 stored file missing or damaged"
        ):
            backup(target.path, "--keep", "1", *options)
    [name] = target.manifests()
    manifest = read_manifest(target, name)
    assert (manifest.missing, backup_check(target, manifest, quiet)) == ([], [])
    assert b"".join(target.get(logo)) == CONTENT
    assert (logo, len(CONTENT), f"logos/{logo[:2]}/{logo}.png") in list(files_of(target, manifest))


def test_a_backup_by_sizes_finds_a_part_of_another_size(logo: str, tmp_path: Path) -> None:
    backup(tmp_path)
    path = path_of(Folder(tmp_path), logo)
    damage(path, "cut")
    said, _ = backup(tmp_path, "--sizes-only")
    assert "written anew: 1 damaged part" in said
    assert path.read_bytes() == CONTENT
    damage(path, "changed")
    assert "written anew" not in backup(tmp_path, "--sizes-only")[0]
    assert "written anew: 1 damaged part" in backup(tmp_path)[0]


def test_a_damaged_backup_cannot_be_restored_says_the_dry_run(logo: str, tmp_path: Path) -> None:
    target, site = Folder(tmp_path / "backups"), OtherSite(tmp_path / "site")
    backup_make(target, quiet)
    dry_run = ("restore", str(target.path), "--dry-run")
    assert "can be restored here" in site.manage(*dry_run)
    damage(path_of(target, logo), "changed")
    said = site.manage(*dry_run, fails=True)
    assert logo in said
    assert "1 fault. Use an earlier one" in said
    damage(path_of(target, logo), "emptied")
    assert f"its part {logo} is damaged" in site.manage(*dry_run, fails=True)


def test_a_folder_takes_backups_of_one_key_or_plain_ones_and_refuses_others_before_it_writes(
    logo: str, tmp_path: Path
) -> None:
    keys = [tmp_path / "key", tmp_path / "other-key"]
    for key in keys:
        backup(tmp_path, "--make-key", str(key))
    plain, sealed = tmp_path / "plain", tmp_path / "sealed"
    backup(plain)
    backup(sealed, "--key", str(keys[0]))
    for folder, options, remedy in (
        (plain, ["--key", str(keys[0])], "Leave out --key"),
        (sealed, [], "Give their key file with --key"),
        (sealed, ["--key", str(keys[1])], "This key opens no backup here"),
    ):
        before = sorted(folder.rglob("*"))
        with pytest.raises(CommandError, match=remedy):
            backup(folder, *options)
        assert sorted(folder.rglob("*")) == before
    backup(plain)
    backup(sealed, "--key", str(keys[0]))


@pytest.mark.parametrize("damaged", [b"", b'{"sha256": "", "backup": 5}', b"[" * 100_000])
def test_one_damaged_manifest_stops_no_backup_no_list_and_no_pruning(logo: str, tmp_path: Path, damaged: bytes) -> None:
    target = Folder(tmp_path)
    names = [backup_make(target, quiet).name for _ in range(3)]
    (tmp_path / "backups" / names[2]).write_bytes(damaged)
    listed = backup(tmp_path, "--list")[0].splitlines()
    assert [line.split()[0] for line in listed] == names
    assert "damaged" in listed[2]
    said, told = backup(tmp_path, "--keep", "2")
    assert "Removed: 1 backup, 0 parts" in said
    assert names[2] in told
    *before, newest = target.manifests()
    assert before == names[1:]
    assert backup_check(target, read_manifest(target, newest), quiet) == []
    assert "Removed: 2 backups, 0 parts" in backup(tmp_path, "--keep", "2")[0]  # the damaged one is older than both now


def test_parts_stay_while_a_damaged_backup_may_name_them(cast: Cast, tmp_path: Path) -> None:
    target = Folder(tmp_path)
    first = backup_make(target, quiet)
    Campaign.objects.filter(pk=cast.campaign.pk).update(title="Another title")
    made = backup_make(target, quiet)
    path = tmp_path / "backups" / first.name
    content = path.read_bytes()
    path.write_bytes(content[:-5])
    assert backups_prune(target, made, 2, quiet) == (0, 0)
    path.write_bytes(content)
    assert backup_check(target, first.manifest, quiet) == []


def rewrite(manifest: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Somebody changed the manifest, and its checksum too."""
    body = json.loads(json.loads(manifest.read_bytes())["backup"])
    change(body)
    text = json.dumps(body)
    manifest.write_text(json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest(), "backup": text}))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda body: body["tables"].pop("campaign_job"), "lacks the table campaign_job"),
        (lambda body: body.update(tables={}), "lacks the table "),
        (lambda body: body["tables"]["campaign_job"]["columns"].pop(), "holds a table campaign_job that its own"),
        (lambda body: body["tables"].update(other=body["tables"]["campaign_job"]), "holds a table other that its own"),
    ],
    ids=["one table", "all tables", "a column", "another table"],
)
def test_a_dry_run_refuses_what_the_restoration_would(
    made: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], problem: str
) -> None:
    shutil.copytree(made, tmp_path / "copy")
    [manifest] = (tmp_path / "copy" / "backups").iterdir()
    rewrite(manifest, change)
    with pytest.raises(CommandError, match=problem):
        call_command("restore", str(tmp_path / "copy"), "--dry-run")


def put_in_place_of(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    {"folder": path.mkdir, "pipe": lambda: os.mkfifo(path), "link": lambda: path.symlink_to(path.parent)}[kind]()


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_what_is_no_file_in_place_of_a_part_is_named_with_what_to_do(logo: str, made: Path, kind: str) -> None:
    part = path_of(Folder(made), logo)
    put_in_place_of(part, kind)
    named = rf"{part} is no file, where one belongs\. Move it away, and start this again"
    for arguments in (["backup"], ["backup", "--sizes-only"], ["restore", "--dry-run"]):
        with pytest.raises(CommandError, match=named):
            call_command(arguments[0], str(made), *arguments[1:], stdout=StringIO(), stderr=StringIO())
    told = StringIO()
    with pytest.raises(CommandError, match="1 fault"):
        call_command("backup", str(made), "--check", stdout=StringIO(), stderr=told)
    assert f"{part} is no file, where one belongs." in told.getvalue()
    part.rename(made / "away")
    assert "new: 2 parts" in backup(made)[0], "the part, and the note of the backup before"


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_in_place_of_the_lock_or_a_backup_is_named(logo: str, made: Path, kind: str) -> None:
    [manifest] = (made / "backups").iterdir()
    for path, arguments in (
        (made / ".lock", ["backup", str(made)]),
        (manifest, ["restore", str(made), "--backup", manifest.name]),
    ):
        put_in_place_of(path, kind)
        with pytest.raises(CommandError, match=f"{path} is no file, where one belongs"):
            call_command(*arguments, stdout=StringIO(), stderr=StringIO())
        path.rename(made / f"away-{path.name}")


@pytest.mark.parametrize("name", ["parts", "backups", "parts/ab"])
def test_a_file_in_place_of_a_folder_is_named_with_what_to_do(made: Path, tmp_path: Path, name: str) -> None:
    path = made / name if "/" not in name else next(one for one in (made / "parts").iterdir())
    path.rename(tmp_path / "away")
    path.write_bytes(b"")
    with pytest.raises(CommandError, match=f"{path}.* is no folder.* Move (it|that) away, and start this again"):
        call_command("backup", str(made), stdout=StringIO(), stderr=StringIO())


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_what_is_no_file_in_place_of_a_stored_file_is_missing_and_the_rest_is_backed_up(
    logo: str, tmp_path: Path, kind: str
) -> None:
    name = Campaign.objects.exclude(logo="").get().logo.name
    put_in_place_of(place(name), kind)
    said, told = StringIO(), StringIO()
    with pytest.raises(CommandError, match="Incomplete: 1 stored file missing or damaged"):
        call_command("backup", str(tmp_path), stdout=said, stderr=told)
    assert f"{name}: missing or damaged; see manage.py verify" in told.getvalue()
    with pytest.raises(CommandError, match="every part is whole, but it holds all but 1 stored file"):
        call_command("backup", str(tmp_path), "--check", stdout=StringIO(), stderr=StringIO())
    with pytest.raises(DamagedFileError, match="was set aside"):
        open_verified(name, found_by="a test")
    store(ContentFile(CONTENT), folder="logos", suffix=".png")
    assert place(name).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, "must not be read or written by this user. Give it to"),
        (errno.EROFS, "disk that can only be read"),
        (errno.ESTALE, "Mount it anew"),
    ],
)
def test_what_the_system_refuses_is_said_with_the_path_and_what_to_do(number: int, said: str) -> None:
    problem = OSError(number, os.strerror(number), "/srv/unfinished", None, "/srv/parts/ab")
    assert reason_of(problem).startswith(f"/srv/parts/ab {'must not' if number == errno.EACCES else 'lies'}")
    assert said in reason_of(problem)


def test_a_part_that_is_not_there_is_told_with_its_place_and_what_to_do(logo: str, made: Path) -> None:
    part = path_of(Folder(made), logo)
    part.unlink()
    told = StringIO()
    with pytest.raises(CommandError, match="1 fault"):
        call_command("backup", str(made), "--check", stdout=StringIO(), stderr=told)
    said = (
        f"The part {logo} of the backup is missing: {part} is not there. Use an earlier backup, or a copy of this one."
    )
    assert said in told.getvalue()


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EIO])
def test_no_number_of_an_error_is_shown_in_place_of_a_sentence(number: int) -> None:
    said = reason_of(OSError(number, os.strerror(number), "/srv/parts/ab"))
    assert said.startswith("/srv/parts/ab cannot be read or written: ")
    assert "Errno" not in said
    assert "start this again" in said


def test_a_check_names_the_files_that_the_backup_never_held(logo: str, tmp_path: Path) -> None:
    name = f"logos/{logo[:2]}/{logo}.png"
    place(name).unlink()
    with pytest.raises(CommandError, match="Incomplete: 1 stored file"):
        backup(tmp_path)
    said, told = StringIO(), StringIO()
    with pytest.raises(CommandError, match="every part is whole, but it holds all but 1 stored file, named above"):
        call_command("backup", str(tmp_path), "--check", stdout=said, stderr=told)
    assert f"{name}: was missing or damaged when the backup was made" in told.getvalue()
    assert said.getvalue() == ""


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["restored", "dry run"])
def test_a_restoration_says_first_that_the_disk_has_no_room_for_the_files(
    made: Path, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    settings.MEDIA_ROOT = tmp_path / "new"
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: type(REAL)(REAL.total, REAL.total - 100, 100))
    with pytest.raises(CommandError, match=r"need 8\.8\sKB, and 100\sbytes are free in .*new\. Make room"):
        call_command("restore", str(made), *options)
    assert not list(settings.MEDIA_ROOT.rglob("*.png"))


def test_a_full_disk_is_named_with_what_to_do(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CommandError, match=r"The disk is full\. Make room, and start this again"):
        backup(made)
    monkeypatch.undo()
    assert "new: 1 part" in backup(made)[0], "the note of the backup before"
