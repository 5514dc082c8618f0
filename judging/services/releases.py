"""Qrels: released from what was judged here, or imported from a file. Each release is a new version and is never changed."""

from collections.abc import Sequence
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
from campaign.words import number_of
from judging.events import qrels_released
from judging.models import Qrels
from judging.resolution import LATEST, POLICIES
from judging.selectors.releases import latest_qrels, release_draft, topics_that_tell_nothing, with_no_subtopic
from pooling.models import Pool

SHOWN = 20
"""Pairs that a refusal names one by one."""


@transaction.atomic
def qrels_release(
    *,
    actor: User,
    task: Task,
    pool: Pool,
    policy: str = LATEST,
    note: str = "",
    leave_undecided: bool = False,
    not_scored: Sequence[str] = (),
) -> Qrels:
    """Release the current judgments. Topics without a single grade are left out; unfinished ones are allowed.

    Pairs that were graded, but get no grade by the policy, prevent the release unless `leave_undecided`: they are then
    released as not judged. Runs are not scored on the topics `not_scored`, whose judgments are released all the same.
    """
    if pool.task_id != task.pk:
        raise ValidationError(f"Pool {pool.version} belongs to another task.")
    if policy not in POLICIES:
        raise ValidationError(f"There is no policy “{policy}”: use {', '.join(POLICIES)}.")
    locked = _lock(task)
    draft = release_draft(pool, policy)
    if draft.undecided and not leave_undecided:
        raise ValidationError(_undecided(draft.undecided, policy))
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
        topics_not_scored=not_scored,
        note=note,
    )


@transaction.atomic
def qrels_import(
    *,
    actor: User,
    task: Task,
    table: pl.DataFrame,
    subtopic_table: pl.DataFrame | None = None,
    note: str = "",
    score_all_topics: bool = True,
) -> Qrels:
    """Release checked qrels of a file (topic, subtopic, docno, grade) as the task's next version.

    Without `score_all_topics` runs are not scored on topics that tell no runs apart.
    """
    locked = _lock(task)
    lowest = locked.lowest_relevant_grade
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
        topics_not_scored=[] if score_all_topics else list(topics_that_tell_nothing(table, lowest)),
        note=note,
    )


def _lock(task: Task) -> Task:
    return Task.objects.select_for_update().select_related("campaign").get(pk=task.pk)


def _undecided(pairs: Sequence[tuple[str, str]], policy: str) -> str:
    shown = ", ".join(f"{docno} (topic {topic})" for topic, docno in pairs[:SHOWN])
    more = f" and {len(pairs) - SHOWN:,} more" if len(pairs) > SHOWN else ""
    return (
        f"No grade by {policy} for {number_of(len(pairs), 'graded pair')}: {shown}{more}. Have more assessors judge, choose "
        "another policy, or release them as not judged."
    )


def _release(
    actor: User,
    task: Task,
    table: pl.DataFrame,
    subtopic_table: pl.DataFrame | None,
    *,
    topics_not_scored: Sequence[str],
    **values: Any,
) -> Qrels:
    stored = _store(table)
    subtopics = _store(subtopic_table) if subtopic_table is not None and subtopic_table.height else None
    subtopic_sha256 = subtopics.sha256 if subtopics else ""
    graded = table.filter(pl.col("grade") >= 0)
    topics, left_out = _scored_topics(graded["topic"].unique().to_list(), topics_not_scored)
    latest = latest_qrels(task)
    if latest is not None and _says(latest) == (stored.sha256, subtopic_sha256, topics):
        raise ValidationError(f"Nothing has changed since {latest}: these would be the same qrels.")
    qrels = Qrels(
        task=task,
        version=latest.version + 1 if latest else 1,
        file=stored.name,
        subtopic_file=subtopics.name if subtopics else "",
        subtopic_sha256=subtopic_sha256,
        sha256=stored.sha256,
        topics=topics,
        topics_not_scored=left_out,
        judgment_count=graded.height,
        relevant_count=graded.filter(pl.col("grade") >= task.lowest_relevant_grade).height,
        lowest_relevant_grade=task.lowest_relevant_grade,
        released_by=actor,
        **values,
    )
    qrels.full_clean()
    qrels.save()
    _log(actor, qrels)
    task_advance(actor=actor, task=task, phase=Task.SCORES)
    qrels_released.send(sender=Qrels, qrels=qrels)
    return qrels


def _log(actor: User, qrels: Qrels) -> None:
    audit(
        actor,
        "released",
        qrels,
        campaign=qrels.task.campaign,
        version=qrels.version,
        source=qrels.source,
        policy=qrels.policy,
        sha256=qrels.sha256,
        judgments=qrels.judgment_count,
        unjudged=qrels.unjudged_count,
        topics_not_scored=qrels.topics_not_scored,
    )


def _scored_topics(graded: Sequence[str], not_scored: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the topics that runs are scored on and those that are left out, each in byte order."""
    if unknown := sorted(set(not_scored) - set(graded)):
        raise ValidationError(f"There is no graded topic {', '.join(unknown)} that could be left out of the scores.")
    topics = sorted(set(graded) - set(not_scored))
    if not topics:
        raise ValidationError("No topic would be left to score runs on.")
    return topics, sorted(set(not_scored))


def _says(qrels: Qrels) -> tuple[str, str, list[str]]:
    return qrels.sha256, qrels.subtopic_sha256, qrels.topics


def _store(table: pl.DataFrame) -> StoredFile:
    return store(BytesIO(write_qrels(table)), folder="qrels", suffix=".txt")
