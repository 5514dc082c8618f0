from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand, organised_task_at
from campaign.management.importing import import_file_at
from campaign.models import Import, User
from judging.selectors.releases import latest_qrels
from judging.services.imports import LEAVE_OUT, QRELS_JOBS


class Command(ScriptCommand):
    help = (
        "Release qrels that were judged elsewhere as the task's next version. A task in an earlier phase moves on to Scores; "
        "without a deadline, it then takes no more runs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")
        parser.add_argument("file", type=Path)
        parser.add_argument("--subtopics", action="store_true", help="the second column is the subtopic")
        parser.add_argument(
            "--leave-out",
            action="store_true",
            help="do not score topics without a relevant document or of one grade only",
        )
        parser.add_argument("--note", default="")

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        chosen = {"subtopics": options["subtopics"], "note": options["note"], LEAVE_OUT: options["leave_out"]}
        import_file_at(options["file"], actor=actor, task=task, kind=Import.QRELS, options=chosen, jobs=QRELS_JOBS)
        qrels = latest_qrels(task)
        if qrels is None:
            raise CommandError("No qrels were released.")
        self.stdout.write(f"{qrels}: {qrels.judgment_count} judgments of {len(qrels.topics)} topics")
