"""Qrels: released from what was judged here, or imported from a file. Each release is a new version and is never changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import polars as pl
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from campaign.formats.qrels.table import SAMPLED_BY, write_qrels
from campaign.log.audit import audit
from campaign.models import Task, User
from campaign.permissions import locked_organised_task_or_404, locked_task_or_404
from campaign.runs.selectors.residual import residual
from campaign.setup.services.tasks import task_advance
from campaign.storage import StoredFile, store
from campaign.text.plurals import number_of
from campaign.web.daily_limits import require_few_rows
from judging.core.resolution import LATEST, OVER, POLICIES, UNGRADED_AS, UNJUDGED_AS, as_released
from judging.core.set_names import DEFAULT
from judging.events import qrels_released
from judging.judgments.selectors.at_revision import AsOf, last_acts
from judging.models import Adjudication, Judgment, Qrels
from judging.qrels.selectors.manifests import make_manifest, what_a_release_rests_on
from judging.qrels.selectors.qrels_sets import assessor_set_name, newest_version, set_named
from judging.qrels.selectors.releases import (
    Draft,
    latest_qrels,
    release_draft,
    topics_that_tell_nothing,
    with_no_subtopic,
)
from pooling.core.duplicates.standing import twins_file
from pooling.models import Pool

SHOWN = 20
"""Pairs that a refusal names one by one."""
MOST_RELEASES_A_DAY = 100
"""Of a task: each keeps its files, and has all runs scored."""
WHAT = "versions of the qrels of this task"
CHECKSUMS = ("sha256", "subtopic_sha256", "sample_sha256", "twins_sha256")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the grades made here come from that are released together with those of a file.

    `without_grade`: pairs of either side that have no grade. `rests_on`: for the manifest.
    """

    pool: Pool
    policy: str
    twins: pl.DataFrame | None
    without_grade: int
    rests_on: Mapping[str, Any]


@transaction.atomic
def qrels_release(
    *,
    actor: User,
    task: Task,
    pool: Pool,
    policy: str = LATEST,
    adjudicated: bool = False,
    note: str = "",
    leave_undecided: bool = False,
    not_scored: Sequence[str] = (),
    assessor: User | None = None,
    **ungraded: str,
) -> Qrels:
    """Release the current judgments. Topics without a single grade are left out; unfinished ones are allowed.

    Of a sampled pool the sample is released too, unless nothing is judged of some stratum, which estimators refuse. Where one
    document is judged for its near-identical ones, these take its grade if nobody judged them, and the classes are released.
    Pairs that were graded, but get no grade by the policy, prevent the release unless `leave_undecided`: they are then
    released as not judged. Runs are not scored on the topics `not_scored`, whose judgments are released all the same.
    If `adjudicated`, what adjudicators decided stands before the policy. `ungraded`: what becomes of pairs without a grade,
    `cannot_judge_as` of `UNGRADED_AS` and `unjudged_as` of `UNJUDGED_AS`. `assessor`: this person's only, into an own set.
    """
    _require_known(task, pool, policy, **ungraded)
    locked = locked_organised_task_or_404(actor, task)
    _hold_judgments()
    policy = OVER + policy if adjudicated else policy
    by = None if assessor is None else assessor.pk
    draft = release_draft(pool, policy, assessor=by)
    _require_grades(draft, policy, leave_undecided)
    return _release(
        actor,
        locked,
        **_parts_of(draft, ungraded),
        **_named(task, assessor, source=Qrels.JUDGED, policy=policy, pool=pool),
        rests_on=what_a_release_rests_on(pool, adjudicated, assessor=by),
        topics_not_scored=not_scored,
        note=note,
    )


@transaction.atomic
def newest_acts(task: Task) -> AsOf:
    """The newest judgment and decision of a task; none with a smaller number can still be stored."""
    _hold_judgments()
    return last_acts(task)


def _hold_judgments() -> None:
    """Until the end of the transaction nothing is judged or decided, so that the last act named is the last one read.

    Acts whose transactions are still open are waited for; those that come meanwhile wait. SQLite has one writer at a time anyway.
    """
    if connection.vendor == "postgresql":
        tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in (Judgment, Adjudication))
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {tables} IN SHARE MODE")


