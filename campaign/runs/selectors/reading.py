from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO, cast

import polars as pl
from django.conf import settings
from django.core.files.base import File

from campaign.collection.selectors.documents import known_docnos
from campaign.collection.selectors.topics import topic_numbers, unscored_topics
from campaign.formats.runs.check import RUN_LIMITS, RunCheck, check_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.runs.table import RUN_SCHEMA
from campaign.models import DamagedFile, Run, Task
from campaign.runs.selectors.residual import residual
from campaign.runs.table_cache import kept_table, table_keep_again
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.reading import open_verified


def counting_rules(task: Task) -> RunRules:
    """Return the rules that decide which lines of a run count; all others only decide whether the run itself counts."""
    topics = frozenset(topic_numbers(task)) or None
    return RunRules(topics=topics, max_documents_per_topic=task.max_documents_per_topic, ordering=task.ordering)


def rules_of_task(task: Task) -> RunRules:
    """Return all that the task's settings ask of a run, whatever its tag, without the list of document numbers."""
    return replace(
        counting_rules(task),
        docno_pattern=task.docno_pattern or None,
        tag_pattern=task.tag_pattern,
        severities=task.rule_severities,
        unscored=unscored_topics(task),
    )


def run_rules(task: Task, tag: str) -> RunRules:
    return replace(rules_of_task(task), docnos=known_docnos(task), tag=tag)


def checked_run(run: Run) -> RunCheck:
    """Read the run's file under the task's rules."""
    return _read(run, run_rules(run.task, run.tag))


def run_table(run: Run, columns: Sequence[str] = tuple(RUN_SCHEMA)) -> pl.DataFrame:
    """The lines of a valid run (topic, docno, rank, score) that are pooled and scored.

    In a residual round these are the lines whose pairs no earlier round has judged.
    """
    return residual(run.task, sent_table(run, columns))


def sent_table(run: Run, columns: Sequence[str] = tuple(RUN_SCHEMA)) -> pl.DataFrame:
    """All lines of a valid run that were read, from its table, which is made anew if it is lost or damaged."""
    kept = kept_table(run, columns)
    if kept is not None:
        return kept
    table = counted_lines(run).table
    if table is None:
        raise ValueError(f"The stored file of run {run.pk} cannot be read as a run.")
    table_keep_again(run, table)
    return table.select(columns)


def counted_lines(run: Run, source: BinaryIO | None = None) -> RunCheck:
    """Read the file of a valid run for what counts of it, by the maximum of documents by which it was checked.

    `source`: its bytes, where they are not stored yet.
    """
    rules = counting_rules(run.task)
    # The maximum may have changed since, and with it what was pooled and scored.
    return _read(run, replace(rules, max_documents_per_topic=run.depth or rules.max_documents_per_topic), source)


def sent_file(run: Run, *, found_by: str) -> "File[Any]":
    """Open the file as it was sent, with the checksum of the receipt; DamagedFileError if the storage lost or changed it."""
    return open_verified(str(run.file.name), found_by=found_by)


def known_damage(run: Run) -> str:
    """What is wrong with the stored file of the run, as far as anybody has found out; empty if nothing is."""
    damaged = DamagedFile.objects.filter(name=str(run.file.name), restored_at=None).first()
    return str(DamagedFileError(damaged)) if damaged else ""


def _read(run: Run, rules: RunRules, source: BinaryIO | None = None) -> RunCheck:
    # A file that passed the upload must not be too large here.
    limits = replace(RUN_LIMITS, max_bytes=max(RUN_LIMITS.max_bytes, settings.UPLOAD_LIMIT_BYTES))
    if source is not None:
        return check_run(source, rules, limits)
    with sent_file(run, found_by="a reading of a run") as file:
        return check_run(cast(BinaryIO, file), rules, limits)
