from typing import Any

from django.contrib.auth.management.commands import changepassword

from campaign.accounts.selectors import user_by_name


class Command(changepassword.Command):
    """Django's, for whoever the name means in whatever case, width and Unicode form."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        user = user_by_name(options["username"] or "")
        return super().handle(*args, **{**options, **({"username": user.username} if user else {})})
