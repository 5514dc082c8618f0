from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaign.management.base import quiet
from runpool.demo.large import Size, load_large


class Command(BaseCommand):
    help = "Load a campaign of the usual size, for developers: 225 topics, 300 runs, 50 teams, a published board."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--topics", type=int, default=Size.topics)
        parser.add_argument("--runs", type=int, default=Size.runs)
        parser.add_argument("--teams", type=int, default=Size.teams)

    def handle(self, *args: Any, topics: int, runs: int, teams: int, **options: Any) -> None:
        try:
            with quiet():
                load_large(self.stdout.write, Size(topics, runs, teams))
        except RuntimeError as problem:
            raise CommandError(str(problem)) from problem