def _named(task: Task, assessor: User | None, **values: Any) -> dict[str, Any]:
    """These values of a version, and the name of its set."""
    return {**values, "set_name": DEFAULT if assessor is None else assessor_set_name(task, assessor)}


def _parts_of(draft: Draft, ungraded: Mapping[str, str]) -> dict[str, Any]:
    """What a release takes from the draft: its tables, and how many pooled pairs have no grade."""
    sample, by_subtopic = draft.sample, draft.subtopic_table
    return {
        "table": as_released(with_no_subtopic(draft.released), **ungraded),
        "subtopic_table": None if by_subtopic is None else as_released(by_subtopic, **ungraded),
        "sample": sample.table if sample is not None and not sample.waiting else None,
        "twins": draft.twins,
        "unjudged_count": draft.table.height - draft.judged,
        **ungraded,
    }


def _require_known(task: Task, pool: Pool, policy: str, cannot_judge_as: str = "-2", unjudged_as: str = "-1") -> None:
    if pool.task_id != task.pk:
        raise ValidationError(f"Pool {pool.version} belongs to another task.")
    if policy not in POLICIES:
        raise ValidationError(f"There is no policy “{policy}”: use {', '.join(POLICIES)}.")
    if cannot_judge_as not in UNGRADED_AS or unjudged_as not in UNJUDGED_AS:
        raise ValidationError(
            f"Pairs without a grade are released as {', '.join(UNGRADED_AS)}; unjudged ones never as -2."
        )


def _require_grades(draft: Draft, policy: str, leave_undecided: bool) -> None:
    if not draft.topics and not draft.undecided:
        raise ValidationError("Nothing is judged yet: qrels need at least one grade.")
    if not draft.topics:
        raise ValidationError(
            f"By {policy} no document gets a grade. Have documents judged by more assessors, or choose another policy."
        )
    if draft.undecided and not leave_undecided:
        raise ValidationError(_undecided(draft.undecided, policy))


@transaction.atomic
def qrels_import(
    *,
    actor: User,
    task: Task,
    table: pl.DataFrame,
    subtopic_table: pl.DataFrame | None = None,
    sample: pl.DataFrame | None = None,
    note: str = "",
    score_all_topics: bool = True,
    file: Mapping[str, Any] | None = None,
    merged: Origin | None = None,
    set_name: str = DEFAULT,
) -> Qrels:
    """Release checked qrels of a file (topic, docno, grade, with subtopics in a table of their own) as the task's next version.

    `sample`: the same with the stratum or the probability of each document, if the file has five columns. Without
    `score_all_topics` runs are not scored on topics without a relevant document. `file`: what the manifest says of it. `merged`:
    of tables that hold grades made here as well, where these come from. `set_name`: what was judged, if not relevance.
    """
    locked = locked_task_or_404(task)  # of a job, whose actor may have lost the role since they asked
    lowest = locked.lowest_relevant_grade
    if table.filter(pl.col("grade") >= 0).is_empty():
        raise ValidationError("The file holds no grade of 0 or above: there is nothing to score runs with.")
    return _release(
        actor,
        locked,
        with_no_subtopic(table),
        subtopic_table,
        set_name=set_named(locked, set_name),
        source=Qrels.MERGED if merged else Qrels.IMPORTED,
        sample=sample,
        twins=merged.twins if merged else None,
        policy=merged.policy if merged else "as imported",
        pool=merged.pool if merged else None,
        unjudged_count=merged.without_grade if merged else table.filter(pl.col("grade") < 0).height,
        topics_not_scored=[] if score_all_topics else list(topics_that_tell_nothing(table, lowest)),
        rests_on={**(merged.rests_on if merged else {}), **({"imported_file": dict(file)} if file else {})},
        note=note,
    )


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
    sample: pl.DataFrame | None,
    twins: pl.DataFrame | None = None,
    topics_not_scored: Sequence[str],
    rests_on: Mapping[str, Any] | None = None,
    set_name: str,
    **values: Any,
) -> Qrels:
    require_few_rows(Qrels.objects.filter(task=task), "released_at", {"released_by": actor}, MOST_RELEASES_A_DAY, WHAT)
    table = residual(task, table)
    others = [None if one is None else residual(task, one) for one in (subtopic_table, sample)]
    files = {**stored_tables(table, *others), **stored_twins(twins)}
    graded = _graded(table)
    topics, left_out = _scored_topics(graded["topic"].unique().to_list(), topics_not_scored)
    latest = latest_qrels(task, set_name)
    checksums = tuple(files[name] for name in CHECKSUMS)
    if latest is not None and _says(latest) == (checksums, topics):
        raise ValidationError(f"Nothing has changed since {latest}: these would be the same qrels.")
    qrels = Qrels(
        task=task,
        set_name=set_name,
        version=newest_version(task) + 1,
        topics=topics,
        topics_not_scored=left_out,
        **_counts(graded, task.lowest_relevant_grade),
        released_by=actor,
        **files,
        **values,
    )
    _save(qrels, make_manifest(qrels, table, rests_on or {}))
    _log(actor, qrels)
    if set_name == DEFAULT:  # judgments of something else end no judging of relevance
        task_advance(actor=actor, task=task, phase=Task.SCORES)
    qrels_released.send(sender=Qrels, qrels=qrels)
    return qrels


