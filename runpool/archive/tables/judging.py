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
from campaign.formats.qrels.table import read_stored_qrels
from campaign.formats.shapes import TEXT, WHOLE, list_of, object_of, or_null, record
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
from runpool.archive.table import JsonRow, Place, ReadFile, StoredColumn, Table

TOKEN: dict[str, Callable[[], Any]] = {
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


def _check_qrels(values: JsonRow, read: ReadFile) -> None:
    """Its files hold judgments, in the tables that the row says."""
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
    if values.get("manifest_file"):
        try:
            fits = MANIFEST.fits(json_value(read("manifest_file")))
        except (ValueError, RecursionError):
            fits = False
        if not fits:
            raise ValidationError("Its manifest is none.")


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
    return StoredColumn(column, "qrels", suffix, lambda row: ("qrels", f"v{row['version']}{part}"), ending, checksum)


def _order_place(row: JsonRow) -> Place:
    return ("preferences", f"v{row['version']}")


ORDER = StoredColumn("file", "preferences", ".txt", _order_place, ".txt", "sha256")
TABLES = (
    Table(AssigningRules, "judgments/assigning_rules", "task"),
    Table(Assignment, "judgments/assignments", "pool__task"),
    Table(Judgment, "judgments/acts", "topic__task", referred=False),
    Table(Adjudication, "judgments/adjudications", "topic__task"),
    Table(ModelAssessor, "judgments/model_assessors", "task", key=("name", "version"), anew=TOKEN),
    Table(ModelJudgment, "judgments/model_acts", "topic__task", referred=False),
    Table(PracticeAnswer, "judgments/practice", "task"),
    Table(PracticeGrade, "judgments/practice_grades", "answer__task", referred=False),
    Table(
        Qrels,
        "qrels/qrels",
        "task",
        key=("version",),
        files=tuple(map(_file_of_qrels, FILES_OF_QRELS)),
        check=_check_qrels,
    ),
    Table(PreferenceAssignment, "preferences/assignments", "topic__task"),
    Table(PreferenceAct, "preferences/acts", "assignment__topic__task", referred=False),
    Table(PreferenceOrder, "preferences/orders", "task", key=("version",), files=(ORDER,), check=_check_order),
)
LEFT_OUT: dict[type[Model], str] = {Claim: "a document that somebody is reading now; it ends by itself"}
