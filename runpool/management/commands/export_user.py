from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaign.accounts.selectors import user_by_name
from campaign.log.audit import audit
from campaign.storage.disk import written_at_once
from campaign.storage.interface import StorageAwayError
from runpool.account_data.services.exports import export_write


class Command(BaseCommand):
    help = "Write the personal data of one user to a zip of JSON and CSV files, for that person."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user name")
        parser.add_argument("file", type=Path, help="the zip to write; an existing file is not replaced")

    def handle(self, *args: Any, **options: Any) -> None:
        user, path = user_by_name(options["user"]), options["file"]
        if user is None:
            raise CommandError(f"There is no user “{options['user']}”.")
        there_already = f"{path} is there already. Name another file."
        if path.exists():
            raise CommandError(there_already)
        if not path.absolute().parent.is_dir():
            raise CommandError(f"{path} cannot be written: there is no folder {path.parent}.")
        try:
            with written_at_once(path, replace=False) as out:
                export_write(user, out)
        except FileExistsError as problem:  # it came meanwhile
            raise CommandError(there_already) from problem
        except StorageAwayError as problem:
            raise CommandError(f"The stored files cannot be read: {problem.reason}") from problem
        except OSError as problem:
            raise CommandError(f"{path} cannot be written: {problem.strerror}.") from problem
        audit(None, "hand out data", user, campaign=None)
        self.stdout.write(f"wrote {path}")
