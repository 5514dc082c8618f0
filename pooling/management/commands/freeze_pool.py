from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand, task_at
from campaign.models import User
from campaign.permissions import is_organiser
from pooling.selectors.pools import latest_pool
from pooling.services.pools import pool_freeze
from pooling.strategies.ordering import ORDERS
from pooling.strategies.registry import STRATEGIES
from pooling.strategies.spec import PoolSpec, PoolSpecError


class Command(ScriptCommand):
    help = "Freeze a pool of the task's valid runs. Freezing the same pool again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        default = PoolSpec()
        parser.add_argument("task", metavar="CAMPAIGN/TASK")
        parser.add_argument("--strategy", choices=list(STRATEGIES), default=default.strategy)
        parser.add_argument(
            "--depth", type=int, default=default.depth, help="documents of each run (default %(default)s)"
        )
        parser.add_argument("--max-priority", type=int, metavar="N", help="pool only runs of priority 1 to N")
        parser.add_argument("--runs", nargs="+", metavar="TAG", help="pool only these runs")
        parser.add_argument("--order", choices=list(ORDERS), default=default.order, help="judging order within a topic")
        parser.add_argument("--seed", type=int, default=default.seed, help="of the random order (default %(default)s)")

        parser.add_argument("--if-none", action="store_true", help="do nothing when the task has a pool")

    def perform(self, actor: User, **options: Any) -> None:
        task = task_at(options["task"])
        if not is_organiser(actor, task.campaign):
            raise CommandError(
                f"{actor.username} does not organise {task.campaign.slug}. Only organisers freeze pools."
            )
        pool = latest_pool(task) if options["if_none"] else None
        pool = pool or pool_freeze(actor=actor, task=task, spec=_spec(options))
        self.stdout.write(f"pool {pool.version}: {pool.size} pairs, sha256 {pool.sha256}")


def _spec(options: dict[str, Any]) -> PoolSpec:
    names = ["strategy", "depth", "max_priority", "order", "seed"]
    runs = options["runs"]
    try:
        return PoolSpec(**{name: options[name] for name in names}, runs=tuple(runs) if runs else None)
    except PoolSpecError as problem:
        raise ValidationError(str(problem)) from problem
