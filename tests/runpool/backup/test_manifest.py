"""What a manifest may hold: a value of another kind is damage that is named, wherever it stands."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from runpool.backup.manifest import Manifest, Part, Range, Table, read_manifest
from runpool.backup.targets import Folder, TargetError

NAME = "2026-01-01T000000.000000Z.json"
PART = Part("a" * 64, 3)
SOUND = Manifest(
    "https://runs.example.org/", "2026-01-01T00:00:00+00:00", [["campaign", "0001_initial"]],
    {"campaign_user": Table(1, "b" * 64, [PART], ["id"], [Range(7, 1, "b" * 64, "c" * 64)])},
    [PART], 1, 3, ["logos/x"], version="1.1.0",
)  # fmt: skip
OF_ALL_KINDS = (None, -1, 1.5, True, "x", [1], {"a": 1})
TABLE = ("tables", "campaign_user")
PLACES: list[tuple[str | int, ...]] = [
    ("site",), ("made_at",), ("version",), ("format",), ("file_count",), ("file_bytes",), ("missing",), ("missing", 0),
    ("migrations",), ("migrations", 0), ("migrations", 0, 1), ("files",), ("files", 0), ("files", 0, "sha256"),
    ("files", 0, "size"), ("tables",), TABLE, (*TABLE, "rows"), (*TABLE, "digest"), (*TABLE, "columns"), (*TABLE, "columns", 0),
    (*TABLE, "parts"), (*TABLE, "parts", 0), (*TABLE, "parts", 0, "sha256"), (*TABLE, "parts", 0, "size"),
    (*TABLE, "ranges"), (*TABLE, "ranges", 0), (*TABLE, "ranges", 0, "last"), (*TABLE, "ranges", 0, "rows"),
    (*TABLE, "ranges", 0, "digest"), (*TABLE, "ranges", 0, "fingerprint"),
]  # fmt: skip


def read_changed(folder: Path, place: tuple[str | int, ...], value: object) -> Manifest:
    """Somebody changed the manifest, and its checksum too."""
    body = json.loads(json.loads(SOUND.to_bytes())["backup"])
    found: Any = body
    for name in place[:-1]:
        found = found[name]
    found[place[-1]] = value
    text = json.dumps(body)
    (folder / "backups").mkdir(exist_ok=True)
    (folder / "backups" / NAME).write_text(
        json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest(), "backup": text})
    )
    return read_manifest(Folder(folder), NAME)


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_changed(tmp_path, ("site",), SOUND.site) == SOUND


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_value_of_another_kind_is_named_as_damage(tmp_path: Path, place: tuple[str | int, ...]) -> None:
    sound: Any = json.loads(json.loads(SOUND.to_bytes())["backup"])
    for name in place:
        sound = sound[name]
    for value in OF_ALL_KINDS:
        if type(value) is not type(sound):
            with pytest.raises(TargetError, match=f"The backup {NAME} is damaged"):
                read_changed(tmp_path, place, value)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("format",), 0), (("file_count",), -1), (("missing", 0), 3), (("migrations", 0), ["campaign"]), (TABLE, {}),
        ((*TABLE, "rows"), -1), ((*TABLE, "parts", 0), {"a": 1}), (("files", 0, "sha256"), "../../etc/passwd"),
        (("files", 0, "sha256"), "A" * 64), (("files", 0, "size"), -1),
        ((*TABLE, "ranges", 0), {"a": 1}), ((*TABLE, "ranges", 0, "digest"), "x"), ((*TABLE, "ranges"), [{}, {}]),
    ],
)  # fmt: skip
def test_a_value_that_no_backup_holds_is_named_as_damage(
    tmp_path: Path, place: tuple[str | int, ...], value: object
) -> None:
    with pytest.raises(TargetError, match=f"The backup {NAME} is damaged"):
        read_changed(tmp_path, place, value)
