"""Qrels that were judged elsewhere: checked by a job, and released by another once an organiser confirms."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl
from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.collection.services.document_imports import Report
from campaign.collection.services.imports import (
    PREVIEWED,
    ImportJobs,
    encoding_of,
    import_file,
    import_finish,
    import_finish_check,
)
from campaign.collection.services.joint_imports import (
    Expected,
    RefusedTogetherError,
    apply_together,
    expected_with,
    give_up_together,
    stage_together,
)
from campaign.collection.services.topic_matching import MATCH_TOPICS, tell_of_topics, topics_asked_for, without_topics
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.qrels.grade_columns import word_grades
from campaign.formats.qrels.read import QRELS_LIMITS, QrelsRead, QrelsRules, read_qrels
from campaign.formats.qrels.table import QRELS_SCHEMA, SAMPLED_BY
from campaign.measures import measure_answers
from campaign.models import Import
from campaign.text.plurals import number_of
from judging.core.modes.declaration import QrelsFile
from judging.core.modes.registry import judging_mode
from judging.core.samples import strata_without_a_grade
from judging.core.set_names import DEFAULT
from judging.qrels.selectors.import_facts import import_facts, without_nonrelevant
from judging.qrels.selectors.releases import topics_that_tell_nothing
from judging.qrels.services.merged_imports import (
    ADJUDICATED,
    found_by,
    merge_asked,
    merge_at_check,
    merge_at_release,
    origin_of,
    set_of,
)
from judging.qrels.services.releases import qrels_import

GRADES_OF_OTHER_SETS = range(101)
"""Another set has a scale of its own, up to percentages: the grades of the task are those of relevance."""
LEAVE_OUT = "leave_out"
"""The option of an import that leaves topics without a relevant document out of the scores."""
REPEATED_OPTION = "repeated"
"""The option of an import that says which line counts of a pair that comes twice with different grades; a key of REPEATED."""
LISTED_OPTION = "listed"
"""The option of an import whose file lists relevant documents without grades, in two columns or by their passages."""
GRADE_WORDS = "grade_words"
"""The option of an import that names the grade of each word, as `word_grades` reads it; so what the check found: the words."""
GRADE_COLUMN = "grade_column"
"""The option of an import that says which column holds the grade, as a text; one of GRADE_COLUMNS."""
OF_ALL_KINDS = (LEAVE_OUT, ADJUDICATED, MATCH_TOPICS, LISTED_OPTION)
"""Ticks that name no kind of file."""
MISSING_GRADES = "missing_grades"
"""What the check found: the grades of the file that the scale of the task lacks."""
STRATA_SHOWN = 20
QRELS_JOBS = ImportJobs(check="check qrels", apply="apply qrels")


def qrels_check(import_: Import) -> None:
    kind, expected = _kind_of_file(import_), expected_with(import_)
    read = _read(import_, kind, expected)
    found: dict[str, Any] = {MISSING_GRADES: sorted(read.grades_off_scale)} if read.grades_off_scale else {}
    if read.grade_words:
        found[GRADE_WORDS] = sorted(read.grade_words)
    if kind is not None and read.table is not None:
        tables = kind.tables(read.table.select(list(QRELS_SCHEMA)), expected.subtopics)
        if merge_asked(import_) and (merge := merge_at_check(import_, tables, read)) is not None:
            tables, found = merge.tables, found_by(merge, import_)
        _warn_of_topics(import_, tables.overall, read.problems)
        found["about"] = _about(import_, tables.overall, expected.topics, read.problems)
    import_finish_check(
        import_,
        format=_format(kind, read),
        records=read.lines,
        preview=[] if read.table is None else read.table.head(PREVIEWED).to_dicts(),
        problems=read.problems,
        found=found,
    )


def _format(kind: QrelsFile | None, read: QrelsRead) -> str | None:
    """The kind of file; of a sample, which of its columns were taken for what, since the lines alone say it."""
    if kind is None:
        return None
    return kind.name if read.sampling == "none" else f"{kind.name} {read.sampling}"


def _warn_of_topics(import_: Import, table: pl.DataFrame, problems: ProblemLog) -> None:
    lowest = import_.task.lowest_relevant_grade
    doubtful = topics_that_tell_nothing(table, lowest)
    if not doubtful:
        return
    named = ", ".join(f"{topic} ({why})" for topic, why in doubtful.items())
    message = f"{number_of(len(doubtful), 'topic')} without a relevant document: {named}."
    message += f" Relevant is grade {lowest} or above in this task." if lowest > 1 else ""
    remedy = (
        "Runs are not scored on them, as you asked."
        if import_.options.get(LEAVE_OUT, False)
        else "Runs are scored on them, and AP, P, R, RR and bpref are 0 there for every run. To leave them out, send the file "
        "again with the tick “Leave topics out of the scores” (--leave-out by command, leave_out=true by program)."
    )
    problems.add("topics_tell_nothing", message, remedy, severity="warning")


def _about(import_: Import, table: pl.DataFrame, topics: Sequence[str], problems: ProblemLog) -> dict[str, Any]:
    """What the confirmation shows of the version that the file would become."""
    task = import_.task
    facts = import_facts(task, table, list(topics), set_of(import_))
    if message := without_nonrelevant(task, facts):
        remedy = (
            f"Add what was judged and is not relevant, with a grade below {task.lowest_relevant_grade}, and send the file again; "
            "or name other measures in the task's settings."
            if measure_answers().need_nonrelevant(task)
            else "The task's measures do without; only shares of judged documents are too low."
        )
        problems.add("qrels_nonrelevant_none", message, remedy, severity="warning")
    return facts


def qrels_apply(import_: Import, report: Report) -> None:
    """Release the qrels, in the transaction that finishes the import, or report what became invalid meanwhile.

    Topics and documents that were sent with the file are imported in the same transaction, before it.
    """
    kind, expected = _kind_of_file(import_), expected_with(import_)
    read = _read(import_, kind, expected)
    if kind is None or read.table is None:
        give_up_together(import_, import_, read.problems.to_json())
        return
    if not stage_together(import_, report):
        return  # given up meanwhile
    try:
        with transaction.atomic():
            apply_together(import_)
            _release(import_, kind, read, expected)
            import_finish(import_)
    except RefusedTogetherError as other:
        give_up_together(import_, other.refused, other.refused.problems)
    except ValidationError as refusal:
        problems = ProblemLog()
        for message in refusal.messages:
            problems.add("qrels_refused", message, "Nothing was released.")
        give_up_together(import_, import_, problems.to_json())


def _release(import_: Import, kind: QrelsFile, read: QrelsRead, expected: Expected) -> None:
    if read.table is None:
        raise ValueError("Qrels with errors cannot be released.")
    tables, merged = kind.tables(read.table.select(list(QRELS_SCHEMA)), expected.subtopics), None
    if merge_asked(import_):
        merge = merge_at_release(import_, tables)
        if merge is None:
            raise ValidationError("What was judged here is read differently than at the check. Send the file again.")
        tables, merged = merge.tables, origin_of(merge, import_)
    qrels_import(
        actor=import_.created_by,
        task=import_.task,
        table=tables.overall,
        subtopic_table=tables.by_subtopic,
        sample=read.table if set(SAMPLED_BY) & set(read.table.columns) else None,
        note=import_.options.get("note", ""),
        score_all_topics=not import_.options.get(LEAVE_OUT, False),
        file={"name": import_.file_name, "sha256": import_.sha256, "lines": read.lines},
        merged=merged,
        set_name=set_of(import_),
    )


def _kind_of_file(import_: Import) -> QrelsFile | None:
    """Return the kind of file that the import asks for; None if the task's judging mode does not have it."""
    ticked = _ticked(import_)
    return judging_mode(import_.task.judging_mode).file_with(ticked[0] if ticked else "")


