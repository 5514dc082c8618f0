from argparse import ArgumentParser
from typing import Any

from campaign.management.base import ScriptCommand, organised_task_at
from campaign.management.importing import add_file, import_file_at
from campaign.models import Import, User
from campaign.text.plurals import number_of
from judging.judgment_imports.services import JUDGMENTS_JOBS


class Command(ScriptCommand):
    help = """Store judgments of one or several assessors, as an organiser: CSV as export_judgments writes it, or JSON lines as
    record_judgments takes them with the user name of the assessor as "assessor". The topics must be assigned. With any error
    nothing is stored. The same file twice stores nothing twice."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_file(parser)

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        import_ = import_file_at(
            options, actor=actor, task=task, kind=Import.JUDGMENTS, options={}, jobs=JUDGMENTS_JOBS
        )
        new, people = number_of(import_.found["new"], "judgment"), number_of(import_.found["assessors"], "assessor")
        known = import_.found["known"]
        were = "was" if known == 1 else "were"
        self.stdout.write(f"{new} of {people} imported, {known:,} {were} here already")
