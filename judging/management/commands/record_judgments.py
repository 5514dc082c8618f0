from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from django.core.management.base import CommandError

from campaign.formats.near_keys import FirstHints, missing_from
from campaign.formats.problems import ProblemLog, visible
from campaign.management.base import ScriptCommand, complain, opened, task_at
from campaign.models import Task, User
from campaign.text.plurals import number_of
from judging.core.modes.registry import judging_mode
from judging.desk.services.submissions import judgments_submit
from judging.judgment_imports.placing import stored_by_uuid, uuid_of
from judging.judgment_imports.reading import FileJudgment, read_judgments
from judging.judgments.selectors.own_documents import assignments_of
from judging.models import Assignment
from judging.progress.selectors.progress import pool_numbered

AT_ONCE = 500
NAMESPACE = UUID("8a1d3b0e-5b0f-5d57-9d0c-5f6f2f0d7c11")
"""Of the UUIDs that versions before 1.1 made."""


class Command(ScriptCommand):
    help = """Record judgments of a file for the assessor who acts: JSON lines, or CSV as export_judgments writes it. A line holds
    topic, docno and grade (null: cannot judge), and may hold subtopics (those covered, or number to grade), seconds and note.
    Running it twice with the same file changes nothing. Organisers import those of several assessors: import_judgments."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", help="campaign/task")
        parser.add_argument("file", type=Path)
        parser.add_argument("--pass", type=int, metavar="N", help="the pass, where topics are assigned in several")
        parser.add_argument("--pool", type=int, metavar="N", help="version of the pool; without it the latest")

    def perform(self, actor: User, **options: Any) -> None:
        task, problems = task_at(options["task"]), ProblemLog()
        lines = _read(options["file"], task, problems)
        pool = pool_numbered(task, options["pool"])
        if pool is None:
            raise CommandError("There is no such pool: nothing to judge.")
        own = assignments_of(actor).filter(pool=pool)
        if options["pass"]:
            own = own.filter(pass_number=options["pass"])
        assignments = {one.topic.number: one for one in own}
        if len(assignments) < len(own):
            raise CommandError(
                "Topics are assigned to you in several passes or parts: choose a pass with --pass, judge parts at the desk."
            )
        by_topic: dict[str, list[FileJudgment]] = defaultdict(list)
        near = FirstHints()
        for line in lines:
            if problem := _why_not(line, actor, assignments.get(line.topic)):
                hint = near.hint(line.topic, missing_from(assignments), "This assessor")
                problems.add("judgment_of_others", problem[0], f"{problem[1]}{hint}", line=line.line)
            else:
                by_topic[line.topic].append(line)
        recorded = 0
        for topic, own_lines in by_topic.items():
            for start in range(0, len(own_lines), AT_ONCE):
                recorded += _record(actor, assignments[topic], own_lines[start : start + AT_ONCE], problems)
        self.stdout.write(f"{number_of(recorded, 'judgment')} recorded")
        complain([str(problem) for problem in problems.shown])
        if problems.errors:
            were = "was" if problems.errors == 1 else "were"
            raise CommandError(f"{number_of(problems.errors, 'line')} {were} not recorded.")


def _read(path: Path, task: Task, problems: ProblemLog) -> list[FileJudgment]:
    """CommandError where the file is empty, or no file of judgments at all."""
    with opened(path) as file:
        lines = read_judgments(file, judging_mode(task.judging_mode), problems)
    if not lines and all(problem.line is None for problem in problems.shown):
        raise CommandError("\n".join(str(problem) for problem in problems.shown))
    return lines


def _why_not(line: FileJudgment, actor: User, assignment: Assignment | None) -> tuple[str, str] | None:
    if line.assessor not in ("", actor.username):
        remedy = "Take the line out, or have an organiser import the file: import_judgments."
        return f"The judgment is of {visible(line.assessor)}, not of {actor.username}.", remedy
    if assignment is None:
        return f"Topic {visible(line.topic)} is not assigned to this assessor.", "Assign it first."
    if line.pass_number not in (None, assignment.pass_number):
        return (
            f"The judgment is of pass {line.pass_number}, not {assignment.pass_number}.",
            "Choose the pass with --pass.",
        )
    return None


def _record(actor: User, assignment: Assignment, part: Sequence[FileJudgment], problems: ProblemLog) -> int:
    """The nth of equal lines gets the same UUID each time, so that a file read twice records nothing twice."""
    said = [f"{assignment.pk} {line.docno} {line.text_and_count}" for line in part]
    by_earlier_versions = [uuid5(NAMESPACE, one) for one in said]
    known = stored_by_uuid(by_earlier_versions)
    made = [old if old in known else uuid_of(one) for one, old in zip(said, by_earlier_versions, strict=True)]
    acts = [line.act(line.uuid or uuid) for line, uuid in zip(part, made, strict=True)]
    outcomes = judgments_submit(assessor=actor, assignment=assignment, acts=acts)
    for line, outcome in zip(part, outcomes, strict=True):
        if outcome.refusal is not None:
            problems.add("judgment_refused", " ".join(outcome.refusal.messages), "", line=line.line)
    return sum(outcome.is_new for outcome in outcomes)
