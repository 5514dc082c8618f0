from argparse import ArgumentParser
from typing import Any

from campaign.formats.topics.dialects import TO_NARRATIVE
from campaign.management.base import ScriptCommand, organised_task_at
from campaign.management.importing import add_file, import_file_at
from campaign.models import Import, User
from campaign.text.plurals import number_of

OPTIONS = ("replace", "number_from", "title_from", "other_parts", "language")


class Command(ScriptCommand):
    help = "Import a topic file (TREC, XML, tab-separated, CSV, JSON lines; plain or gzip) into a task."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_file(parser)
        parser.add_argument("--replace", action="store_true", help="replace all topics that the task has")
        parser.add_argument(
            "--number-from", metavar="KEY", default="", help="the key, element or column of the topic number"
        )
        parser.add_argument("--title-from", metavar="KEY", default="", help="the key, element or column of the title")
        parser.add_argument(
            "--other-parts", choices=[TO_NARRATIVE], default="", help="append parts that have no place to the narrative"
        )

        parser.add_argument(
            "--language",
            metavar="CODE",
            default="",
            help="the language that is read where there are several, such as fr",
        )

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        chosen = {name: options[name] for name in OPTIONS if options[name]}
        import_ = import_file_at(options, actor=actor, task=task, kind=Import.TOPICS, options=chosen)
        self.stdout.write(f"imported {number_of(import_.records, 'topic')} into {options['task']}")
