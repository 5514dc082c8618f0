"""Tables of many runs, made while they are sent: CSV for spreadsheets, JSON for programs."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from campaign.formats.spreadsheet import cell, csv_lines
from campaign.models import Run, RunProblem, Task
from campaign.runs.selectors.progress import finding_counts
from campaign.setup.run_questions import read_questions

AT_ONCE = 100
COLUMNS = (
    "team",
    "tag",
    "attempt",
    "state",
    "decision",
    "reason",
    "kind",
    "priority",
    "description",
    "submitted_by",
    "submitted_at",
    "sha256",
    "size",
    "lines",
    "topics_answered",
    "errors",
    "warnings",
    "error_findings",
    "warning_findings",
    "after_qrels",
    "judged_before",
)


def run_keys(runs: QuerySet[Run]) -> list[int]:
    """The runs of an export and their order, fixed at one moment: the rest is read as it is sent."""
    return list(runs.values_list("pk", flat=True))


def runs_in_order(keys: list[int]) -> Iterator[Run]:
    """Yield the runs of these keys, read a few at a time; no cursor stays open for as long as the reader takes."""
    wanted = Run.objects.select_related("team", "submitted_by").prefetch_related("problems")
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        runs = wanted.in_bulk(some)
        yield from (runs[key] for key in some if key in runs)


def runs_csv(task: Task, keys: list[int], files: Mapping[int, str] | None = None) -> Iterator[str]:
    """Yield one line per run; `files`: the names of the runs' files beside the table, by primary key."""
    questions = [question.key for question in read_questions(task.questions)]
    head = [*COLUMNS, *(f"answers.{key}" for key in questions)]

    def row(run: Run) -> list[object]:
        facts = run_facts(run)
        values = [*(facts[column] for column in COLUMNS), *(run.answers.get(key) for key in questions)]
        return values if files is None else [files.get(run.pk), *values]

    return csv_lines(head if files is None else ["file", *head], map(row, runs_in_order(keys)))


def runs_json(keys: list[int], files: Mapping[int, str]) -> Iterator[str]:
    """Yield an array with one object per run: facts, answers, header of the file, decision, problems."""
    separator = "[\n"
    for run in runs_in_order(keys):
        record = {
            "file": files.get(run.pk),
            **run_facts(run),
            "submitted_at": cell(run.submitted_at),
            "file_name": run.file_name,
            "answers": run.answers,
            "ir_metadata": run.metadata,
            "ir_metadata_problem": run.metadata_problem,
            "problems": [_problem(problem) for problem in run.problems.all()],
        }
        yield separator + json.dumps(record, ensure_ascii=False)
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def run_facts(run: Run) -> dict[str, Any]:
    return {
        "team": run.team.slug,
        "tag": run.tag,
        "attempt": run.attempt,
        "state": run.state,
        "decision": run.decision,
        "reason": run.decision_reason,
        "kind": run.kind,
        "priority": run.priority,
        "description": run.description,
        "submitted_by": run.submitted_by.username,
        "submitted_at": run.submitted_at,
        "sha256": run.sha256,
        "size": run.size,
        "lines": run.lines,
        "topics_answered": run.topics_answered,
        "errors": run.error_count,
        "warnings": run.warning_count,
        **finding_counts(run),
        "after_qrels": run.after_qrels,
        "judged_before": run.judged_before,
    }


def _problem(problem: RunProblem) -> dict[str, Any]:
    names = ("code", "severity", "line", "count", "message", "remedy", "excerpt")
    return {name: getattr(problem, name) for name in names}