def _graded(table: pl.DataFrame) -> pl.DataFrame:
    graded = table.filter(pl.col("grade") >= 0)
    if graded.is_empty():
        raise ValidationError("Every judged pair was judged in an earlier round: nothing is left to score runs with.")
    return graded


def _save(qrels: Qrels, manifest: bytes) -> None:
    stored = store_bytes(manifest, suffix=".json")
    qrels.manifest_file, qrels.manifest_sha256 = stored.name, stored.sha256
    qrels.full_clean()
    qrels.save()


def _counts(graded: pl.DataFrame, lowest: int) -> dict[str, Any]:
    return {
        "judgment_count": graded.height,
        "relevant_count": graded.filter(pl.col("grade") >= lowest).height,
        "highest_grade": max(graded["grade"].unique().to_list(), default=None),
        "lowest_relevant_grade": lowest,
    }


def _log(actor: User, qrels: Qrels) -> None:
    audit(
        actor,
        "released",
        qrels,
        campaign=qrels.task.campaign,
        version=qrels.version,
        **({"set": qrels.set_name} if qrels.set_name else {}),
        source=qrels.source,
        policy=qrels.policy,
        manifest_sha256=qrels.manifest_sha256,
        sha256=qrels.sha256,
        sampled_by=qrels.sampled_by,
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


def _says(qrels: Qrels) -> tuple[tuple[str, ...], list[str]]:
    return tuple(getattr(qrels, name) for name in CHECKSUMS), qrels.topics


def stored_tables(
    table: pl.DataFrame, subtopic_table: pl.DataFrame | None, sample: pl.DataFrame | None
) -> dict[str, str]:
    """Store the tables, and return the values of the columns that name the files."""
    stored = store_bytes(write_qrels(table))
    files = {"file": stored.name, "sha256": stored.sha256, "subtopic_sha256": "", "sample_sha256": ""}
    if subtopic_table is not None and subtopic_table.height:
        subtopics = store_bytes(write_qrels(subtopic_table))
        files |= {"subtopic_file": subtopics.name, "subtopic_sha256": subtopics.sha256}
    if sample is not None:
        sampled_by = next(name for name in SAMPLED_BY if name in sample.columns)
        by_document = store_bytes(write_qrels(sample))
        files |= {"sampled_by": sampled_by, "sample_file": by_document.name, "sample_sha256": by_document.sha256}
    return files


def stored_twins(twins: pl.DataFrame | None) -> dict[str, str]:
    """The same of the classes of near-identical documents."""
    if twins is None:
        return {"twins_sha256": ""}
    stored = store_bytes(twins_file(twins))
    return {"twins_file": stored.name, "twins_sha256": stored.sha256}


def store_bytes(content: bytes, suffix: str = ".txt") -> StoredFile:
    return store(BytesIO(content), folder="qrels", suffix=suffix)
