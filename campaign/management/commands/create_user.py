import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from campaign.accounts.services.accounts import address_vouch
from campaign.log.audit import audit
from campaign.models import User
from campaign.models.lookalikes import plain_address, tidy
from campaign.models.saving import checked_again
from campaign.version import OF_VERSION


class Command(BaseCommand):
    help = "Create an account. The command needs no acting user, so it can create the first account of a site."
    stealth_options = ("password",)  # of commands that have asked for it
    requires_system_checks = (OF_VERSION,)  # the others load all pages, which would double the time of this

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user name")
        parser.add_argument("--email", default="")
        parser.add_argument("--name", default="", help="name shown to others")
        parser.add_argument("--superuser", action="store_true", help="may see and do everything on the site")
        parser.add_argument(
            "--may-found-campaigns",
            action="store_true",
            help="may create campaigns even if RUNPOOL_CAMPAIGN_CREATION is staff",
        )
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read the password from standard input; without it the account acts in commands only",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User(
            username=tidy(options["user"]),
            email=plain_address(options["email"]),
            display_name=options["name"],
            is_superuser=options["superuser"],
            is_staff=options["superuser"],
            may_found_campaigns=options["may_found_campaigns"],
        )
        password = options.get("password")
        if options["password_stdin"]:
            password = sys.stdin.readline().rstrip("\r\n")
        if password is not None and not user.email and settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
            raise CommandError("Give --email: where mail is set up, nobody signs in without a confirmed address.")
        user.set_password(password)
        try:
            user.full_clean()
            if password is not None:
                validate_password(password, user)
        except ValidationError as problem:
            raise CommandError("\n".join(problem.messages)) from problem
        try:
            with transaction.atomic():
                with checked_again(user.full_clean):
                    user.save()
                address_vouch(user=user)
                audit(None, "create", user, campaign=None, username=user.username, superuser=user.is_superuser)
        except ValidationError as problem:
            raise CommandError("\n".join(problem.messages)) from problem
        self.stdout.write(f"created {user.username}")