def _ticked(import_: Import) -> list[str]:
    return [name for name, value in import_.options.items() if value is True and name not in OF_ALL_KINDS]


def _read(import_: Import, kind: QrelsFile | None, expected: Expected) -> QrelsRead:
    if kind is None:
        return _no_such_kind(import_)
    if not expected.problems.ok:
        return QrelsRead(None, expected.problems, 0, 0)
    task = import_.task
    topics = frozenset(expected.topics)
    if not topics:
        return QrelsRead(None, without_topics(), 0, 0)
    matches = topics_asked_for(import_, topics, QRELS_LIMITS)
    rules = QrelsRules(
        topics=topics,
        topic_names=matches,
        docnos=expected.docnos,
        grades=_grades(import_),
        subtopic=kind.by_subtopic,
        sampling="none" if kind.by_subtopic else "any",
        repeated=import_.options.get(REPEATED_OPTION, "refuse"),
        listed_grade=task.lowest_relevant_grade,
        are_listed=import_.options.get(LISTED_OPTION, False),
        word_grades=word_grades(words) if (words := import_.options.get(GRADE_WORDS, "")) else {},
        grade_column=int(import_.options.get(GRADE_COLUMN) or 0),
    )
    with import_file(import_) as file:
        read = read_qrels(file, rules, encoding=encoding_of(import_))
    tell_of_topics(import_, topics, QRELS_LIMITS, matches, read.problems)
    if read.table is not None:
        kind.check(read.table.select(list(QRELS_SCHEMA)), expected.subtopics, read.problems)
        _refuse_empty_strata(read.table, read.problems)
    return read if read.problems.ok else replace(read, table=None)


def _grades(import_: Import) -> frozenset[int] | range:
    if set_of(import_) != DEFAULT:
        return GRADES_OF_OTHER_SETS
    return frozenset(import_.task.grades.values_list("value", flat=True))


def _refuse_empty_strata(table: pl.DataFrame, problems: ProblemLog) -> None:
    empty = strata_without_a_grade(table) if "stratum" in table.columns else ()
    for stratum in empty[:STRATA_SHOWN]:
        problems.add(
            "stratum_unjudged",
            f"Topic {visible(stratum.topic)}, stratum {stratum.stratum}: none of {stratum.drawn:,} has a grade of 0 or above.",
            "Judge a sample of every stratum, or take the lines of such a stratum out.",
        )


def _no_such_kind(import_: Import) -> QrelsRead:
    options = ", ".join(_ticked(import_))
    problems = ProblemLog()
    problems.add(
        "qrels_kind_unknown",
        f"A task of the judging mode {import_.task.judging_mode} takes no qrels with {options}.",
        "Send qrels with 0 in the second column, or choose another judging mode for the task.",
    )
    return QrelsRead(None, problems, 0, 0)
