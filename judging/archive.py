"""What archives keep of judging."""

import secrets
from collections.abc import Callable
from typing import Any

from django.utils import timezone

from campaign.archive.registry import JsonRow, Place, StoredColumn, Table, keep, leave_out
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


def declare() -> None:
    order = StoredColumn("file", "preferences", ".txt", _order_place, ".txt", "sha256")
    keep(
        Table(AssigningRules, "judgments/assigning_rules", "task"),
        Table(Assignment, "judgments/assignments", "pool__task"),
        Table(Judgment, "judgments/acts", "topic__task", referred=False),
        Table(Adjudication, "judgments/adjudications", "topic__task"),
        Table(ModelAssessor, "judgments/model_assessors", "task", key=("name", "version"), anew=TOKEN),
        Table(ModelJudgment, "judgments/model_acts", "topic__task", referred=False),
        Table(PracticeAnswer, "judgments/practice", "task"),
        Table(PracticeGrade, "judgments/practice_grades", "answer__task", referred=False),
        Table(Qrels, "qrels/qrels", "task", key=("version",), files=tuple(map(_file_of_qrels, FILES_OF_QRELS))),
        Table(PreferenceAssignment, "preferences/assignments", "topic__task"),
        Table(PreferenceAct, "preferences/acts", "assignment__topic__task", referred=False),
        Table(PreferenceOrder, "preferences/orders", "task", key=("version",), files=(order,)),
    )
    leave_out({Claim: "a document that somebody is reading now; it ends by itself"})


def _file_of_qrels(column: str) -> StoredColumn:
    part, ending, checksum = FILES_OF_QRELS[column]
    suffix = ".json" if ending == ".json" else ".txt"
    return StoredColumn(column, "qrels", suffix, lambda row: ("qrels", f"v{row['version']}{part}"), ending, checksum)


def _order_place(row: JsonRow) -> Place:
    return ("preferences", f"v{row['version']}")
