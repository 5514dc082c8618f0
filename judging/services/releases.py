"""Qrels: released from what was judged here, or imported from a file. Each release is a new version and is never changed."""

from io import BytesIO
from typing import Any

import polars as pl
from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.audit import audit
from campaign.formats.qrels.table import write_qrels
from campaign.models import Task, User
from campaign.setup.services.tasks import task_advance
from campaign.storage import StoredFile, store
from judging.events import qrels_released
from judging.models import Qrels
from judging.resolution import POLICIES
from judging.selectors.releases import latest_qrels, release_draft, with_no_subtopic
from pooling.models import Pool


@transaction.atomic
def qrels_release(*, actor: User, task: Task, pool: Pool, policy: str = "latest", note: str = "") -> Qrels:
    """Release the current judgments. Topics without a single grade are left out; unfinished ones are allowed."""
    if pool.task_id != task.pk:
        raise ValidationError(f"Pool {pool.version} belongs to another task.")
    if policy not in POLICIES:
        raise ValidationError(f"There is no policy “{policy}”: use {' or '.join(POLICIES)}.")
    locked = _lock(task)
    draft = release_draft(pool, policy)
    if not draft.topics:
        raise ValidationError("Nothing is judged yet: qrels need at least one grade.")
    table = draft.table.filter(pl.col("topic").is_in(draft.topics))
    return _release(
        actor,
        locked,
        with_no_subtopic(table),
        draft.subtopic_table,
        source=Qrels.JUDGED,
        policy=policy,
        pool=pool,
        unjudged_count=draft.unjudged + draft.cannot_judge,
        note=note,
    )


@transaction.atomic
def qrels_import(
    *, actor: User, task: Task, table: pl.DataFrame, subtopic_table: pl.DataFrame | None = None, note: str = ""
) -> Qrels:
    """Release checked qrels of a file (topic, subtopic, docno, grade) as the task's next version."""
    locked = _lock(task)
    if table.filter(pl.col("grade") >= 0).is_empty():
        raise ValidationError("The file holds no grade of 0 or above: there is nothing to score runs with.")
    return _release(
        actor,
        locked,
        with_no_subtopic(table),
        subtopic_table,
        source=Qrels.IMPORTED,
        policy="as imported",
        pool=None,
        unjudged_count=table.filter(pl.col("grade") < 0).height,
        note=note,
    )


def _lock(task: Task) -> Task:
    return Task.objects.select_for_update().select_related("campaign").get(pk=task.pk)


def _release(actor: User, task: Task, table: pl.DataFrame, subtopic_table: pl.DataFrame | None, **values: Any) -> Qrels:
    stored = _store(table)
    subtopics = _store(subtopic_table) if subtopic_table is not None and subtopic_table.height else None
    subtopic_sha256 = subtopics.sha256 if subtopics else ""
    latest = latest_qrels(task)
    if latest is not None and (latest.sha256, latest.subtopic_sha256) == (stored.sha256, subtopic_sha256):
        raise ValidationError(f"Nothing has changed since {latest}: these would be the same qrels.")
    graded = table.filter(pl.col("grade") >= 0)
    qrels = Qrels(
        task=task,
        version=latest.version + 1 if latest else 1,
        file=stored.name,
        subtopic_file=subtopics.name if subtopics else "",
        subtopic_sha256=subtopic_sha256,
        sha256=stored.sha256,
        topics=sorted(graded["topic"].unique().to_list()),
        judgment_count=graded.height,
        relevant_count=graded.filter(pl.col("grade") > 0).height,
        released_by=actor,
        **values,
    )
    qrels.full_clean()
    qrels.save()
    audit(
        actor,
        "released",
        qrels,
        campaign=task.campaign,
        version=qrels.version,
        source=qrels.source,
        policy=qrels.policy,
        sha256=qrels.sha256,
        judgments=qrels.judgment_count,
        unjudged=qrels.unjudged_count,
    )
    task_advance(actor=actor, task=task, phase=Task.SCORES)
    qrels_released.send(sender=Qrels, qrels=qrels)
    return qrels


def _store(table: pl.DataFrame) -> StoredFile:
    return store(BytesIO(write_qrels(table)), folder="qrels", suffix=".txt")
