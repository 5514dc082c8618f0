"""Move a stopped site to another database and folder of stored files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from campaign.backup.moving import require_stopped, site_move
from campaign.backup.targets import TargetError
from campaign.storage.quarantine import DamagedFileError


class Command(BaseCommand):
    help = "Copy a stopped site to an empty database and a folder, and compare everything. It can be started again."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to-database", required=True, metavar="URL", help="as DATABASE_URL will name it")
        parser.add_argument("--to-files", required=True, type=Path, metavar="FOLDER", help="of the stored files")
        parser.add_argument(
            "--site-is-stopped", action="store_true", help="do not wait for three minutes without a sweep"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if not options["site_is_stopped"]:
                require_stopped()
            site_move(options["to_database"], options["to_files"].resolve(), self.stderr.write)
        except (TargetError, DamagedFileError) as problem:
            raise CommandError(str(problem)) from problem
        except (DatabaseError, ImproperlyConfigured) as problem:
            raise CommandError(
                f"The new database cannot be used, and holds nothing of the site: {problem}"
            ) from problem
        self.stdout.write(
            "Moved. Set DATABASE_URL and STORAGE_URL to the new places, leave SECRET_KEY as it is, and start the site. "
            "Where SECRET_KEY was never set, its text lies in DATA_DIR/secret-key. The old database and files are as they were."
        )
