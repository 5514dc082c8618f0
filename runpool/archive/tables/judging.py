"""What archives keep of judging."""

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

import polars as pl
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils import timezone

from campaign.formats.json_values import json_value
from campaign.formats.qrels.read import UNJUDGED_GRADES
from campaign.formats.qrels.table import read_stored_qrels
from campaign.formats.shapes import TEXT, WHOLE, list_of, object_of, or_null, record
from campaign.models import Grade
from judging.models import (
    Adjudication,
    AssigningRules,
    Assignment,
    Claim,
    Judgment,
    ModelAssessor,
    ModelJudgment,
    PracticeAnswer,
    PracticeGrade,
    PreferenceAct,
    PreferenceAssignment,
    PreferenceOrder,
    Qrels,
)
from judging.preferences.files import read_order
from runpool.archive.table import Check, JsonRow, Others, Place, ReadFile, StoredColumn, Table, hashable
from runpool.archive.tables.pooling import documents_of_topics, pooled_documents, require_pooled

TOKEN: dict[str, Callable[[], Any]] = {
    "token_by": lambda: None,
    "token_start": str,
    "token_sha256": lambda: secrets.token_hex(32),
    "token_expires_at": timezone.now,
}
"""The token of a model assessor works on its own site only."""
FILES_OF_QRELS = {
    "file": ("", ".qrels", "sha256"),
    "subtopic_file": ("-subtopics", ".qrels", "subtopic_sha256"),
    "sample_file": ("-sample", ".txt", "sample_sha256"),
    "twins_file": ("-twins", ".txt", "twins_sha256"),
    "manifest_file": ("-manifest", ".json", "manifest_sha256"),
}


LAST_ACT = or_null(record({"number": WHOLE, "uuid": TEXT}, others=True))
MANIFEST = record(
    {"files": object_of(record({"sha256": TEXT}, others=True))},
    {
        "last_judgment": LAST_ACT,
        "last_decision": LAST_ACT,
        "assessors": list_of(record({"assessor": TEXT, "judgments": WHOLE})),
        "pools": list_of(record({"version": WHOLE, "strategy": TEXT, "size": WHOLE}, others=True)),
        "imported_file": record({"name": TEXT, "sha256": TEXT, "lines": WHOLE}, others=True),
        "merged": record(dict.fromkeys(("only_here", "only_in_file", "same", "different"), WHOLE), others=True),
    },
    others=True,
)
"""What pages and `manage.py verify` read of the manifest of a version."""


def _scale(others: Others) -> set[int]:
    return {value for _, value in others.columns(Grade, "value")}


def _require_grade(scale: set[int], grade: int | None) -> None:
    if grade is not None and grade not in scale:
        raise ValidationError(f"“grade” is {grade}: the scale of the task has {', '.join(map(str, sorted(scale)))}.")


def _judgment_check(others: Others) -> Check:
    """What an assessor judged is a document of the pool, of the topic that was assigned to this assessor, by the scale."""
    names = ("pool", "topic", "assessor", "pass_number")
    assignments = {number: columns for number, *columns in others.columns(Assignment, *names)}
    scale, pooled = _scale(others), pooled_documents(others)

    def check(values: JsonRow, read: ReadFile) -> None:
        found = assignments.get(hashable(values["assignment"]))
        if found is None:
            raise ValidationError(f"“assignment” is {values['assignment']}: there is none on that line.")
        pool, topic, *_ = found
        for name, assigned in zip(names[1:], found[1:], strict=True):
            if values.get(name, assigned) != assigned:
                raise ValidationError(f"“{name}” is {values[name]}: that of its assignment is {assigned}.")
        require_pooled(pooled.get((pool, topic)), "docno", values["docno"], f"topic {topic} of pool {pool}")
        _require_grade(scale, values.get("grade"))

    return check


def _decision_check(others: Others) -> Check:
    """What is decided about is pooled for the topic, by the scale."""
    scale, pooled = _scale(others), documents_of_topics(others)

    def check(values: JsonRow, read: ReadFile) -> None:
        topic = hashable(values["topic"])
        require_pooled(pooled.get(topic), "docno", values["docno"], f"any pool of topic {topic}")
        _require_grade(scale, values.get("grade"))

    return check


def _grade_check(others: Others) -> Check:
    scale = _scale(others)
    return lambda values, read: _require_grade(scale, values.get("grade"))


def _qrels_check(others: Others) -> Check:
    """What was judged here is pooled, by the scale of the task; a file from elsewhere may hold other documents and grades."""
    scale, pooled = _scale(others) | {0, *UNJUDGED_GRADES}, documents_of_topics(others)

    def check(values: JsonRow, read: ReadFile) -> None:
        tables = _qrels_tables(values, read)
        source = values["source"]
        for name in ("file", "subtopic_file"):
            if name not in tables or source == Qrels.IMPORTED:
                continue
            if not values.get("set_name") or source == Qrels.JUDGED:
                _require_scale(tables[name], name, scale)
            if source == Qrels.JUDGED:
                _require_pooled_pairs(tables[name], name, pooled)

    return check


