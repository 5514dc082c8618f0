from argparse import ArgumentParser
from typing import Any

from campaign.management.base import ScriptCommand, organised_task_at
from campaign.models import User
from campaign.words import number_of
from evaluation.boards.audiences import AUDIENCES, LICENCES, PUBLIC
from evaluation.selectors.drafts import Terms
from evaluation.services.leaderboards import leaderboard_publish


class Command(ScriptCommand):
    help = "Publish the scores of a task as a numbered leaderboard."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", metavar="CAMPAIGN/TASK")
        parser.add_argument("--audience", choices=list(AUDIENCES), default=PUBLIC, help="who sees it (default: public)")
        parser.add_argument("--note", default="")
        parser.add_argument("--licence", choices=list(LICENCES), default="", help="its SPDX name")
        parser.add_argument("--terms", default="", help="of use")

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        terms = Terms(options["note"], options["licence"], options["terms"])
        leaderboard = leaderboard_publish(actor=actor, task=task, audience=options["audience"], terms=terms)
        runs, audience = number_of(len(leaderboard.run_ids), "run"), AUDIENCES[leaderboard.audience]
        self.stdout.write(f"Leaderboard {leaderboard.number} published for {audience}: {runs}.")
