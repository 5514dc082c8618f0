"""A run's way in: submitted, checked by a job, accepted or rejected; withdrawn by its team.

States move by conditional UPDATEs, so that a job that runs twice moves a run once.
"""

import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import PurePath
from typing import Any, BinaryIO

import polars as pl
from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from campaign import tasking
from campaign.events import run_accepted
from campaign.formats.problems import Problem
from campaign.formats.runs import RunCheck, run_table_to_parquet
from campaign.models import Membership, Run, RunProblem, Task, Team, User
from campaign.permissions import is_organiser
from campaign.selectors.runs import CHECK_JOB, quota, why_no_runs
from campaign.selectors.tasks import accepts_runs
from campaign.services.audit import audit
from campaign.storage import FileTooLargeError, StoredFile, store

RESERVED_TAGS = frozenset({"new", ".", ".."})
"""A run's tag is a step of its page's address: these would lead elsewhere."""


def run_submit(
    *,
    actor: User,
    task: Task,
    team: Team,
    tag: str,
    file: "BinaryIO | File[bytes]",
    file_name: str,
    kind: str = Run.AUTOMATIC,
    priority: int = 1,
    description: str = "",
) -> Run:
    """Take a run in and have it checked; ValidationError, and nothing stored in the database, when it cannot be taken."""
    _require_submission(actor, task, team, tag)
    stored = _store(file)
    with transaction.atomic():
        # The lock makes the uploads of a task wait for each other, so that none overlooks another in the quota.
        locked = Task.objects.select_for_update(of=("self",), no_key=True).select_related("campaign").get(pk=task.pk)
        _require_submission(actor, locked, team, tag)
        run = _create(
            locked, team, tag, stored, file_name, actor, kind=kind, priority=priority, description=description
        )
        audit(actor, "submit", run, campaign=task.campaign, tag=tag, team=team.name, sha256=run.sha256, size=run.size)
        tasking.enqueue(CHECK_JOB, run_id=run.pk)
    return run


def run_finish_check(*, run: Run, check: RunCheck) -> bool:
    """Write down what the check found and move the run to valid or rejected; whether this call was the one to do it."""
    problems = check.problems
    accepted = problems.ok and check.table is not None
    table = _store_table(run, check.table) if accepted and check.table is not None else ""
    with transaction.atomic():
        moved = _move(
            run,
            [Run.RECEIVED],
            state=Run.VALID if accepted else Run.REJECTED,
            table=table,
            lines=check.lines,
            topics_answered=check.topics,
            error_count=problems.errors,
            warning_count=problems.warnings,
        )
        if moved:
            _replace_problems(run, problems.shown)
            audit(None, run.state, run, campaign=run.task.campaign, problems=problems.total)
            if accepted:
                run_accepted.send(sender=Run, run=run)
    return moved


def run_withdraw(*, actor: User, run: Run) -> None:
    """Take a run back: it is scored and pooled no more, and its tag and its place in the quota are free again.

    Its team can do this for as long as the task takes runs, an organiser at any time.
    """
    with transaction.atomic():
        if not accepts_runs(run.task) and not is_organiser(actor, run.task.campaign):
            raise ValidationError("The task takes no runs any more: ask an organiser to withdraw this one.")
        if not _move(run, [Run.RECEIVED, Run.VALID], state=Run.WITHDRAWN):
            raise ValidationError(f"This run is {run.get_state_display()} already and does not count.")
        audit(actor, "withdraw", run, campaign=run.task.campaign, tag=run.tag)


def run_check_again(*, actor: User, run: Run) -> None:
    """Have a run checked once more: it was waiting too long, or the task's topics or documents have changed."""
    with transaction.atomic():
        try:
            with transaction.atomic():
                moved = _move(run, [Run.RECEIVED, Run.VALID, Run.REJECTED], state=Run.RECEIVED)
        except IntegrityError as problem:
            raise ValidationError(f"“{run.tag}” was submitted again since: only the newer run can count.") from problem
        if not moved:
            raise ValidationError("A withdrawn run is not checked.")
        audit(actor, "check again", run, campaign=run.task.campaign, tag=run.tag)
        tasking.enqueue(CHECK_JOB, run_id=run.pk)


