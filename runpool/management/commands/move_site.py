"""Move a stopped site to another database and folder of stored files, or its stored files alone."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from campaign.storage.interface import StorageAwayError
from campaign.storage.quarantine import DamagedFileError
from campaign.storage_places import FolderPlace, WrongPlaceError, place_named, place_of, require_no_system_folder
from campaign.version import OF_VERSION
from runpool import env, readers
from runpool.backup.moving import files_move, require_stopped, site_move
from runpool.backup.targets import TargetError, reason_of


class Command(BaseCommand):
    help = (
        "Copy a stopped site to an empty database and a folder or bucket, or its files alone, and compare everything. "
        "It can be started again."
    )
    requires_system_checks = (OF_VERSION,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--to-database",
            metavar="URL",
            help="address of the new database, as for RUNPOOL_DATABASE_URL; without it, only the files are copied",
        )
        parser.add_argument(
            "--to-files", required=True, metavar="FOLDER", help="new folder of the stored files, or s3://…"
        )
        parser.add_argument(
            "--site-is-stopped",
            action="store_true",
            help="the site is stopped: do not check for three minutes that nothing runs",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if not options["site_is_stopped"]:
                require_stopped()
            self._move(options["to_database"], options["to_files"])
        except StorageAwayError as problem:
            raise CommandError(f"{problem.reason} Then start this again: it goes on with the files.") from problem
        except (TargetError, DamagedFileError, WrongPlaceError) as problem:
            raise CommandError(str(problem)) from problem
        except OSError as problem:
            raise CommandError(f"The files cannot be moved there: {reason_of(problem)}.") from problem
        except (DatabaseError, ImproperlyConfigured) as problem:
            raise CommandError(
                f"The new database cannot be used, and holds nothing of the site: {problem}"
            ) from problem

    def _move(self, database: str | None, files: str) -> None:
        place = place_named(files)
        if isinstance(place, FolderPlace):
            place = FolderPlace(place.path.resolve())
            require_no_system_folder(place.path)
            if problem := env.overlap(env.DATA_DIR, place):
                raise TargetError(problem)
        if database is not None:
            database = _address_of(database)
        if database is None:
            if place == place_of(settings.STORAGE_URL):
                raise TargetError("The site keeps its files there already. Name another place.")
            files_move(place, self.stderr.write)
            self.stdout.write(
                "The files are moved. Set RUNPOOL_STORAGE_URL to their new place, for all processes, and start the site. "
                "The database was not touched; the old files are as they were."
            )
            return
        site_move(database, place, self.stderr.write)
        self.stdout.write(
            "Moved. Set RUNPOOL_DATABASE_URL and RUNPOOL_STORAGE_URL to the new places, leave RUNPOOL_SECRET_KEY as it is, "
            "and start the site. "
            "Where RUNPOOL_SECRET_KEY was never set, its text lies in RUNPOOL_DATA_DIR/secret-key. "
            "The old database and files are as they were."
        )


def _address_of(database: str) -> str:
    try:
        return readers.database.read(database)
    except ValueError as problem:
        shown = readers.database.shown(database)
        raise TargetError(f"The new database is {shown}. {readers.database.takes}") from problem
