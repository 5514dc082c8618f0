"""Make a backup: the rows as they are at one moment, then the files that they name; what the target has is not copied again."""

import gzip
import hashlib
import io
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
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

from campaign.formats.problems import visible
from campaign.storage.checksums import open_intact, sha256_in
from campaign.storage.consistent_read import one_state
from campaign.storage.interface import StorageAwayError, locked_names
from campaign.storage.inventory import BY_CONTENT, named_files
from campaign.text.plurals import number_of
from campaign.version import VERSION
from campaign.web.links import absolute
from runpool.backup import rows
from runpool.backup.fingerprints import fingerprint, has_ranges, key_in, keys_between
from runpool.backup.manifest import Manifest, Part, Range, Table, name_at, read_manifest
from runpool.backup.targets import CHUNK, State, Target, TargetError, reason_of

ROWS_OF_A_PART = 20_000
BYTES_OF_A_PART = 16 << 20
MOST_BYTES_OF_A_PART = 256 << 20
"""What a part may hold when it is read: the last row of a part may be long, but none is as long as this."""
USE_ANOTHER = "Use an earlier backup, or a copy of this one."
LIST_OF_FILES = "The list of files of the backup"
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Made:
    name: str
    manifest: Manifest
    new_parts: int
    new_bytes: int
    mended_parts: int
    rows_not_read: Counter[str]
    """By table: those that the database has proved to be the same as in the backup before."""
    kept_from_before: list[str]
    """Stored files that the site lacks or has damaged, and that an earlier backup had brought."""
    unreadable: list[str]


def backup_make(target: Target, report: Report, *, with_sessions: bool = False, sizes_only: bool = False) -> Made:
    """Store a backup of the whole site; it counts from the moment that its manifest is there.

    What the target has already is read and compared with its checksum (`sizes_only`: only its size is compared); a damaged
    part is written anew.
    """
    _require_migrated()
    target.make()
    # Cleaning waits meanwhile: what a row of this moment names stays where it is until it is copied.
    with target.alone(), locked_names():
        target.require_same_key()
        for left in target.remove_unfinished():
            report(f"{left}: left half-written by a backup that was cut off; removed")
        now = timezone.now().astimezone(UTC)
        writer = _Writer(target, report, read=not sizes_only)
        unreadable: list[str] = []
        with one_state():
            recorded = MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations()
            manifest = Manifest(
                absolute("/"), now.isoformat(), sorted([list(key) for key in recorded]), version=VERSION
            )
            before = _tables_before(target, manifest)
            for model in rows.tables(apps):
                name = model._meta.db_table
                if name != rows.SESSIONS or with_sessions:
                    manifest.tables[name] = writer.table(model, before.get(name), unreadable)
                    report(f"{name}: {number_of(manifest.tables[name].rows, 'row')}")
            names = sorted(named_files())
        kept_from_before = _copy_files(writer, manifest, names, report)
        name = name_at(now)
        target.put_manifest(name, manifest.to_bytes())
    for row in unreadable:
        report(f"{row}: holds a date that cannot be read; the nearest that can be read stands in the backup")
    counts = (writer.new_parts, writer.new_bytes, writer.mended_parts, writer.rows_not_read)
    return Made(name, manifest, *counts, kept_from_before, unreadable)


def _tables_before(target: Target, manifest: Manifest) -> dict[str, Table]:
    """Those of the newest backup of this site that can be read; none if another version wrote them, perhaps in other words."""
    for name in reversed(target.manifests()):
        with suppress(TargetError):
            found = read_manifest(target, name)
            if found.site == manifest.site:
                is_alike = (found.version, found.migrations) == (manifest.version, manifest.migrations)
                return found.tables if is_alike else {}
    return {}


def _require_migrated() -> None:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise TargetError("The database lacks migrations of this version. Run manage.py migrate, then make the backup.")


