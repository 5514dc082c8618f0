from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError

from campaign.formats.moments import MomentError, in_zone, read_moment
from campaign.management.base import ScriptCommand, organised_task_at, print_file
from campaign.models import User
from campaign.models.fields import day_problem
from judging.judgments.exports import acts_csv
from judging.judgments.selectors.at_revision import judgments_as_of
from judging.models import Judgment


class Command(ScriptCommand):
    help = """Write the judgments of a task that count, or that counted at an earlier moment, as CSV."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")
        parser.add_argument(
            "--as-of",
            metavar="MOMENT",
            help="judgments that had arrived at this moment, such as 2026-03-01T12:00:00Z; UTC if it names no zone",
        )
        parser.add_argument(
            "--last-act", type=int, metavar="KEY", help="judgments that counted when this one was the last"
        )

    def perform(self, actor: User, **options: Any) -> None:
        task = organised_task_at(actor, options["task"])
        of_task = Judgment.objects.of_task(task.pk).order_by("pk")
        acts = judgments_as_of(of_task, options["last_act"], moment_of(options["as_of"]))
        print_file(self.stdout, acts_csv(acts, task))


def moment_of(text: str | None) -> datetime | None:
    try:
        moment = None if text is None else read_moment(text)
        if moment is not None and (problem := day_problem(moment)):
            raise CommandError(problem)
        return None if moment is None else in_zone(moment, UTC)
    except MomentError as problem:
        raise CommandError(f"{problem}.") from None
