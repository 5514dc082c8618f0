from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import CommandError

from campaign.formats.problems import ProblemLog
from campaign.management.base import ScriptCommand, opened
from campaign.models import Restoration, User
from runpool.archive.services.requests import restoration_confirm, restoration_receive

UNLIMITED = 1 << 62


class Command(ScriptCommand):
    help = (
        "Check an archive and restore it as a new campaign, with the acting user as its organiser. "
        "If a part is refused, nothing is restored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)
        parser.add_argument("--address", help="of the restored campaign; without it, that of the archive")
        parser.add_argument("--check", action="store_true", help="only check the archive")

    def perform(self, actor: User, **options: Any) -> None:
        path: Path = options["file"]
        try:
            with opened(path) as file:
                restoration = restoration_receive(actor=actor, file=file, file_name=path.name, limit=UNLIMITED)
        except PermissionDenied as problem:
            raise CommandError(str(problem)) from problem
        _require(restoration, Restoration.READY)
        if options["check"]:
            self.stdout.write(f"{path} is sound: content {restoration.found['content_sha256']}")
            for told in restoration.found["told"]:
                self.stdout.write(told)
            return
        slug = options["address"] or restoration.found["slug"]
        restoration_confirm(actor=actor, restoration=restoration, slug=slug)
        _require(restoration, Restoration.DONE)
        self.stdout.write(f"restored {slug}")


def _require(restoration: Restoration, state: str) -> None:
    restoration.refresh_from_db()
    if restoration.state != state:
        problems = restoration.problems and str(ProblemLog.from_json(restoration.problems))
        raise CommandError(problems or "The work on the archive has stopped; the operations page and the log say why.")
