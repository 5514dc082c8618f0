"""Restore a backup into an empty site."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaign.storage_places import WrongPlaceError, place_named
from runpool.backup.buckets import target_at
from runpool.backup.drill import last_drill, restore_drill
from runpool.backup.manifest import read_manifest
from runpool.backup.restoring import backup_restore, require_restorable
from runpool.backup.sealing import SealError
from runpool.backup.targets import TargetError, reason_of
from runpool.management.commands.backup import lacking_in, newest, require_whole, seal_of


class Command(BaseCommand):
    help = "Restore a backup into an empty site: a new database and a new folder of files. It can be started again."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", help="folder of the backups, or s3://…")
        parser.add_argument("--backup", metavar="NAME", help="as backup --list shows it; without it the newest")
        parser.add_argument("--key", type=Path, metavar="FILE", help="of an encrypted backup")
        instead = parser.add_mutually_exclusive_group()
        instead.add_argument(
            "--drill",
            action="store_true",
            help="practise beside a running site: restore into a new site below TMPDIR, verify and remove it, and say how long "
            "it took",
        )
        instead.add_argument(
            "--dry-run",
            action="store_true",
            help="only read the whole backup, and say whether it could be restored here",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._restore(**options)
        except (TargetError, SealError, WrongPlaceError, OSError) as problem:
            raise CommandError(reason_of(problem)) from problem

    def _drill(self, name: str, folder: str, key: Path | None) -> None:
        before = last_drill()
        drill = restore_drill([folder, "--backup", name, *(["--key", str(key)] if key else [])])
        self.stdout.write(f"{name}: {drill.in_words}; nothing is missing or damaged, and the practice is removed.")
        if before:
            self.stdout.write(f"The drill before, {before.at:%Y-%m-%d %H:%M} UTC: {before.in_words}.")

    def _restore(
        self, *, folder: str, backup: str | None, key: Path | None, dry_run: bool, drill: bool, **options: Any
    ) -> None:
        target = target_at(place_named(folder), seal_of(key))
        name = backup or newest(target)
        manifest = read_manifest(target, name)
        if drill:
            self._drill(name, folder, key)
            return
        if dry_run:
            has_rows = require_restorable(target, manifest)
            require_whole(target, name, manifest, self.stderr.write)
            what = "is restored here already, or all but its last steps" if has_rows else "can be restored here"
            lacking = lacking_in(manifest, self.stderr.write)
            self.stdout.write(f"{name} of {manifest.site} {what}{lacking and f', all {lacking}'}.")
            return
        backup_restore(target, manifest, self.stderr.write)
        lacking = lacking_in(manifest, self.stderr.write)
        self.stdout.write(
            f"{name} of {manifest.site} is restored{lacking and f', all {lacking}'}: every table holds the rows that the backup "
            "names."
        )
