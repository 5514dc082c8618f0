"""What a backup says of itself: its parts with their checksums, the rows of each table, the migrations of its database."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from campaign.formats.json_values import json_value
from runpool.backup.sealing import MARK
from runpool.backup.targets import Target, TargetError

SHA256 = re.compile("[0-9a-f]{64}")
FORMAT = 1
"""Raised when earlier programs cannot read what is new: they then say so, and name no damage."""


def name_at(moment: datetime) -> str:
    """Names sort by their moments.

    >>> name_at(datetime(2026, 11, 3, 4, 5, 6, tzinfo=UTC))
    '2026-11-03T040506.000000Z.json'
    """
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H%M%S.%f}Z.json"


@dataclass(frozen=True, slots=True)
class Part:
    """Of a table or of the list of files: gzip of lines. `sha256` and `size` are those of the gzip."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Range:
    """The rows of a part: those with keys after the `last` of the part before. `digest`: as `rows.Digest` computes it.

    `fingerprint`: as `fingerprints.fingerprint` gives it; empty where the next backup has to read the rows again.
    """

    last: int
    rows: int
    digest: str
    fingerprint: str


@dataclass(slots=True)
class Table:
    """`columns`: what the values of each line are. `digest`: of the rows in whatever order, as `rows.Digest` computes it.

    `ranges`: one for each part, or none at all; earlier programs write none and pass over them.
    """

    rows: int
    digest: str
    parts: list[Part]
    columns: list[str] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)


@dataclass(slots=True)
class Manifest:
    """`migrations`: those applied, as app and name. `files`: parts with the names of the stored files, a line each with
    checksum, size and name. `missing`: stored files that could not be read. `version`: of the program."""

    site: str
    made_at: str
    migrations: list[list[str]]
    tables: dict[str, Table] = field(default_factory=dict)
    files: list[Part] = field(default_factory=list)
    file_count: int = 0
    file_bytes: int = 0
    missing: list[str] = field(default_factory=list)
    format: int = FORMAT
    version: str = ""

    @property
    def is_complete(self) -> bool:
        return not self.missing

    def parts(self) -> list[Part]:
        return [part for table in self.tables.values() for part in table.parts] + self.files

    def to_bytes(self) -> bytes:
        body = json.dumps(asdict(self), sort_keys=True)
        return json.dumps({"sha256": hashlib.sha256(body.encode()).hexdigest(), "backup": body}).encode()


def read_manifest(target: Target, name: str) -> Manifest:
    """Return the manifest; TargetError if it is damaged, of a later version, or encrypted without a key."""
    content = target.get_manifest(name)
    if content.startswith(MARK):
        raise TargetError(f"The backup {name} is encrypted. Give its key file with --key.")
    try:
        outer = json_value(content)
        body = outer["backup"]
        if hashlib.sha256(body.encode()).hexdigest() != outer["sha256"]:
            raise TargetError(f"The backup {name} is damaged. Use an earlier one, or a copy of this one.")
        manifest = _of_json(json_value(body), name)
        own_name = name_at(datetime.fromisoformat(manifest.made_at))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as problem:
        raise TargetError(f"The backup {name} is damaged. Use an earlier one, or a copy of this one.") from problem
    if name != own_name:  # a copy would count as one more backup, and as one of another moment
        raise TargetError(f"The backup {name} was made as {own_name}. Give it that name; if it is a copy, remove it.")
    return manifest


def _of_json(found: dict[str, Any], name: str) -> Manifest:
    if type(found["format"]) is not int or found["format"] < 1:
        raise ValueError
    if found["format"] > FORMAT:
        made_by = str(found.get("version") or "")[:40]
        raise TargetError(
            f"The backup {name} was made by a later version of Runpool{made_by and f' ({made_by})'}. "
            "Restore it with that version."
        )
    _require_kinds(found)
    tables = {
        table: Table(
            of_table["rows"],
            of_table["digest"],
            _parts(of_table["parts"]),
            of_table["columns"],
            [Range(**found) for found in of_table.get("ranges", ())],
        )
        for table, of_table in found.pop("tables").items()
    }
    return Manifest(**{**found, "tables": tables, "files": _parts(found["files"])})


def _require_kinds(found: dict[str, Any]) -> None:
    """ValueError unless every value has the type that it is written with: what reads a manifest relies on that."""
    texts = [found["site"], found["made_at"], found.get("version", ""), *found["missing"], *found["tables"]]
    numbers, lists = [found["file_count"], found["file_bytes"]], [found["migrations"], found["files"], found["missing"]]
    parts, checksums = list(found["files"]), list[Any]()
    for migration in found["migrations"]:
        app, name = migration
        texts += [app, name]
    for table in found["tables"].values():
        texts += [table["digest"], *table["columns"]]
        numbers.append(table["rows"])
        lists += [table["columns"], table["parts"]]
        parts += table["parts"]
        if ranges := table.get("ranges", []):
            lists.append(ranges)
            texts += [found["fingerprint"] for found in ranges]
            numbers += [number for found in ranges for number in (found["last"], found["rows"])]
            checksums += [found["digest"] for found in ranges]
            if len(ranges) != len(table["parts"]):
                raise ValueError
    numbers += [part["size"] for part in parts]
    checksums += [part["sha256"] for part in parts]
    are_sound = (
        all(isinstance(text, str) and text.isprintable() for text in texts)
        and all(type(number) is int and number >= 0 for number in numbers)
        and all(isinstance(values, list) for values in lists)
        and all(SHA256.fullmatch(checksum) for checksum in checksums)
    )
    if not are_sound:
        raise ValueError


def _parts(found: Iterable[dict[str, Any]]) -> list[Part]:
    return [Part(**part) for part in found]
