from argparse import ArgumentParser
from typing import Any

from campaign.management.base import ScriptCommand, organised_task_at, phase_told
from campaign.models import User
from campaign.text.plurals import number_of
from evaluation.boards.audiences import AUDIENCES, LICENCES, PUBLIC
from evaluation.selectors.audiences import told_by_names
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.services.leaderboards import leaderboard_publish


class Command(ScriptCommand):
    help = "Publish the scores of a task as a numbered leaderboard."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", metavar="CAMPAIGN/TASK")
        parser.add_argument("--audience", choices=list(AUDIENCES), default=PUBLIC, help="who sees it (default: public)")
        parser.add_argument(
            "--names-may-be-known",
            action="store_true",
            help="publish without names even if a live board has shown them",
        )
        parser.add_argument("--note", default="", help="what readers should know about this version")
        parser.add_argument(
            "--licence", choices=list(LICENCES), default="", help="licence of the board, by its SPDX name"
        )
        parser.add_argument("--terms", default="", help="terms of use")

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        terms = Terms(options["note"], options["licence"], options["terms"])
        told = told_by_names(task, options["audience"])
        with phase_told(self, task):
            leaderboard = leaderboard_publish(
                actor=actor,
                task=task,
                audience=options["audience"],
                terms=terms,
                names_may_be_known=options["names_may_be_known"],
            )
            runs, audience = number_of(len(leaderboard.run_ids), "run"), AUDIENCES[leaderboard.audience]
            self.stdout.write(f"Leaderboard {leaderboard.number} published for {audience}: {runs}.")
            for sentence in told:
                self.stdout.write(sentence)