def _copy_files(writer: "_Writer", manifest: Manifest, names: list[str], report: Report) -> list[str]:
    """Return those that the site lacks and that stand in the backup nevertheless: an earlier one has brought them."""
    listed, kept_from_before = [], []
    for number, name in enumerate(names, start=1):
        # A row that was changed behind the site's back may name anything.
        is_own = BY_CONTENT.fullmatch(name) is not None
        size = writer.file(name) if is_own else None
        if size is None:
            size = writer.size_of_kept(name) if is_own else None
            if size is None:
                manifest.missing.append(name)
                report(f"{name}: missing or damaged; see manage.py verify")
                continue
            kept_from_before.append(name)
            report(f"{name}: missing or damaged; the backup has it from an earlier one")
        manifest.file_count, manifest.file_bytes = manifest.file_count + 1, manifest.file_bytes + size
        listed.append(json.dumps([sha256_in(name), size, name]).encode() + b"\n")
        if number % 1000 == 0:
            report(f"{number:,} of {len(names):,} files")
    manifest.files = writer.list_parts(iter(listed))
    return kept_from_before


class _Writer:
    """Writes what the target lacks or has damaged, and counts it."""

    def __init__(self, target: Target, report: Report, *, read: bool) -> None:
        self._target, self._report, self._read = target, report, read
        self.new_parts = self.new_bytes = self.mended_parts = 0
        self.rows_not_read = Counter[str]()

    def table(self, model: rows.Model, before: Table | None, unreadable: list[str]) -> Table:
        """Store the rows of a table. A part of the backup before is kept where the database proves that its rows are the same."""
        columns = [field.attname for field in rows.columns(model)]
        table = Table(0, "", [], columns)
        kept = _ranges_to_keep(before) if before is not None and before.columns == columns else []
        for old, part in kept:
            if self._is_as_before(model, table, old, part):
                table.parts.append(part)
                table.ranges.append(old)
                self.rows_not_read[model._meta.db_table] += old.rows
            else:
                self._read_rows(model, table, old.last, unreadable)
        self._read_rows(model, table, None, unreadable)
        digest = rows.Digest()
        for found in table.ranges:
            digest.include(found.rows, found.digest)
        table.rows, table.digest = digest.rows, digest.hexadecimal
        if not has_ranges(model):
            table.ranges = []
        return table

    def _is_as_before(self, model: rows.Model, table: Table, old: Range, part: Part) -> bool:
        return (
            old.fingerprint != ""
            and old.fingerprint == fingerprint(model, DEFAULT_DB_ALIAS, _end(table), old.last)
            and self._target.state(part.sha256, part.size, read=self._read) == State.WHOLE
        )

    def _read_rows(self, model: rows.Model, table: Table, last: int | None, unreadable: list[str]) -> None:
        """Those after the end of `table`, up to the key `last` or to the end."""
        among, names = keys_between(_end(table), last), list[str]()
        for piece in _pieces(rows.lines(model, DEFAULT_DB_ALIAS, names.append, among=among)):
            table.parts.append(self._part(piece.content))
            end = last if not piece.is_full and last is not None else key_in(model, piece.last_line)
            # What is not full grows on; a row that cannot be read is to be named by each backup.
            is_closed = (piece.is_full or last is not None) and not names and has_ranges(model)
            proof = fingerprint(model, DEFAULT_DB_ALIAS, _end(table), end) if is_closed else ""
            table.ranges.append(Range(end, piece.digest.rows, piece.digest.hexadecimal, proof))
            unreadable += names
            names.clear()

    def list_parts(self, lines: Iterator[bytes]) -> list[Part]:
        """Store lines that are not rows."""
        return [self._part(piece.content) for piece in _pieces(lines)]

    def _part(self, lines: bytes) -> Part:
        content = gzip.compress(lines, compresslevel=6, mtime=0)
        sha256 = hashlib.sha256(content).hexdigest()
        state = self._target.state(sha256, len(content), read=self._read)
        if state != State.WHOLE:
            self._target.put(sha256, iter([content]))
            self._count(sha256, len(content), state)
        return Part(sha256, len(content))

    def file(self, name: str) -> int | None:
        """Store the file if the target lacks it; return its size, or None if it is missing or not what its name promises."""
        sha256 = sha256_in(name)
        try:
            size = default_storage.size(name)
        except FileNotFoundError:
            return None
        except PermissionError as problem:
            self._report(f"{reason_of(problem)}.")
            return None
        state = self._target.state(sha256, size, read=self._read)
        if state != State.WHOLE:
            # What is damaged is set aside by `verify`: that takes the lock which is held here.
            file = open_intact(name)
            if file is None:
                return None
            with file:
                self._target.put(sha256, _chunks(file))
            self._count(sha256, size, state)
        return size

    def size_of_kept(self, name: str) -> int | None:
        """The size of a file that the site lacks, if the target holds it whole: else pruning would take the last copy away."""
        try:
            return sum(map(len, self._target.get(sha256_in(name))))
        except TargetError as problem:
            if isinstance(problem.__cause__, StorageAwayError):
                raise
            return None

    def _count(self, sha256: str, size: int, state: State) -> None:
        self.new_bytes += size
        if state == State.DAMAGED:
            self.mended_parts += 1
            self._report(f"The part {sha256} of earlier backups was damaged; it was written anew.")
        else:
            self.new_parts += 1


