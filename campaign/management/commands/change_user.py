from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from campaign.accounts.selectors import user_by_name
from campaign.accounts.services.accounts import address_vouch
from campaign.log.audit import apply_changes, audit
from campaign.models import User
from campaign.models.lookalikes import plain_address


class Command(BaseCommand):
    help = "Change an account: its address, which then counts as confirmed, and whether it may create campaigns."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user name")
        parser.add_argument("--email", help="new email address; it counts as confirmed")
        may = parser.add_mutually_exclusive_group()
        may.add_argument(
            "--may-found-campaigns",
            action="store_true",
            default=None,
            dest="may_found_campaigns",
            help="may create campaigns",
        )
        may.add_argument(
            "--may-not-found-campaigns",
            action="store_false",
            default=None,
            dest="may_found_campaigns",
            help="may not create campaigns",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["email"]:
            options["email"] = plain_address(options["email"])
        given = {name: options[name] for name in ("email", "may_found_campaigns") if options[name] is not None}
        try:
            with transaction.atomic():
                self.change(options["user"], given)
        except ValidationError as problem:
            raise CommandError("\n".join(problem.messages)) from problem

    def change(self, name: str, given: dict[str, Any]) -> None:
        named = user_by_name(name)
        user = User.objects.select_for_update().filter(pk=named.pk).first() if named else None
        if user is None:
            raise CommandError(f"There is no user “{name}”.")
        changes = apply_changes(user, given)
        user.full_clean(exclude={field.name for field in User._meta.fields} - set(changes))
        user.save(update_fields=list(changes))
        if "email" in given:
            address_vouch(user=user)
        audit(None, "update", user, campaign=None, **changes)
        self.stdout.write(f"changed {user.username}" if changes else f"{user.username} is so already")
