from contextlib import nullcontext
from typing import Any

from django.core.management.base import BaseCommand

from campaign.management.base import quiet
from runpool.demo.load import load_demo


class Command(BaseCommand):
    help = "Load the demo campaign, or those parts of it that are missing."

    def handle(self, *args: Any, **options: Any) -> None:
        with nullcontext() if options["verbosity"] > 1 else quiet():
            load_demo(self.stdout.write)
