from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand, phase_told, task_at
from campaign.models import User
from campaign.permissions import is_organiser
from campaign.text.plurals import number_of
from pooling.core.strategies.judging_order import DEFAULT_ORDER, orders_of
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.registry import STRATEGIES, default_strategy
from pooling.core.strategies.spec import MAX_PRIORITY, RUNS_PER_TEAM, SEED, PoolSpec
from pooling.selectors.pools import latest_pool
from pooling.services.pools import pool_freeze

OWN_OPTION = "parameter_"


class Command(ScriptCommand):
    help = "Freeze a pool of the task's valid runs. Freezing the same pool again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", metavar="CAMPAIGN/TASK")
        parser.add_argument("--strategy", choices=list(STRATEGIES), default=default_strategy().name)
        for name, meanings in _own_options().items():
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, dest=OWN_OPTION + name, metavar="VALUE", help="; ".join(meanings))
        parser.add_argument("--max-priority", metavar="N", help="pool only runs of priority 1 to N")
        parser.add_argument(
            "--runs-per-team", metavar="N", help="pool only the first N runs of each team, by priority and tag"
        )
        parser.add_argument("--runs", nargs="+", metavar="TAG", help="pool only these runs")
        parser.add_argument("--order", choices=_orders(), default=DEFAULT_ORDER, help="judging order within a topic")
        parser.add_argument(
            "--seed", metavar="N", default=str(SEED.default), help="seed of all random numbers (default %(default)s)"
        )
        parser.add_argument("--if-none", action="store_true", help="do nothing when the task has a pool")

    def perform(self, actor: User, **options: Any) -> None:
        task = task_at(options["task"])
        if not is_organiser(actor, task.campaign):
            raise CommandError(
                f"{actor.username} does not organise {task.campaign.slug}. Only organisers freeze pools."
            )
        pool = latest_pool(task) if options["if_none"] else None
        with phase_told(self, task):
            try:
                pool = pool or pool_freeze(actor=actor, task=task, spec=_spec(options))
            except PoolSpecError as problem:  # settings that do not fit the runs
                raise CommandError(str(problem)) from problem
            self.stdout.write(f"pool {pool.version}: {number_of(pool.size, 'pair')}, sha256 {pool.sha256}")


def _own_options() -> dict[str, list[str]]:
    """The parameters of all strategies by name, each with what it means to the strategies that have it."""
    meanings: dict[str, list[str]] = {}
    for strategy in STRATEGIES.values():
        for parameter in strategy.parameters:
            default = parameter.to_text(parameter.default)
            text = f"{strategy.name}: {parameter.expected} (default {default})".replace("%", "%%")
            meanings.setdefault(parameter.name, []).append(text)
    return meanings


def _orders() -> list[str]:
    return list(dict.fromkeys(name for strategy in STRATEGIES.values() for name in orders_of(strategy)))


def _spec(options: dict[str, Any]) -> PoolSpec:
    strategy = STRATEGIES[options["strategy"]]
    given = {name: options[OWN_OPTION + name] for name in _own_options() if options[OWN_OPTION + name] is not None}
    max_priority, per_team, runs = options["max_priority"], options["runs_per_team"], options["runs"]
    try:
        return PoolSpec.with_defaults(
            strategy.name,
            strategy.from_text(given),
            max_priority=None if max_priority is None else MAX_PRIORITY.from_text(max_priority),
            runs_per_team=None if per_team is None else RUNS_PER_TEAM.from_text(per_team),
            runs=tuple(runs) if runs else None,
            order=options["order"],
            seed=SEED.from_text(options["seed"]),
        )
    except PoolSpecError as problem:
        raise ValidationError(str(problem)) from problem
