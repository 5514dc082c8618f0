from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from campaign.formats.problems import ProblemLog
from campaign.formats.source import Limits, text_lines
from campaign.management.base import ScriptCommand, complain, task_at
from campaign.models import User
from judging.desk.judgment_files import read_script
from judging.desk.services.judgments import Act, judgments_record
from judging.judgments.selectors.own_documents import assignments_of
from judging.models import Assignment
from judging.progress.selectors.progress import pool_numbered

AT_ONCE = 500


class Command(ScriptCommand):
    help = """Record judgments of a JSON lines file for the assessor who acts. A line holds topic, docno and grade
    (null: cannot judge), and may hold subtopics (those covered, or number to grade), seconds and note.
    Running it twice with the same file changes nothing."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")
        parser.add_argument("file", type=Path)
        parser.add_argument("--pass", type=int, metavar="N", help="the pass, where topics are assigned in several")
        parser.add_argument("--pool", type=int, metavar="N", help="version of the pool; without it the latest")

    def perform(self, actor: User, **options: Any) -> None:
        task = task_at(options["task"])
        pool = pool_numbered(task, options["pool"])
        if pool is None:
            raise CommandError("There is no such pool: nothing to judge.")
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        own = assignments_of(actor).filter(pool=pool)
        if options["pass"]:
            own = own.filter(pass_number=options["pass"])
        assignments = {one.topic.number: one for one in own}
        if len(assignments) < len(own):
            raise CommandError(
                "Topics are assigned to you in several passes or parts: choose a pass with --pass, judge parts at the desk."
            )
        problems = ProblemLog()
        with path.open("rb") as file:
            lines = list(text_lines(file, Limits(), problems))
        if not problems.ok:
            raise CommandError(f"Nothing was recorded. {problems}")
        script = read_script(lines, assignments)
        recorded = 0
        for topic, acts in script.acts.items():
            for start in range(0, len(acts), AT_ONCE):
                part = acts[start : start + AT_ONCE]
                recorded += _record(actor, assignments[topic], part, script.problems)
        self.stdout.write(f"{recorded} judgments recorded")
        if script.problems:
            complain(script.problems)
            raise CommandError(f"{len(script.problems)} lines were not recorded.")


def _record(actor: User, assignment: Assignment, part: list[tuple[int, Act]], problems: list[str]) -> int:
    outcomes = judgments_record(assessor=actor, assignment=assignment, acts=[act for _, act in part])
    for (number, _), outcome in zip(part, outcomes, strict=True):
        if outcome.refusal is not None:
            problems.append(f"line {number}: {' '.join(outcome.refusal.messages)}")
    return sum(outcome.is_new for outcome in outcomes)
