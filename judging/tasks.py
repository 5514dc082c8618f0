"""Jobs of the judging app: the way in of qrels that were judged elsewhere."""

from typing import Any, BinaryIO, cast

import polars as pl
from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.collection.selectors.documents import docnos
from campaign.collection.selectors.topics import topic_numbers
from campaign.collection.services.imports import PREVIEWED, import_finish, import_finish_check, import_refuse
from campaign.formats.problems import ProblemLog
from campaign.formats.qrels.read import QrelsRead, QrelsRules, read_qrels
from campaign.models import Import, Subtopic
from campaign.tasking import Progress, job
from judging.services.imports import APPLY_QRELS, CHECK_QRELS
from judging.services.releases import qrels_import


@job(CHECK_QRELS)
def check_qrels(progress: Progress, *, import_id: str) -> None:
    import_ = _import(import_id)
    if import_.state != Import.CHECKING:
        return
    progress.report(0, 0, "reading")
    read = _read(import_)
    import_finish_check(
        import_,
        format="subtopic qrels" if import_.options.get("subtopics") else "qrels",
        records=read.lines,
        preview=_preview(read),
        problems=read.problems,
    )


@job(APPLY_QRELS)
def apply_qrels(progress: Progress, *, import_id: str) -> None:
    import_ = _import(import_id)
    if import_.state != Import.APPLYING:
        return
    progress.report(0, 0, "importing")
    read = _read(import_)
    if read.table is None:
        import_refuse(import_, read.problems)
        return
    try:
        with transaction.atomic():
            _apply(import_, read.table)
            import_finish(import_)
    except ValidationError as refusal:
        problems = ProblemLog()
        for message in refusal.messages:
            problems.add("qrels_refused", message, "Discard this import.")
        import_refuse(import_, problems)


def _import(import_id: str) -> Import:
    return Import.objects.select_related("task__campaign", "created_by").get(pk=import_id, kind=Import.QRELS)


def _apply(import_: Import, table: pl.DataFrame) -> None:
    note = import_.options.get("note", "")
    values: dict[str, Any] = {"actor": import_.created_by, "task": import_.task, "note": note}
    if import_.options.get("subtopics"):
        # A document is as relevant to the topic as to the subtopic that it serves best.
        overall = table.group_by("topic", "docno").agg(pl.col("grade").max())
        qrels_import(table=overall, subtopic_table=table, **values)
    else:
        qrels_import(table=table, **values)


def _read(import_: Import) -> QrelsRead:
    task = import_.task
    has_subtopics = bool(import_.options.get("subtopics"))
    rules = QrelsRules(
        topics=frozenset(topic_numbers(task)),
        docnos=docnos(task),
        grades=frozenset(task.grades.values_list("value", flat=True)),
        subtopic=has_subtopics,
    )
    with import_.file.open("rb") as file:
        read = read_qrels(cast(BinaryIO, file), rules)
    if read.table is not None:
        _check_grades(read.table, read.problems)
        if has_subtopics:
            _check_subtopics(import_, read.table, read.problems)
    return read if read.problems.ok else QrelsRead(None, read.problems, read.lines, read.topics)


def _check_grades(table: pl.DataFrame, problems: ProblemLog) -> None:
    if table.filter(pl.col("grade") >= 0).is_empty():
        problems.add(
            "qrels_all_unjudged",
            "No line holds a grade of 0 or above.",
            "Send qrels with grades: -1 and -2 score no run.",
        )


def _check_subtopics(import_: Import, table: pl.DataFrame, problems: ProblemLog) -> None:
    known = set(Subtopic.objects.filter(topic__task=import_.task_id).values_list("topic__number", "number"))
    for topic, subtopic, count in table.group_by("topic", "subtopic").len().sort("topic", "subtopic").iter_rows():
        if (topic, subtopic) not in known:
            problems.add(
                "subtopic_unknown",
                f"Topic {topic} has no subtopic {subtopic} ({count} lines).",
                "Use the subtopic numbers of the task's topics.",
                times=count,
            )


def _preview(read: QrelsRead) -> list[dict[str, Any]]:
    if read.table is None:
        return []
    return read.table.head(PREVIEWED).to_dicts()
