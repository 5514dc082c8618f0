from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO, cast

import polars as pl
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.utils import timezone

from campaign.formats.runs.check import RUN_LIMITS, RunCheck, check_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.runs.table import RUN_SCHEMA, run_table_from_parquet
from campaign.models import Allowance, Job, Run, Task, Team, Visitor
from campaign.models.fields import zone_named
from campaign.selectors.agreements import missing_agreements
from campaign.selectors.documents import known_docnos
from campaign.selectors.operations import Place, no_worker, place_in_queue
from campaign.selectors.tasks import accepts_runs_until, closing_time, later
from campaign.selectors.topics import topic_numbers

CHECK_RUN = "check run"


@dataclass(frozen=True, slots=True)
class Quota:
    """What a team may still submit to a task. `closed`: what keeps the task from taking its runs now, in words."""

    team: Team
    used: int
    most: int
    closes_at: datetime | None
    closed: str

    @property
    def left(self) -> int:
        return max(0, self.most - self.used)

    @property
    def has_room(self) -> bool:
        return bool(self.left) and not self.closed


def quota(task: Task, team: Team) -> Quota:
    used = Run.objects.counting().filter(task=task, team=team).count()
    allowance = Allowance.objects.filter(task=task, team=team).first() or Allowance()
    closes_at = later(task.closes_at, allowance.closes_at)
    return Quota(
        team=team,
        used=used,
        most=task.max_runs_per_team + allowance.extra_runs,
        closes_at=closes_at,
        closed=_why_closed(task, closes_at, timezone.now()),
    )


def own_quotas(user: Visitor, task: Task) -> list[Quota]:
    """Of each team that the user may submit for."""
    return [quota(task, team) for team in Team.objects.taking_part(user, task.campaign)]


def upload_rules(task: Task, quotas: list[Quota]) -> dict[str, object]:
    """What a page says to those who are about to upload: until when, how many, and why not."""
    return {
        "zone": zone_named(task.campaign.time_zone),
        "quotas": quotas,
        "may_upload": any(quota.has_room for quota in quotas),
        "lacking": [quota.team for quota in quotas if missing_agreements(quota.team, task.campaign).exists()],
        "refusals": [words for quota in quotas if (words := _why_no_room(quota, is_only_one=len(quotas) == 1))],
    }


def _why_no_room(quota: Quota, *, is_only_one: bool) -> str:
    if quota.closed:
        return quota.closed if is_only_one else f"{quota.team}: {quota.closed}"
    if not quota.left:
        used_up = f"{quota.team} has used up its quota, {quota.used} of {quota.most} runs."
        return f"{used_up} Replace or withdraw one of them; rejected and withdrawn runs do not count."
    return ""


def why_no_runs(task: Task, now: datetime | None = None, team: Team | None = None) -> str:
    """What keeps the task from taking runs, those of one team or all; empty when nothing does."""
    return _why_closed(task, closing_time(task, team), now or timezone.now())


def _why_closed(task: Task, closes_at: datetime | None, now: datetime) -> str:
    if accepts_runs_until(task, closes_at, now):
        return ""
    if task.campaign.opened_at is None or task.phase == Task.SETUP:
        return "This task is not open yet."
    zone = task.campaign.time_zone
    if task.opens_at is not None and now < task.opens_at:
        return f"This task takes runs from {task.opens_at.astimezone(zone_named(zone)):%-d %b %Y, %H:%M} {zone} on."
    if closes_at is not None:
        there = closes_at.astimezone(zone_named(zone))
        return f"The deadline was {there:%-d %b %Y, %H:%M} {zone}. Ask the organisers if you need more time."
    return "This task takes no more runs."


def task_runs(task: Task) -> QuerySet[Run]:
    return Run.objects.filter(task=task).select_related("team", "submitted_by")


def counting_rules(task: Task) -> RunRules:
    """The rules that decide which lines of a run count; the others only decide whether the run does."""
    topics = frozenset(topic_numbers(task)) or None
    return RunRules(topics=topics, max_documents_per_topic=task.max_documents_per_topic)


