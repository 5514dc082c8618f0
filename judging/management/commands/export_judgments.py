from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError

from campaign.formats.moments import MomentError, in_zone, read_moment
from campaign.management.base import ScriptCommand, organised_task_at
from campaign.models import User
from judging.judgments.exports import acts_csv
from judging.judgments.selectors.at_revision import judgments_as_of
from judging.models import Judgment


class Command(ScriptCommand):
    help = """Write the judgments of a task that count, or that counted at an earlier moment, as CSV."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")
        parser.add_argument(
            "--as-of", metavar="MOMENT", help="what had arrived then: 2026-03-01T12:00:00Z; UTC without a zone"
        )
        parser.add_argument("--last-act", type=int, metavar="KEY", help="what counted when this act was the last")

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        of_task = Judgment.objects.of_task(task.pk).order_by("pk")
        acts = judgments_as_of(of_task, options["last_act"], moment_of(options["as_of"]))
        for line in acts_csv(acts, task):
            self.stdout.write(line, ending="")


def moment_of(text: str | None) -> datetime | None:
    try:
        return None if text is None else in_zone(read_moment(text), UTC)
    except MomentError as problem:
        raise CommandError(f"{problem}.") from None
