from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from campaign.formats.blueprint_files import BlueprintFileError, language_of, read_blueprint
from campaign.management.base import ScriptCommand, opened
from campaign.models import User
from campaign.setup.services.blueprints import campaign_build


class Command(ScriptCommand):
    help = (
        "Create a campaign with its tasks, grade scales and people from a TOML or YAML file. "
        "If a part is refused, nothing is created."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)

    def perform(self, actor: User, **options: Any) -> None:
        campaign = campaign_build(actor=actor, blueprint=_read(options["file"]))
        for task in campaign.tasks.all():
            self.stdout.write(f"created {campaign.slug}/{task.slug}")


def _read(path: Path) -> Mapping[str, Any]:
    with opened(path) as file:
        content = file.read()
    try:
        return read_blueprint(content, language_of(path.name))
    except BlueprintFileError as problem:
        raise CommandError(f"{path}: {problem}") from problem
