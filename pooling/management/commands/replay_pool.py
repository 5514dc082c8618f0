from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand, organised_task_at
from campaign.models import Task, User
from campaign.text.plurals import number_of
from pooling.models import Pool
from pooling.selectors.growth import UnusablePoolError
from pooling.selectors.growth_states import replay
from pooling.selectors.pools import task_pools


class Command(ScriptCommand):
    help = (
        "Choose the documents of a growing pool again from its log, and say whether each choice is the same as before."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", metavar="CAMPAIGN/TASK")
        parser.add_argument(
            "--pool", type=int, metavar="VERSION", help="version of the pool (default: the latest growing pool)"
        )

    def perform(self, actor: User, **options: Any) -> None:
        pool = self._pool(organised_task_at(actor, options["task"]), options["pool"])
        try:
            topics = replay(pool)
        except UnusablePoolError as problem:
            raise CommandError(str(problem)) from problem
        different = [f"Topic {topic}: {what}" for topic, _, what in topics if what]
        steps = number_of(sum(count for _, count, _ in topics), "choice")
        if different:
            raise CommandError("\n".join([*different, f"pool {pool.version}: not all of {steps} come out again."]))
        self.stdout.write(f"pool {pool.version}: all {steps} on {number_of(len(topics), 'topic')} come out again.")

    def _pool(self, task: Task, version: int | None) -> Pool:
        chosen = [pool for pool in task_pools(task) if pool.grows and version in (None, pool.version)]
        if not chosen:
            raise CommandError("There is no such pool that grows while it is judged. Look at the list of pools.")
        return chosen[0]
