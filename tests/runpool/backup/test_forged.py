"""Backups that somebody has written by hand: each is refused by a sentence before it is restored."""

import gzip
import hashlib
import json
import shutil
import tracemalloc
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.utils import timezone

from campaign.models import Campaign, SiteFigures
from campaign.storage import store
from runpool.backup import making
from runpool.backup.making import backup_make, part_lines
from runpool.backup.manifest import Part, read_manifest
from runpool.backup.restoring import _restore_rows
from runpool.backup.sealing import Seal, SealError, new_key
from runpool.backup.targets import Folder, TargetError
from runpool.management.commands.backup import seal_of
from tests.factories import Cast

Line = list[Any]
OTHER = "c" * 64


@pytest.fixture
def made(cast: Cast, tmp_path: Path) -> Path:
    """A folder with one backup, of a site with one stored file."""
    logo = store(ContentFile(b"a picture"), folder="logos", suffix=".png").name
    Campaign.objects.filter(pk=cast.campaign.pk).update(logo=logo)
    backup_make(Folder(tmp_path / "made"), quiet)
    return tmp_path / "made"


def quiet(line: str) -> None:
    """Nobody reads the progress."""


def put_part(folder: Path, content: bytes) -> dict[str, Any]:
    sha256 = hashlib.sha256(content).hexdigest()
    path = folder / "parts" / sha256[:2] / sha256
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return {"sha256": sha256, "size": len(content)}


