"""For operators, after a clock that was ahead is right again."""

from typing import Any

from django.core.management.base import BaseCommand

from runpool.operations.lifetimes import lifetimes_shorten


class Command(BaseCommand):
    help = (
        "Shorten sessions, tokens and invitations that were made while the clock was ahead: each ends after its usual time, "
        "counted from now. First make sure that the clock is right. With a clock that is behind, the command shortens good ones."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(lifetimes_shorten())
