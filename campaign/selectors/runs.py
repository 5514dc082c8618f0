from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO, cast

import polars as pl
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.utils import timezone

from campaign.formats.problems import SHOWN_LIMIT
from campaign.formats.runs import RUN_LIMITS, RUN_SCHEMA, RunCheck, RunRules, check_run, run_table_from_parquet
from campaign.models import Job, Run, Task, Team, Visitor
from campaign.models.fields import zone_named
from campaign.permissions import is_assessor, is_organiser, is_participant
from campaign.selectors.documents import docnos
from campaign.selectors.tasks import accepts_runs
from campaign.selectors.topics import topic_numbers
from campaign.tasking import job_key

CHECK_JOB = "campaign.run_tasks.check_run"
READABLE = RunRules(max_documents_per_topic=2**31, tag_pattern=".+")
"""For runs that were accepted once: the task's rules may have changed since, and that must not lose the run."""


@dataclass(frozen=True, slots=True)
class Quota:
    team: Team
    used: int
    most: int

    @property
    def left(self) -> int:
        return max(0, self.most - self.used)


def quota(task: Task, team: Team) -> Quota:
    used = Run.objects.counting().filter(task=task, team=team).count()
    return Quota(team=team, used=used, most=task.max_runs_per_team)


def own_quotas(user: Visitor, task: Task) -> list[Quota]:
    """Of each team that the user may submit for."""
    teams = Team.objects.of(user).filter(registrations__campaign=task.campaign_id)
    return [quota(task, team) for team in teams]


def require_run_reader(user: Visitor, task: Task) -> None:
    """The list of runs is for organisers and participants; a task's page says the rest to everybody else."""
    if is_organiser(user, task.campaign) or is_participant(user, task.campaign):
        return
    if is_assessor(user, task.campaign):
        raise PermissionDenied("Assessors judge without knowing the runs.")
    raise Http404


def why_no_runs(task: Task, now: datetime | None = None) -> str:
    """What keeps the task from taking runs; empty when nothing does."""
    now = now or timezone.now()
    if accepts_runs(task, now):
        return ""
    if task.campaign.opened_at is None or task.phase == Task.SETUP:
        return "This task is not open yet."
    zone = task.campaign.time_zone
    if task.opens_at is not None and now < task.opens_at:
        return f"This task takes runs from {task.opens_at.astimezone(zone_named(zone)):%-d %b %Y, %H:%M} {zone} on."
    if task.closes_at is not None:
        there = task.closes_at.astimezone(zone_named(zone))
        return f"The deadline was {there:%-d %b %Y, %H:%M} {zone}. Ask the organisers if you need more time."
    return "This task takes no more runs."


def task_runs(task: Task) -> QuerySet[Run]:
    return Run.objects.filter(task=task).select_related("team", "submitted_by")


def listed_runs(user: Visitor, task: Task) -> QuerySet[Run]:
    """What the reader may see; `is_superseded` says that the tag's own address leads to a newer submission."""
    newer = Run.objects.filter(task=OuterRef("task"), tag=OuterRef("tag"), attempt__gt=OuterRef("attempt"))
    visible = Run.objects.visible_to(user).filter(task=task)
    return visible.select_related("team", "submitted_by").annotate(is_superseded=Exists(newer))


def run_rules(task: Task, tag: str) -> RunRules:
    return RunRules(
        topics=frozenset(topic_numbers(task)),
        max_documents_per_topic=task.max_documents_per_topic,
        all_topics_required=task.all_topics_required,
        docnos=docnos(task),
        tag=tag,
        tag_pattern=task.tag_pattern,
    )


def run_check(run: Run) -> RunCheck:
    """Read the run's file under the task's rules."""
    return _read(run, run_rules(run.task, run.tag))


def run_table(run: Run, columns: Sequence[str] = tuple(RUN_SCHEMA)) -> pl.DataFrame:
    """The lines of a valid run: topic, docno, rank, score. From the cached table; from the file if that is gone."""
    if run.table.name and default_storage.exists(run.table.name):
        with default_storage.open(run.table.name) as source:
            return run_table_from_parquet(source.read(), columns)
    table = _read(run, READABLE).table
    if table is None:
        raise ValueError(f"The stored file of run {run.pk} cannot be read as a run.")
    return table.select(columns)


def _read(run: Run, rules: RunRules) -> RunCheck:
    # What the upload let through must not be too large here.
    limits = replace(RUN_LIMITS, max_bytes=max(RUN_LIMITS.max_bytes, settings.UPLOAD_LIMIT_BYTES))
    with default_storage.open(str(run.file.name)) as source:
        return check_run(cast(BinaryIO, source), rules, limits)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How the check of a run goes on. `is_stuck`: the run waits for a check that does not come."""

    job: Job | None
    place: int
    is_unfinished: bool
    is_stuck: bool


def run_progress(run: Run) -> RunProgress:
    job = Job.objects.filter(name=CHECK_JOB, key=job_key({"run_id": run.pk})).order_by("-pk").first()
    # Read after the job: one that is over by now has left its mark on the run before.
    run.refresh_from_db(
        fields=["state", "state_changed_at", "lines", "topics_answered", "error_count", "warning_count"]
    )
    waits = run.state == Run.RECEIVED
    goes_on = job is not None and job.is_unfinished
    place = 0
    if job is not None and job.state == Job.QUEUED:
        place = Job.objects.filter(state=Job.QUEUED, pk__lte=job.pk).count()
    return RunProgress(job=job, place=place, is_unfinished=waits and goes_on, is_stuck=waits and not goes_on)


def stuck_runs(runs: Iterable[Run]) -> set[int]:
    """Which of these runs wait for a check that does not come, by one query for all of them."""
    waiting = {job_key({"run_id": run.pk}): run.pk for run in runs if run.state == Run.RECEIVED}
    going_on = Job.objects.filter(name=CHECK_JOB, key__in=waiting, state__in=[Job.QUEUED, Job.WORKING])
    return set(waiting.values()) - {waiting[key] for key in going_on.values_list("key", flat=True)}


def shown_problems(run: Run) -> dict[str, object]:
    """What the last check found, as the template of problems wants it."""
    shown = list(run.problems.all())
    nothing_left_out = len(shown) < SHOWN_LIMIT  # one problem may stand for many topics or lines
    return {
        "shown": shown,
        "total": len(shown) if nothing_left_out else run.problem_count,
        "errors": run.error_count,
        "warnings": run.warning_count,
    }


def other_attempts(user: Visitor, run: Run) -> QuerySet[Run]:
    """The same team's other submissions under the same tag, newest first."""
    visible = Run.objects.visible_to(user).filter(task=run.task_id, team=run.team_id, tag=run.tag)
    return visible.exclude(pk=run.pk).order_by("-attempt")
