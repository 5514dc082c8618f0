from argparse import ArgumentParser
from typing import Any

from campaign.management.base import ScriptCommand, complain, organised_task_at, why_no_runs
from campaign.models import Task, User
from campaign.setup.selectors.phases import NO_TOPICS
from campaign.setup.services.tasks import task_advance


class Command(ScriptCommand):
    help = "Open a task for runs. A task that is past its set-up does not change."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        task_advance(actor=actor, task=task, phase=Task.RUNS)
        self.stdout.write(f"{options['task']} is in the phase {task.get_phase_display()}")
        if why := why_no_runs(task):
            complain([f"warning: {why}"])
        elif not task.topics.exists():
            complain([f"warning: {NO_TOPICS}"])
