from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from campaign.formats.runs.findings import counted_in_words
from campaign.models import DamagedFile, Job, Run, RunProblem, Visitor
from campaign.queue.open_jobs import Place, no_worker, place_in_queue

CHECK_RUN = "check run"
"""Done by campaign/runs/jobs.py."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The progress of a run's check. `is_stuck`: the run waits for a check that failed or is lost.

    `ahead`: the jobs at work or waiting before it; `oldest_at`: when the oldest of them was created; `no_worker`: a sentence
    if no worker takes jobs, else empty. `file_is_lost`: the run is stuck since its stored file is missing or damaged.
    """

    job: Job | None
    ahead: int
    oldest_at: datetime | None
    no_worker: str
    is_unfinished: bool
    is_stuck: bool
    file_is_lost: bool = False

    @property
    def place(self) -> int:
        """The position in the queue, from 1; 0 if the job is at work or there is none."""
        return self.ahead + 1 if self.is_unfinished and self.job is not None and self.job.state == Job.QUEUED else 0


def run_progress(run: Run) -> RunProgress:
    job = Job.objects.filter(name=CHECK_RUN, run=run).order_by("-pk").first()
    # Read the run after its job, and whole, since a job changes the run before it finishes; its task and team stay.
    columns = [column.name for column in Run._meta.concrete_fields if not column.is_relation]
    run.refresh_from_db(fields=[*columns, "decided_by"])
    waits = run.state == Run.RECEIVED
    goes_on = waits and job is not None and job.is_unfinished
    place = place_in_queue(job) if waits and job is not None and job.state == Job.QUEUED else Place(0, None)
    return RunProgress(
        job=job,
        ahead=place.ahead,
        oldest_at=place.oldest_at,
        no_worker=no_worker(job.queue) if goes_on and job is not None else "",
        is_unfinished=goes_on,
        is_stuck=waits and not goes_on,
        file_is_lost=waits and not goes_on and _is_lost(run),
    )


def _is_lost(run: Run) -> bool:
    return DamagedFile.objects.filter(name=run.file.name, restored_at=None).exists()


def shown_problems(run: Run) -> dict[str, Any]:
    """The problems of the last check for pages and mails, errors first: one entry for each rule."""
    shown = sorted(run.problems.all(), key=lambda problem: (problem.severity != RunProblem.ERROR, problem.pk))
    return {"shown": shown, "total": len(shown), "errors": run.error_count, "warnings": run.warning_count}


def finding_counts(run: Run) -> dict[str, int]:
    """How many rules the run breaks, by severity: `error_findings` and `warning_findings`."""
    broken = {(problem.severity, problem.code) for problem in run.problems.all()}
    severities = [severity for severity, _ in broken]
    return {f"{name}_findings": severities.count(name) for name in (RunProblem.ERROR, RunProblem.WARNING)}


def findings_in_words(run: Run) -> str:
    """The findings of the last check, errors first, each with its places; "no problems" where there is none."""
    problems = shown_problems(run)
    words = [counted_problems(problems, severity) for severity in (RunProblem.ERROR, RunProblem.WARNING)]
    return ", ".join(word for word in words if not word.startswith("0 ")) or "no problems"


def counted_problems(problems: Mapping[str, Any], severity: str) -> str:
    """The findings of one severity among the `shown_problems` of a run, or the stored problems of an import.

    Of an import they are as many as differ in more than the line; imports of earlier versions count each that is not kept.
    """
    shown = [problem if isinstance(problem, dict) else vars(problem) for problem in problems["shown"]]
    ones = [problem for problem in shown if problem["severity"] == severity]
    codes, places = [problem["code"] for problem in ones], problems[f"{severity}s"]
    if "by_code" not in problems:  # of a run
        return counted_in_words(severity, codes, places)
    unlisted = places - sum(problem.get("count", 1) for problem in ones)
    listed = problems.get("distinct", {}).get(severity, len(ones) + unlisted)
    on_lines = all(problem["line"] for problem in ones)
    return counted_in_words(severity, codes, places, on_lines=on_lines, listed=listed)


def other_attempts(user: Visitor, run: Run) -> QuerySet[Run]:
    """The same team's other submissions under the same tag, newest first."""
    visible = Run.objects.visible_to(user).filter(task=run.task_id, team=run.team_id, tag=run.tag)
    return visible.exclude(pk=run.pk).order_by("-attempt")
