from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand, complain, task_at
from campaign.models import User
from judging.resolution import POLICIES
from judging.selectors.progress import pool_numbered
from judging.selectors.releases import release_draft
from judging.services.releases import qrels_release


class Command(ScriptCommand):
    help = "Release the current judgments as the task's next qrels."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")
        parser.add_argument("--pool", type=int, metavar="N", help="version of the pool; without it the latest")
        parser.add_argument("--policy", choices=list(POLICIES), default="latest")
        parser.add_argument("--note", default="")

    def perform(self, actor: User, **options: Any) -> None:
        task = task_at(options["task"])
        pool = pool_numbered(task, options["pool"])
        if pool is None:
            raise CommandError("There is no such pool: nothing to release.")
        left_out = release_draft(pool, options["policy"]).topics_left_out
        qrels = qrels_release(actor=actor, task=task, pool=pool, policy=options["policy"], note=options["note"])
        if qrels.unjudged_count:
            complain([f"warning: {qrels.unjudged_count} pooled pairs have no grade"])
        if left_out:
            complain([f"warning: left out, without a single grade: topic {', '.join(left_out)}"])
        self.stdout.write(f"{qrels}: {qrels.judgment_count} judgments of {len(qrels.topics)} topics")
