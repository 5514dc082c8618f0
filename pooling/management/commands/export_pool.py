from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaign.management.base import print_file, task_at
from campaign.version import OF_VERSION
from pooling.selectors.pools import pool_text, task_pools


class Command(BaseCommand):
    help = "Print a frozen pool: a line “topic docno” per pair, documents in judging order."
    requires_system_checks = (OF_VERSION,)  # the others load all pages, which would more than double the time of this

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="CAMPAIGN/TASK")
        parser.add_argument("--pool", type=int, metavar="N", help="version of the pool (default: the latest)")

    def handle(self, *args: Any, **options: Any) -> None:
        pools = task_pools(task_at(options["task"]))
        version = options["pool"]
        pool = pools.first() if version is None else pools.filter(version=version).first()
        if pool is None:
            wanted = "no pool yet" if version is None else f"no pool {version}"
            raise CommandError(f"The task {options['task']} has {wanted}. Freeze one with: manage.py freeze_pool")
        print_file(self.stdout, [pool_text(pool).decode()])