def _require_submission(actor: User, task: Task, team: Team, tag: str) -> None:
    """Everything that speaks against a submission, told at once."""
    found: dict[str, list[str]] = {}
    for field, message in _objections(actor, task, team, tag):
        found.setdefault(field, []).append(message)
    if found:
        raise ValidationError(found)


def _objections(actor: User, task: Task, team: Team, tag: str) -> Iterator[tuple[str, str]]:
    if not Membership.objects.filter(team=team, user=actor).exists():
        yield "team", "You can submit only for a team that you are a member of."
    elif not team.registrations.filter(campaign=task.campaign_id).exists():
        yield "team", f"{team} is not registered for this campaign. Register it on the campaign's page."
    elif not quota(task, team).left:
        used_up = f"{team} has used up its quota, {task.max_runs_per_team} of {task.max_runs_per_team} runs."
        yield NON_FIELD_ERRORS, f"{used_up} Withdraw one first; rejected and withdrawn runs do not count."
    if not _is_tag(task, tag):
        yield "tag", f"“{tag}” is no run tag here. Tags follow the pattern {task.tag_pattern}, for example bm25-title."
    elif Run.objects.counting().filter(task=task, tag=tag).exists():
        yield "tag", _tag_taken(tag)
    closed = why_no_runs(task)
    if closed:
        yield NON_FIELD_ERRORS, closed


def _is_tag(task: Task, tag: str) -> bool:
    if tag in RESERVED_TAGS or "/" in tag or tag.split() != [tag]:
        return False
    return re.fullmatch(task.tag_pattern, tag) is not None


def _tag_taken(tag: str) -> str:
    return f"This task has a run “{tag}” already. Choose another tag, or withdraw that run first if it is yours."


def _store(file: "BinaryIO | File[bytes]") -> StoredFile:
    try:
        return store(file, folder="runs", limit=settings.UPLOAD_LIMIT_BYTES)
    except FileTooLargeError as problem:
        raise ValidationError({"file": str(problem)}) from problem


def _create(task: Task, team: Team, tag: str, stored: StoredFile, file_name: str, actor: User, **values: Any) -> Run:
    last = Run.objects.filter(task=task, tag=tag).aggregate(last=Max("attempt"))["last"] or 0
    run = Run(
        task=task,
        team=team,
        tag=tag,
        attempt=last + 1,
        file=stored.name,
        file_name=PurePath(file_name).name[-200:] or tag,
        size=stored.size,
        sha256=stored.sha256,
        submitted_by=actor,
        **values,
    )
    run.full_clean()
    try:
        with transaction.atomic():
            run.save()
    except IntegrityError as problem:  # another upload of the same tag was a moment quicker
        raise ValidationError({"tag": _tag_taken(tag)}) from problem
    too_late = why_no_runs(task, run.submitted_at)  # the receipt's own time decides
    if too_late:
        raise ValidationError(too_late)
    return run


def _store_table(run: Run, table: pl.DataFrame) -> str:
    return store(BytesIO(run_table_to_parquet(table)), folder="tables", suffix=".parquet").name


def _replace_problems(run: Run, problems: Iterable[Problem]) -> None:
    run.problems.all().delete()
    RunProblem.objects.bulk_create(
        RunProblem(
            run=run,
            line=problem.line,
            code=problem.code,
            severity=problem.severity,
            message=problem.message,
            remedy=problem.remedy,
            excerpt=problem.excerpt,
        )
        for problem in problems
    )


def _move(run: Run, states: list[str], **changes: Any) -> bool:
    moved = Run.objects.filter(pk=run.pk, state__in=states).update(state_changed_at=timezone.now(), **changes) == 1
    run.refresh_from_db()
    return moved
