from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand, complain, organised_task_at
from campaign.models import Job, User
from campaign.text.plurals import number_of
from evaluation.selectors.boards import scored_runs
from evaluation.selectors.scores import scoring_job
from evaluation.services.scoring import scores_request


class Command(ScriptCommand):
    help = "Score every valid run of a task against its newest qrels."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", metavar="CAMPAIGN/TASK")

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        if not task.qrels.exists():
            raise CommandError("There are no qrels yet: release them (release_qrels) or import them (import_qrels).")
        scores_request(actor=actor, task=task)
        job = scoring_job(task)
        if job is not None and job.state == Job.FAILED:
            raise CommandError(job.message)
        if not task.runs.ranking().exists():
            complain(["warning: The task has no valid run."])
        scored = scored_runs(task)
        self.stdout.write(f"{number_of(len(scored.runs) if scored else 0, 'run')} scored.")
