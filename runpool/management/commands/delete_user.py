from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from campaign.accounts.selectors import user_by_name
from campaign.models import User
from runpool.account_data.selectors import hindrances
from runpool.account_data.services.deletion import user_delete


class Command(BaseCommand):
    help = (
        "Delete an account: judgments, runs and the log stay under a number; "
        "names, addresses and mails are deleted from this site. Files of "
        "mails, which a site without a mail server writes into its data folder's “mail”, stay: delete those that name the person."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user name")
        parser.add_argument(
            "--release", action="store_true", help="give back open topics and teams without another member"
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what prevents the deletion")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_by_name(options["user"])
        if user is None:
            raise CommandError(f"There is no user “{options['user']}”.")
        if options["dry_run"]:
            self._say_what_is_in_the_way(user, release=options["release"])
            return
        try:
            deleted = user_delete(actor=None, user=user, release=options["release"])
        except ValidationError as problem:
            raise CommandError("\n".join([*problem.messages, "Nothing was deleted."])) from problem
        self.stdout.write(f"deleted; what stays is under {deleted.username}")

    def _say_what_is_in_the_way(self, user: User, *, release: bool) -> None:
        """CommandError where the same command without --dry-run would be refused."""
        found = hindrances(user)
        said = "\n".join(f"{one.text}{' (--release)' if one.is_released else ''}" for one in found)
        if any(not (release and one.is_released) for one in found):
            raise CommandError(said)
        self.stdout.write(f"{said}\nnothing else is in the way" if said else "nothing is in the way")