def run_rules(task: Task, tag: str) -> RunRules:
    return replace(
        counting_rules(task),
        docnos=known_docnos(task),
        docno_pattern=task.docno_pattern or None,
        tag=tag,
        tag_pattern=task.tag_pattern,
        severities=task.rule_severities,
    )


def run_check(run: Run) -> RunCheck:
    """Read the run's file under the task's rules."""
    return _read(run, run_rules(run.task, run.tag))


def run_table(run: Run, columns: Sequence[str] = tuple(RUN_SCHEMA)) -> pl.DataFrame:
    """The lines of a valid run: topic, docno, rank, score. From the cached table; from the file if that is gone."""
    if run.table.name and default_storage.exists(run.table.name):
        with default_storage.open(run.table.name) as source:
            return run_table_from_parquet(source.read(), columns)
    rules = counting_rules(run.task)
    # The maximum may have changed since, and with it what was pooled and scored.
    table = _read(run, replace(rules, max_documents_per_topic=run.depth or rules.max_documents_per_topic)).table
    if table is None:
        raise ValueError(f"The stored file of run {run.pk} cannot be read as a run.")
    return table.select(columns)


def sent_file(run: Run) -> "File[bytes]":
    """The bytes as they were sent: they have the checksum of the receipt. ValidationError when the storage lost them."""
    try:
        return default_storage.open(str(run.file.name))
    except FileNotFoundError as problem:
        raise ValidationError("The stored file of this run is missing. Tell the operator of the site.") from problem


def _read(run: Run, rules: RunRules) -> RunCheck:
    # What the upload let through must not be too large here.
    limits = replace(RUN_LIMITS, max_bytes=max(RUN_LIMITS.max_bytes, settings.UPLOAD_LIMIT_BYTES))
    with default_storage.open(str(run.file.name)) as source:
        return check_run(cast(BinaryIO, source), rules, limits)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How the check of a run goes on. `is_stuck`: the run waits for a check that does not come.

    `ahead`: jobs at work or waiting before it, `oldest_at`: since when the oldest of them; `no_worker`: that none is taken.
    """

    job: Job | None
    ahead: int
    oldest_at: datetime | None
    no_worker: str
    is_unfinished: bool
    is_stuck: bool

    @property
    def place(self) -> int:
        """In the queue, from 1; 0 when the job is taken or there is none."""
        return self.ahead + 1 if self.is_unfinished and self.job is not None and self.job.state == Job.QUEUED else 0


def run_progress(run: Run) -> RunProgress:
    job = Job.objects.filter(name=CHECK_RUN, run=run).order_by("-pk").first()
    # Read after the job: one that is over by now has left its mark on the run before.
    fields = ["state", "state_changed_at", "lines", "topics_answered", "error_count", "warning_count"]
    run.refresh_from_db(fields=[*fields, "decision", "decision_reason", "decided_by", "metadata", "metadata_problem"])
    waits = run.state == Run.RECEIVED
    goes_on = waits and job is not None and job.is_unfinished
    place = place_in_queue(job) if waits and job is not None and job.state == Job.QUEUED else Place(0, None)
    return RunProgress(
        job=job,
        ahead=place.ahead,
        oldest_at=place.oldest_at,
        no_worker=no_worker() if goes_on else "",
        is_unfinished=goes_on,
        is_stuck=waits and not goes_on,
    )


def shown_problems(run: Run) -> dict[str, object]:
    """What the last check found, as the template of problems wants it: one entry for each rule and severity."""
    shown = list(run.problems.all())
    return {"shown": shown, "total": len(shown), "errors": run.error_count, "warnings": run.warning_count}


def other_attempts(user: Visitor, run: Run) -> QuerySet[Run]:
    """The same team's other submissions under the same tag, newest first."""
    visible = Run.objects.visible_to(user).filter(task=run.task_id, team=run.team_id, tag=run.tag)
    return visible.exclude(pk=run.pk).order_by("-attempt")
