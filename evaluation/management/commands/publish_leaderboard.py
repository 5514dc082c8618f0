from argparse import ArgumentParser
from typing import Any

from campaign.management.base import ScriptCommand, organised_task_at
from campaign.models import User
from campaign.words import number_of
from evaluation.services.leaderboards import leaderboard_publish


class Command(ScriptCommand):
    help = "Publish the scores of a task as a numbered leaderboard."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", metavar="CAMPAIGN/TASK")
        parser.add_argument("--note", default="")

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        leaderboard = leaderboard_publish(actor=actor, task=task, note=options["note"])
        self.stdout.write(f"Leaderboard {leaderboard.number} published: {number_of(len(leaderboard.run_ids), 'run')}.")