def rewrite(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Somebody changed the manifest, and its checksum too."""
    [manifest] = (folder / "backups").iterdir()
    body = json.loads(json.loads(manifest.read_bytes())["backup"])
    change(body)
    text = json.dumps(body)
    manifest.write_text(json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest(), "backup": text}))


def forge_files(folder: Path, lines: list[bytes], total: int = 9) -> None:
    part = put_part(folder, gzip.compress(b"".join(line + b"\n" for line in lines)))
    rewrite(folder, lambda body: body.update(files=[part], file_count=len(lines), file_bytes=total))


def listed(folder: Path) -> Line:
    target = Folder(folder)
    [name] = target.manifests()
    [line] = part_lines(target, read_manifest(target, name).files[0])
    return list(json.loads(line))


def refusal(folder: Path) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("restore", str(folder), "--dry-run", stdout=StringIO(), stderr=StringIO())
    assert str(refused.value).endswith(", or a copy of this one")
    return str(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        "../../outside", "/etc/cron.d/{sha}", "logos/../../{start}/{sha}", "logos/{start}/../{start}/{sha}", "{sha}", "", ".",
        "logos/{start}/{sha}/x", "logos/{start}/{sha}.png/../../x", "logos\\{start}\\{sha}", "logos/{start}/{sha}\n",
        "logos/{start}/{sha}\0.png", "logos/{start}/" + OTHER, "logos/cc/" + OTHER, "\x1b[2Jlogos/{start}/{sha}",
        "a" * 5000, None, 7, ["logos"], {"name": 1}, True,
    ],
)  # fmt: skip
def test_a_name_that_the_site_gives_no_file_is_refused(made: Path, name: Any) -> None:
    sha256, size, _ = listed(made)
    forged = name.format(sha=sha256, start=sha256[:2]) if isinstance(name, str) else name
    forge_files(made, [json.dumps([sha256, size, forged]).encode()])
    told = refusal(made)
    assert "The list of files of the backup has a line that no backup writes: " in told
    assert told.isprintable()


@pytest.mark.parametrize(
    "line",
    [b"", b"{}", b"null", b"[]", b"[1]", b"[1, 2, 3, 4]", b"\xff\xfe", b"[" * 100_000, b"9" * 10_000, b"nonsense"],
)
def test_a_line_of_another_shape_is_refused(made: Path, line: bytes) -> None:
    forge_files(made, [line])
    assert "a line that no backup writes" in refusal(made)


@pytest.mark.parametrize("size", [-1, 9.0, "9", None, True, [9]])
def test_a_size_of_another_kind_is_refused(made: Path, size: Any) -> None:
    sha256, _, name = listed(made)
    forge_files(made, [json.dumps([sha256, size, name]).encode()])
    assert "a line that no backup writes" in refusal(made)


def test_a_name_that_is_listed_twice_is_refused(made: Path) -> None:
    line = json.dumps(listed(made)).encode()
    forge_files(made, [line, line], total=18)
    assert f"names {listed_name(made)} twice" in refusal(made)


def listed_name(folder: Path) -> str:
    target = Folder(folder)
    [name] = target.manifests()
    return str(json.loads(part_lines(target, read_manifest(target, name).files[0])[0])[2])


@pytest.mark.parametrize("wrong", [{"file_count": 2}, {"file_bytes": 8}])
def test_a_list_of_other_files_than_the_backup_counts_is_refused(made: Path, wrong: dict[str, int]) -> None:
    rewrite(made, lambda body: body.update(wrong))
    assert "other files, or other sizes, than the backup says" in refusal(made)


def test_what_steers_a_terminal_is_no_word_of_a_backup(made: Path) -> None:
    rewrite(made, lambda body: body.update(site="https://a.example/\x1b[2J"))
    target = Folder(made)
    with pytest.raises(TargetError, match="is damaged"):
        read_manifest(target, target.manifests()[0])


@pytest.mark.parametrize(
    "content",
    [b"no gzip", b"", gzip.compress(b"a\n")[:-4], gzip.compress(b"a\n") + b"x", gzip.compress(b"a\n") * 2],
    ids=["no gzip", "empty", "cut", "longer", "two"],
)
def test_a_part_that_is_no_sound_gzip_is_refused_by_restoration_check_and_pruning(made: Path, content: bytes) -> None:
    part = put_part(made, content)
    rewrite(made, lambda body: body.update(files=[part]))
    assert f"The part {part['sha256']} of the backup is damaged." in refusal(made)
    told = StringIO()
    with pytest.raises(CommandError, match="1 fault"):
        call_command("backup", str(made), "--check", stdout=StringIO(), stderr=told)
    assert f"list of files: The part {part['sha256']} of the backup is damaged." in told.getvalue()


def test_a_part_that_unpacks_to_much_more_than_a_part_holds_takes_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "MOST_BYTES_OF_A_PART", 1 << 20)
    (tmp_path / "parts").mkdir()
    part = Part(**put_part(tmp_path, gzip.compress(b"\n" * (64 << 20))))
    tracemalloc.start()
    try:
        with pytest.raises(TargetError, match="is damaged"):
            part_lines(Folder(tmp_path), part)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row[:-1], lambda row: [*row, 1], lambda row: None, lambda row: 7, lambda row: dict(enumerate(row)),
        lambda row: ["x", *row[1:]], lambda row: [10**40, *row[1:]], lambda row: [row[0], *[[]] * (len(row) - 1)],
        lambda row: [row[0], *[None] * (len(row) - 1)], lambda row: [row[0], *["\0"] * (len(row) - 1)],
    ],
)  # fmt: skip
def test_a_row_that_no_table_takes_is_refused_and_nothing_is_restored(
    made: Path, tmp_path: Path, change: Callable[[Line], Any]
) -> None:
    target = Folder(made)
    [name] = target.manifests()
    table = read_manifest(target, name).tables["campaign_campaign"]
    [row] = [json.loads(line) for part in table.parts for line in part_lines(target, part)]
    part = put_part(made, gzip.compress(json.dumps(change(row)).encode() + b"\n"))
    rewrite(made, lambda body: body["tables"]["campaign_campaign"].update(parts=[part]))
    Campaign.objects.update(title="as it was")
    SiteFigures.objects.get_or_create(name=SiteFigures.SITE, defaults={"at": timezone.now(), "values": {}})
    with pytest.raises(TargetError, match="Nothing was restored"):
        _restore_only(target, name)
    assert Campaign.objects.get().title == "as it was"


def _restore_only(target: Folder, name: str) -> None:
    manifest = read_manifest(target, name)
    manifest.tables = {"campaign_campaign": manifest.tables["campaign_campaign"]}
    _restore_rows(target, manifest, quiet)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n", " \n"])
def test_a_key_file_opens_however_its_line_ends(tmp_path: Path, end: str) -> None:
    key, file = new_key(), tmp_path / "key"
    file.write_bytes((key + end).encode())
    seal = seal_of(file)
    assert seal is not None
    assert seal.name("a") == Seal(key).name("a")


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"x", b"=" * 44, b"a" * 5000, b"!" * 44, b"-----BEGIN KEY-----\nabcd\n"]
)
def test_a_key_file_without_a_key_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(SealError, match="The key file holds no key"):
        seal_of(tmp_path / "key")


def test_a_forged_copy_beside_a_sound_backup_does_not_stop_the_list(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "copy")
    forge_files(tmp_path / "copy", [b"{}"])
    said = StringIO()
    call_command("backup", str(tmp_path / "copy"), "--list", stdout=said)
    assert "1 file" in said.getvalue()
