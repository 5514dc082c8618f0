from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaign.management.base import print_file, task_at
from campaign.version import OF_VERSION
from evaluation.selectors.snapshots import published_file


class Command(BaseCommand):
    help = "Write a published leaderboard to standard output."
    requires_system_checks = (OF_VERSION,)  # the others load all pages, which would more than double the time of this

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="CAMPAIGN/TASK")
        parser.add_argument("--number", type=int, help="which leaderboard (default: the newest)")
        parser.add_argument(
            "--format", choices=["csv", "json"], default="csv", help="format of the file (default: csv)"
        )

    def handle(self, *args: Any, number: int | None, format: str, **options: Any) -> None:
        published = task_at(options["task"]).leaderboards.select_related("task__campaign", "qrels").order_by("-number")
        leaderboard = (published if number is None else published.filter(number=number)).first()
        if leaderboard is None:
            raise CommandError("There is no such leaderboard. Publish one with: manage.py publish_leaderboard")
        print_file(self.stdout, [published_file(leaderboard, format)])
