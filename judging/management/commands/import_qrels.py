from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from campaign.formats.problems import ProblemLog
from campaign.management.base import ScriptCommand, complain, task_at
from campaign.models import Import, User
from judging.selectors.releases import latest_qrels
from judging.services.imports import qrels_confirm, qrels_receive


class Command(ScriptCommand):
    help = "Release qrels that were judged elsewhere as the task's next version."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")
        parser.add_argument("file", type=Path)
        parser.add_argument("--subtopics", action="store_true", help="the second column is the subtopic")
        parser.add_argument("--note", default="")

    def perform(self, actor: User, **options: Any) -> None:
        task = task_at(options["task"])
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        with path.open("rb") as file:
            received = qrels_receive(
                actor=actor,
                task=task,
                file=file,
                file_name=path.name,
                subtopics=options["subtopics"],
                note=options["note"],
            )
        received.refresh_from_db()
        self._tell_problems(received)
        qrels_confirm(actor=actor, import_=received)
        received.refresh_from_db()
        self._tell_problems(received)
        qrels = latest_qrels(task)
        if received.state != Import.DONE or qrels is None:
            raise CommandError(f"{path.name} was not imported; the import is {received.get_state_display()}.")
        self.stdout.write(f"{qrels}: {qrels.judgment_count} judgments of {len(qrels.topics)} topics")

    def _tell_problems(self, received: Import) -> None:
        if not received.problems:
            return
        log = ProblemLog.from_json(received.problems)
        complain([f"{problem.severity}: {problem}" for problem in log.shown])
        if received.state == Import.BAD:
            raise CommandError(f"Nothing was imported: {log.errors} errors.")
