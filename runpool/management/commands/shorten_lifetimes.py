"""For operators, after a clock that was ahead is right again."""

from typing import Any

from django.core.management.base import BaseCommand

from runpool.operations.lifetimes import lifetimes_shorten


class Command(BaseCommand):
    help = (
        "After the clock was ahead: let sessions, tokens and invitations that were made meanwhile live as long from now on as "
        "was promised. First make sure that the clock is right, and not behind: else it takes good ones for such."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(lifetimes_shorten())
