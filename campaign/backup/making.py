"""Make a backup: the rows as they are at one moment, then the files that they name; what the target has is not copied again."""

import gzip
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django.apps import apps
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from campaign.addresses import absolute
from campaign.backup import rows
from campaign.backup.manifest import Manifest, Part, Table, read_manifest
from campaign.backup.targets import CHUNK, Target, TargetError
from campaign.snapshot import one_state
from campaign.storage.checksums import open_intact, sha256_in
from campaign.storage.interface import locked_names
from campaign.storage.inventory import named_files
from campaign.version import VERSION

ROWS_OF_A_PART = 20_000
BYTES_OF_A_PART = 16 << 20
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Made:
    name: str
    manifest: Manifest
    new_parts: int
    new_bytes: int


def backup_make(target: Target, report: Report, *, with_sessions: bool = False) -> Made:
    """Store a backup of the whole site; it counts from the moment that its manifest is there."""
    _require_migrated()
    target.make()
    # Cleaning waits meanwhile: what a row of this moment names stays where it is until it is copied.
    with target.alone(), locked_names():
        now = timezone.now().astimezone(UTC)
        writer = _Writer(target)
        with one_state():
            recorded = MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations()
            manifest = Manifest(
                absolute("/"), now.isoformat(), sorted([list(key) for key in recorded]), version=VERSION
            )
            for model in rows.tables(apps):
                name = model._meta.db_table
                if name != rows.SESSIONS or with_sessions:
                    table = writer.table(rows.lines(model, DEFAULT_DB_ALIAS))
                    table.columns = [field.attname for field in rows.columns(model)]
                    manifest.tables[name] = table
                    report(f"{name}: {manifest.tables[name].rows:,} rows")
            names = sorted(named_files())
        _copy_files(writer, manifest, names, report)
        name = f"{now:%Y-%m-%dT%H%M%S.%f}Z.json"
        target.put_manifest(name, manifest.to_bytes())
    return Made(name, manifest, writer.new_parts, writer.new_bytes)


def _require_migrated() -> None:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise TargetError("The database lacks migrations of this version. Run manage.py migrate, then make the backup.")


def _copy_files(writer: "_Writer", manifest: Manifest, names: list[str], report: Report) -> None:
    listed = []
    for number, name in enumerate(names, start=1):
        size = writer.file(name)
        if size is None:
            manifest.missing.append(name)
            report(f"{name}: missing or damaged; see manage.py verify")
            continue
        manifest.file_count, manifest.file_bytes = manifest.file_count + 1, manifest.file_bytes + size
        listed.append(json.dumps([sha256_in(name), size, name]).encode() + b"\n")
        if number % 1000 == 0:
            report(f"{number:,} of {len(names):,} files")
    manifest.files = writer.table(iter(listed)).parts


class _Writer:
    """Writes what the target lacks, and counts it."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.new_parts = self.new_bytes = 0

    def table(self, lines: Iterator[bytes]) -> Table:
        """Store lines in parts that begin at the same rows as those of the backup before, so that old rows are stored once."""
        digest, parts, held, size = rows.Digest(), [], io.BytesIO(), 0
        for line in lines:
            digest.add(line)
            size += held.write(line)
            if digest.rows % ROWS_OF_A_PART == 0 or size >= BYTES_OF_A_PART:
                parts.append(self._part(held))
                held, size = io.BytesIO(), 0
        if size:
            parts.append(self._part(held))
        return Table(digest.rows, digest.hexadecimal, parts)

    def _part(self, held: io.BytesIO) -> Part:
        content = gzip.compress(held.getvalue(), compresslevel=6, mtime=0)
        sha256 = hashlib.sha256(content).hexdigest()
        if not self._target.has(sha256):
            self._target.put(sha256, iter([content]))
            self._count(len(content))
        return Part(sha256, len(content))

    def file(self, name: str) -> int | None:
        """Store the file if the target lacks it; return its size, or None if it is missing or not what its name promises."""
        sha256 = sha256_in(name)
        try:
            size = default_storage.size(name)
            if not self._target.has(sha256):
                file = open_intact(
                    name
                )  # what is damaged is set aside by `verify`: that takes the lock which is held here
                if file is None:
                    return None
                with file:
                    self._target.put(sha256, _chunks(file))
                self._count(size)
        except FileNotFoundError:
            return None
        return size

    def _count(self, size: int) -> None:
        self.new_parts, self.new_bytes = self.new_parts + 1, self.new_bytes + size


def _chunks(file: "File[Any]") -> Iterator[bytes]:
    return iter(lambda: bytes(file.read(CHUNK)), b"")


def backups_prune(target: Target, keep: int) -> tuple[int, int]:
    """Remove all backups but the newest `keep`, and the parts that none of these names; return how many of both."""
    with target.alone():
        names = target.manifests()
        old = names[:-keep]
        kept = [read_manifest(target, name) for name in names[-keep:]]  # all of them, before anything is removed
        named = {part.sha256 for manifest in kept for part in manifest.parts()}
        for manifest in kept:
            named.update(sha256 for sha256, _, _ in files_of(target, manifest))
        for name in old:
            target.remove_manifest(name)
        return len(old), target.remove_parts_but(named)


def files_of(target: Target, manifest: Manifest) -> Iterator[tuple[str, int, str]]:
    """Yield checksum, size and name of each stored file of a backup."""
    for part in manifest.files:
        for line in part_lines(target, part):
            sha256, size, name = json.loads(line)
            yield sha256, size, name


def part_lines(target: Target, part: Part) -> list[bytes]:
    """The lines of a part, read whole and verified before anything of it is used."""
    content = b"".join(target.get(part.sha256))
    return gzip.decompress(content).splitlines(keepends=True)


def backup_check(target: Target, manifest: Manifest, report: Report) -> list[str]:
    """Read every part and compare it with its checksum, and the rows with their digests; return what is wrong."""
    faults = []
    for name, table in manifest.tables.items():
        digest = rows.Digest()
        try:
            for part in table.parts:
                for line in part_lines(target, part):
                    digest.add(line)
        except TargetError as problem:
            faults.append(f"{name}: {problem}")
            continue
        if (digest.rows, digest.hexadecimal) != (table.rows, table.digest):
            faults.append(f"{name}: {digest.rows:,} rows instead of {table.rows:,}, or others")
        report(f"{name}: {digest.rows:,} rows")
    try:
        for sha256, _, _ in files_of(target, manifest):
            try:
                for _ in target.get(sha256):
                    pass
            except TargetError as problem:
                faults.append(str(problem))
    except TargetError as problem:
        faults.append(f"list of files: {problem}")
    return faults
