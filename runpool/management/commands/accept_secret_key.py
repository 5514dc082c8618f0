"""For operators who changed the key of the site."""

from typing import Any

from django.core.management.base import BaseCommand

from campaign.version import OF_VERSION
from runpool import site_key


class Command(BaseCommand):
    help = (
        "Say that RUNPOOL_SECRET_KEY was changed on purpose: from now on the site starts with the key that this command has, "
        "and with no other. First stop web servers, workers and beat on every machine."
    )
    requires_system_checks = (OF_VERSION,)

    def handle(self, *args: Any, **options: Any) -> None:
        site_key.accept()
        self.stdout.write(
            "The site starts with this key now. Give it to every machine, then start web servers, workers and beat."
        )
