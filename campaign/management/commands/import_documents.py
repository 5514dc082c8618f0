from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from campaign.collection.services.document_imports import FIRST
from campaign.management.base import ScriptCommand, organised_task_at
from campaign.management.importing import add_file, import_file_at
from campaign.models import Import, User
from campaign.text.plurals import number_of


class Command(ScriptCommand):
    help = "Import a document file (TREC, JSON lines, TSV, CSV; plain or gzip), or a list of docnos, into a task's collection."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_file(parser)
        parser.add_argument("--docnos-only", action="store_true", help="the file is a list of docnos, one on each line")

        parser.add_argument(
            "--shown-fields", default="", help="fields or tags that make up the text, such as abstract,body"
        )
        parser.add_argument(
            "--repeated", choices=[FIRST], default="", help="of documents with the same docno the first counts"
        )

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        if options["docnos_only"] and options["shown_fields"]:
            raise CommandError("A list of docnos has no fields: leave --shown-fields out.")
        chosen = {name: options[name] for name in ("docnos_only", "shown_fields", "repeated") if options[name]}
        import_ = import_file_at(options, actor=actor, task=task, kind=Import.DOCUMENTS, options=chosen)
        what = number_of(import_.records, "document number" if options["docnos_only"] else "document")
        self.stdout.write(f"imported {what} into {options['task']}")
