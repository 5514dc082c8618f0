from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand, organised_task_at, phase_told
from campaign.management.importing import add_file, add_match_topics, import_file_at
from campaign.models import Import, User
from campaign.text.plurals import number_of
from pooling.selectors.pools import latest_pool
from pooling.services.imports import POOL_JOBS, RANDOM


class Command(ScriptCommand):
    help = (
        "Freeze a pool that was made elsewhere as the task's next version: lines “topic docno”, or “topic docno stratum "
        "probability” of a sample, with NA as the probability of documents that were not drawn. A task in an earlier phase "
        "moves on to Judging; without a deadline, it then takes no more runs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_file(parser)
        add_match_topics(parser)
        parser.add_argument("--shuffle", action="store_true", help="judge in random order, not in that of the file")

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        chosen = {RANDOM: True} if options["shuffle"] else {}
        with phase_told(self, task):
            import_file_at(options, actor=actor, task=task, kind=Import.POOL, options=chosen, jobs=POOL_JOBS)
            pool = latest_pool(task)
            if pool is None:
                raise CommandError("No pool was frozen.")
            self.stdout.write(f"pool {pool.version}: {number_of(pool.size, 'pair')}, sha256 {pool.sha256}")