@dataclass(frozen=True, slots=True)
class _Piece:
    """`is_full`: nothing more goes into its part."""

    content: bytes
    digest: rows.Digest
    last_line: bytes
    is_full: bool


def _pieces(lines: Iterator[bytes]) -> Iterator[_Piece]:
    """Cut lines into what parts hold."""
    digest, held, line = rows.Digest(), io.BytesIO(), b""
    for line in lines:
        digest.add(line)
        held.write(line)
        if digest.rows == ROWS_OF_A_PART or held.tell() >= BYTES_OF_A_PART:
            yield _Piece(held.getvalue(), digest, line, is_full=True)
            digest, held = rows.Digest(), io.BytesIO()
    if digest.rows:
        yield _Piece(held.getvalue(), digest, line, is_full=False)


def _ranges_to_keep(before: Table) -> list[tuple[Range, Part]]:
    """Up to the last one that has a fingerprint: what follows grows on. Without ranges there are none."""
    found = list(zip(before.ranges, before.parts, strict=False))
    while found and not found[-1][0].fingerprint:
        found.pop()
    return found


def _end(table: Table) -> int | None:
    return table.ranges[-1].last if table.ranges else None


def _chunks(file: "File[Any]") -> Iterator[bytes]:
    return iter(lambda: bytes(file.read(CHUNK)), b"")


def files_of(target: Target, manifest: Manifest) -> Iterator[tuple[str, int, str]]:
    """Yield checksum, size and name of each stored file of a backup; TargetError where it is none that a backup lists."""
    seen, total = set[str](), 0
    for part in manifest.files:
        for line in part_lines(target, part):
            sha256, size, name = _listed_file(line)
            if name in seen:
                raise TargetError(f"{LIST_OF_FILES} names {name} twice. {USE_ANOTHER}")
            seen.add(name)
            total += size
            yield sha256, size, name
    if (len(seen), total) != (manifest.file_count, manifest.file_bytes):
        raise TargetError(f"{LIST_OF_FILES} has other files, or other sizes, than the backup says. {USE_ANOTHER}")


def _listed_file(line: bytes) -> tuple[str, int, str]:
    """Files are restored to where the line says: only to a name that the site gives itself."""
    try:
        sha256, size, name = json.loads(line)
        is_sound = type(size) is int and size >= 0 and BY_CONTENT.fullmatch(name) and sha256_in(name) == sha256
    except (ValueError, TypeError, RecursionError):
        is_sound = False
    if not is_sound:
        raise TargetError(
            f"{LIST_OF_FILES} has a line that no backup writes: {visible(line.strip(), 200)}. {USE_ANOTHER}"
        )
    return sha256, size, name


def part_lines(target: Target, part: Part) -> list[bytes]:
    """The lines of a part, read whole and verified before anything of it is used; never more than a part may hold."""
    unpacking, held, is_whole = zlib.decompressobj(wbits=31), bytearray(), False
    with suppress(zlib.error):
        for chunk in target.get(part.sha256):
            held += unpacking.decompress(chunk, MOST_BYTES_OF_A_PART - len(held) + 1)
            if len(held) > MOST_BYTES_OF_A_PART:
                break
        else:
            is_whole = unpacking.eof and not unpacking.unused_data
    if not is_whole:
        raise TargetError(f"The part {part.sha256} of the backup is damaged. {USE_ANOTHER}")
    return bytes(held).splitlines(keepends=True)


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
            faults.append(f"{name}: {number_of(digest.rows, 'row')} instead of {table.rows:,}, or others")
        report(f"{name}: {number_of(digest.rows, 'row')}")
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
