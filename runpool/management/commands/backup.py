"""Back up the whole site into a folder, list and check backups, make a key."""

import contextlib
import os
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from campaign.command.files import unreadable
from campaign.database.clock import MACHINES_DIFFER
from campaign.storage_places import WrongPlaceError, place_named
from campaign.text.plurals import number_of
from campaign.version import OF_VERSION
from runpool.backup.buckets import target_at
from runpool.backup.making import Made, Report, backup_check, backup_make
from runpool.backup.manifest import Manifest, name_at, read_manifest
from runpool.backup.pruning import backups_prune, require_newest
from runpool.backup.record import backup_note
from runpool.backup.sealing import Seal, SealError, new_key
from runpool.backup.targets import Target, TargetError, reason_of

NAME_ONE = "Name the one that you want with --backup; --list shows all."
OF_MAKING = ("keep", "sizes_only", "with_sessions")


class Command(BaseCommand):
    help = "Back up database and stored files while the site runs; what the folder holds already is not copied again."
    requires_system_checks = (OF_VERSION,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", nargs="?", help="folder of the backups, on another disk than the site, or s3://…")
        parser.add_argument("--key", type=Path, metavar="FILE", help="encrypt with the key in this file")
        parser.add_argument(
            "--keep", type=int, metavar="N", help="afterwards remove all backups of this site but the newest N"
        )
        parser.add_argument(
            "--sizes-only",
            action="store_true",
            help="compare files by size, not by content: for storage where reading is slow or costs money",
        )
        parser.add_argument(
            "--with-sessions", action="store_true", help="include sessions, so that nobody has to sign in again"
        )
        instead = parser.add_mutually_exclusive_group()
        instead.add_argument("--make-key", type=Path, metavar="FILE", help="make a key file, and nothing else")
        instead.add_argument("--list", action="store_true", help="list the backups in the folder, and nothing else")
        instead.add_argument("--check", action="store_true", help="read the newest backup whole, and nothing else")
        parser.add_argument("--backup", metavar="NAME", help="check this backup, named as --list names it")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._act(**options)
        except (TargetError, SealError, WrongPlaceError, OSError) as problem:
            raise CommandError(reason_of(problem)) from problem

    def _act(self, *, folder: str | None, make_key: Path | None, **options: Any) -> None:
        _require_together(make_key=make_key, **options)
        if make_key is not None:
            self._make_key(make_key)
            return
        if folder is None:
            raise CommandError("Name the folder of the backups.")
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep needs a number of 1 or more.")
        target = target_at(place_named(folder), seal_of(options["key"]))
        if options["list"]:
            self._list(target)
        elif options["check"]:
            self._check(target, options["backup"])
        else:
            self._make(target, **options)

    def _make_key(self, path: Path) -> None:
        try:
            with path.open("x", encoding="ascii") as file, _removed_if_cut_off(path):
                path.chmod(0o600)
                file.write(new_key() + "\n")
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError as problem:
            raise CommandError(f"{path} exists: a key is never overwritten.") from problem
        self.stdout.write(f"{path}: keep a copy away from the backups. Without it nobody can read them.")

    def _make(self, target: Target, **options: Any) -> None:
        made = self._made(target, **options)
        rows = sum(table.rows for table in made.manifest.tables.values())
        self.stdout.write(
            f"{made.name}: {number_of(rows, 'row')}, {number_of(made.manifest.file_count, 'file')} "
            f"({filesizeformat(made.manifest.file_bytes)}); "
            f"new: {number_of(made.new_parts, 'part')}, {filesizeformat(made.new_bytes)}; "
            f"not read again: {number_of(made.rows_not_read.total(), 'row')}"
            + (f"; written anew: {number_of(made.mended_parts, 'damaged part')}" if made.mended_parts else "")
        )
        if options["keep"]:
            backups, parts = backups_prune(target, made, options["keep"], self._tell)
            self.stdout.write(f"Removed: {number_of(backups, 'backup')}, {number_of(parts, 'part')}")
        else:
            require_newest(made.name, target.manifests())
        if made.manifest.missing:
            raise CommandError(
                f"Incomplete: {number_of(len(made.manifest.missing), 'stored file')} missing or damaged, named above. "
                "Everything else is in the backup. Restore the files from an earlier one."
            )
        if made.kept_from_before:
            raise CommandError(
                f"The backup is whole, but the site is not: {number_of(len(made.kept_from_before), 'stored file')} missing or "
                "damaged, named above. Restore them from this backup, then run “manage.py verify”."
            )
        if made.unreadable:
            raise CommandError(
                f"The backup is whole, but {number_of(len(made.unreadable), 'row')} named above cannot be read, nor the pages "
                "that show them. “manage.py verify dates” names the dates: correct them in the database."
            )

    def _made(self, target: Target, *, with_sessions: bool, sizes_only: bool, **options: Any) -> Made:
        """Make it, and note how it ended."""
        start, problem = time.monotonic(), "it was cut off"
        try:
            made = backup_make(target, self._tell, with_sessions=with_sessions, sizes_only=sizes_only)
            missing = len(made.manifest.missing)
            problem = f"incomplete: {number_of(missing, 'stored file')} missing or damaged" if missing else ""
        except (TargetError, SealError, OSError) as why:
            problem = reason_of(why)
            raise
        except Exception as why:
            problem = f"{type(why).__name__}: {str(why).partition(chr(10))[0]}"
            raise
        finally:
            self._note(str(target), time.monotonic() - start, problem)
        return made

    def _note(self, *ended: Any) -> None:
        """A copy of the database takes no writes, and a backup of it is a backup all the same."""
        try:
            backup_note(*ended)
        except DatabaseError as problem:
            self._tell(f"The site cannot note when this backup was made: {str(problem).partition(chr(10))[0]}")

    def _list(self, target: Target) -> None:
        for name in target.manifests():
            try:
                manifest = read_manifest(target, name)
            except TargetError as problem:
                self.stdout.write(f"{name}  {problem}")
                continue
            rows = sum(table.rows for table in manifest.tables.values())
            lacks = "" if manifest.is_complete else f", incomplete: {number_of(len(manifest.missing), 'file')} missing"
            size = filesizeformat(manifest.file_bytes)
            made_by = f", by version {manifest.version}" if manifest.version else ""
            holds = f"{number_of(rows, 'row')}, {number_of(manifest.file_count, 'file')} ({size})"
            self.stdout.write(f"{name}  {manifest.site}  {holds}{made_by}{lacks}")

    def _check(self, target: Target, asked: str | None) -> None:
        name = asked or newest(target)
        manifest = read_manifest(target, name)
        require_whole(target, name, manifest, self._tell)
        if lacking := lacking_in(manifest, self._tell):
            raise TargetError(f"{name}: every part is whole, but it holds all {lacking}. Use an earlier one for these.")
        self.stdout.write(f"{name}: every part is whole.")

    def _tell(self, line: str) -> None:
        self.stderr.write(line)


def _require_together(*, backup: str | None, **options: Any) -> None:
    """Refuse options that would be passed over."""
    instead = next((name for name in ("make_key", "list", "check") if options[name]), "")
    if backup is not None and not options["check"]:
        raise CommandError("--backup names the backup to --check. Add --check, or leave --backup out.")
    if instead and (stray := [name for name in OF_MAKING if options[name]]):
        kept_out = stray[0].replace("_", "-")
        raise CommandError(f"With --{instead.replace('_', '-')} no backup is made. Leave --{kept_out} out.")


@contextlib.contextmanager
def _removed_if_cut_off(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        path.unlink()
        raise


def seal_of(key: Path | None) -> Seal | None:
    if key is None:
        return None
    try:
        return Seal(key.read_text(encoding="ascii"))
    except OSError as problem:
        raise CommandError(f"The key file {key} cannot be read: {unreadable(str(key), problem)}") from problem
    except UnicodeError as problem:
        raise CommandError(
            f"{key} is no key file: it holds other characters. Name the one that --make-key made."
        ) from problem


def require_whole(target: Target, name: str, manifest: Manifest, report: Report) -> None:
    """Read every part of the backup; TargetError after all that is wrong was reported."""
    faults = backup_check(target, manifest, report)
    for fault in faults:
        report(fault)
    if faults:
        raise TargetError(f"{name}: {number_of(len(faults), 'fault')}. Use an earlier one, or a copy of this one.")


def lacking_in(manifest: Manifest, report: Report) -> str:
    """What the backup never held, to follow “all”, with the names reported; nothing if it holds everything."""
    for name in manifest.missing:
        report(f"{name}: was missing or damaged when the backup was made")
    return f"but {number_of(len(manifest.missing), 'stored file')}, named above" if manifest.missing else ""


def newest(target: Target) -> str:
    """TargetError where it is not certain which one is meant: one is dated in the future, or they are of several sites."""
    names = target.manifests()
    if not names:
        raise TargetError(f"{target} holds no backup.")
    if names[-1] > name_at(timezone.now() + MACHINES_DIFFER):
        raise TargetError(
            f"The backup {names[-1]} is dated in the future: the clock was wrong then, or is now. {NAME_ONE}"
        )
    if len(sites := _sites(target, names)) > 1:
        raise TargetError(f"{target} holds backups of several sites: {', '.join(sites)}. {NAME_ONE}")
    return names[-1]


def _sites(target: Target, names: list[str]) -> list[str]:
    """Of the backups that can be read."""
    found = set()
    for name in names:
        with contextlib.suppress(TargetError):
            found.add(read_manifest(target, name).site)
    return sorted(found)