def _require_scale(table: pl.DataFrame, name: str, scale: set[int]) -> None:
    for grade in table["grade"].unique().sort():
        if grade not in scale:
            raise ValidationError(f"“{name}” has the grade {grade}, which is not of the scale of the task.")


def _require_pooled_pairs(table: pl.DataFrame, name: str, pooled: dict[str, set[str]]) -> None:
    for topic, docno in table.select("topic", "docno").iter_rows():
        if docno not in pooled.get(topic, ()):
            raise ValidationError(f"“{name}” has the document {docno}, which is in no pool of topic {topic}.")


def _qrels_tables(values: JsonRow, read: ReadFile) -> dict[str, pl.DataFrame]:
    """Its files hold judgments, in the tables that the row says."""
    tables = {}
    sampled_by = values.get("sampled_by", "")
    if bool(sampled_by) != bool(values.get("sample_file")):
        raise ValidationError("It names a sample that is not there.")
    if len({*values["topics"]}) != len(values["topics"]):
        raise ValidationError("It names a topic twice.")
    for column, by in {"file": "", "subtopic_file": "", "sample_file": sampled_by}.items():
        if column == "file" or values.get(column):
            table = _read_table(partial(read_stored_qrels, read(column), by), "judgments")
            if table.select("topic", "subtopic", "docno").is_duplicated().any():
                raise ValidationError("A pair of topic and document stands in its judgments twice.")
            tables[column] = table
    if values.get("manifest_file"):
        try:
            fits = MANIFEST.fits(json_value(read("manifest_file")))
        except (ValueError, RecursionError):
            fits = False
        if not fits:
            raise ValidationError("Its manifest is none.")
    return tables


def _check_order(values: JsonRow, read: ReadFile) -> None:
    table = _read_table(partial(read_order, read("file")), "preferences")
    if table.select("topic", "docno").is_duplicated().any() or (table["level"] < 1).any():
        raise ValidationError("Its file is no order of documents.")
    if {*table["topic"]} != {facts["topic"] for facts in values["topics"]}:
        raise ValidationError("Its topics are not those of its file.")


def _read_table(read: Callable[[], pl.DataFrame], of: str) -> pl.DataFrame:
    """The table of a file whose lines are whole. Only the probability of what was not drawn is empty."""
    try:
        table = read()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError) as problem:
        raise ValidationError(f"The file of its {of} cannot be read.") from problem
    if table.is_empty():
        raise ValidationError(f"The file of its {of} is empty.")
    probability = table.get_column("probability", default=pl.Series([0.5], dtype=pl.Float64))
    if (
        sum(table.drop("probability", strict=False).null_count().row(0))
        or not probability.drop_nulls().is_between(0, 1).all()
    ):
        raise ValidationError(f"The file of its {of} has empty or impossible values.")
    return table


def _file_of_qrels(column: str) -> StoredColumn:
    part, ending, checksum = FILES_OF_QRELS[column]
    suffix = ".json" if ending == ".json" else ".txt"
    place = ("qrels", suffix, lambda row: ("qrels", f"v{row['version']}{part}"), ending, checksum)
    return StoredColumn(column, *place, is_whole=column != "twins_file")


def _order_place(row: JsonRow) -> Place:
    return ("preferences", f"v{row['version']}")


ORDER = StoredColumn("file", "preferences", ".txt", _order_place, ".txt", "sha256")
TABLES = (
    Table(AssigningRules, "judgments/assigning_rules", "task"),
    Table(Assignment, "judgments/assignments", "pool__task"),
    Table(Judgment, "judgments/acts", "topic__task", referred=False, against=_judgment_check),
    Table(Adjudication, "judgments/adjudications", "topic__task", against=_decision_check),
    Table(ModelAssessor, "judgments/model_assessors", "task", key=("name", "version"), anew=TOKEN),
    Table(ModelJudgment, "judgments/model_acts", "topic__task", referred=False, against=_grade_check),
    Table(PracticeAnswer, "judgments/practice", "task"),
    Table(PracticeGrade, "judgments/practice_grades", "answer__task", referred=False),
    Table(
        Qrels,
        "qrels/qrels",
        "task",
        key=("version",),
        files=tuple(map(_file_of_qrels, FILES_OF_QRELS)),
        against=_qrels_check,
    ),
    Table(PreferenceAssignment, "preferences/assignments", "topic__task"),
    Table(PreferenceAct, "preferences/acts", "assignment__topic__task", referred=False),
    Table(PreferenceOrder, "preferences/orders", "task", key=("version",), files=(ORDER,), check=_check_order),
)
LEFT_OUT: dict[type[Model], str] = {Claim: "a document that somebody is reading now; it ends by itself"}
