"""Qrels: reading the judgments of others and writing our own, with or without subtopics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO

import polars as pl

from campaign.formats.problems import KEY_LENGTH_LIMIT, ProblemLog, visible
from campaign.formats.source import MIB, Limits, add_empty, add_not_utf8, numbered_lines, text_chunks

QRELS_SCHEMA = pl.Schema({"topic": pl.String, "subtopic": pl.String, "docno": pl.String, "grade": pl.Int32})
QRELS_LIMITS = Limits(max_text_bytes=512 * MIB)
NO_SUBTOPIC = "0"
UNJUDGED_GRADES = frozenset({-1, -2})  # pooled, but not judged
GRADE = re.compile(rb"[+-]?[0-9]{1,9}")
COLUMNS = 4


@dataclass(frozen=True, slots=True)
class QrelsRules:
    """`None` means that the rule is off; `subtopic` says that the second column is a subtopic number."""

    topics: frozenset[str] | None = None
    docnos: frozenset[str] | None = None
    grades: frozenset[int] | None = None
    subtopic: bool = False


@dataclass(frozen=True, slots=True)
class QrelsRead:
    """`table` has one row a line in file order (`QRELS_SCHEMA`), and is `None` when there are errors."""

    table: pl.DataFrame | None
    problems: ProblemLog
    lines: int
    topics: int


def read_qrels(source: BinaryIO, rules: QrelsRules, limits: Limits = QRELS_LIMITS) -> QrelsRead:
    reader = _QrelsLines(rules, ProblemLog())
    problems = reader.problems
    reader.read(numbered_lines(text_chunks(source, limits, problems), limits, problems))
    if not reader.lines and problems.ok:
        add_empty(problems, "judgments")
    table = pl.DataFrame(reader.rows, schema=QRELS_SCHEMA, orient="row") if problems.ok else None
    return QrelsRead(table, problems, reader.lines, len(reader.topics))


@dataclass(slots=True)
class _QrelsLines:
    rules: QrelsRules
    problems: ProblemLog
    rows: list[tuple[str, str, str, int]] = field(default_factory=list)
    topics: set[str] = field(default_factory=set)
    lines: int = 0
    first_lines: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def read(self, lines: Iterable[tuple[int, bytes]]) -> None:
        for number, line in lines:
            fields = line.split()
            if not fields:
                continue
            self.lines += 1
            try:
                line.decode()
            except UnicodeDecodeError:
                add_not_utf8(self.problems, number, line)
                continue
            if len(fields) == COLUMNS:
                self._read_fields(number, line, fields)
            else:
                self._add_column_problem(number, line, len(fields))

    def _read_fields(self, number: int, line: bytes, fields: list[bytes]) -> None:
        topic, iteration, docno = (value.decode() for value in fields[:3])
        key = (topic, iteration if self.rules.subtopic else NO_SUBTOPIC, docno)
        self.topics.add(topic)
        self._check_key(number, line, key)
        grade = self._grade(number, line, fields[3])
        if grade is not None:
            self.rows.append((*key, grade))

    def _check_key(self, number: int, line: bytes, key: tuple[str, str, str]) -> None:
        topic, subtopic, docno = key
        rules, problems = self.rules, self.problems
        if max(map(len, key)) > KEY_LENGTH_LIMIT:
            message = f"A field is longer than {KEY_LENGTH_LIMIT} characters."
            problems.add("field_long", message, "Check the columns.", line=number, excerpt=line)
        if rules.topics is not None and topic not in rules.topics:
            remedy = "Use the task's topic numbers exactly as they are written."
            message = f"Topic {visible(topic)} is not a topic of this task."
            problems.add("topic_unknown", message, remedy, line=number, excerpt=line)
        if rules.docnos is not None and docno not in rules.docnos:
            message = f"Docno {visible(docno)} is not in the collection."
            remedy = "It stays in the qrels and counts as a document that no run can retrieve."
            problems.add("docno_unknown", message, remedy, line=number, excerpt=line, severity="warning")
        first = self.first_lines.setdefault(key, number)
        if first != number:
            what = (
                f"subtopic {visible(subtopic)} of topic {visible(topic)}"
                if rules.subtopic
                else f"topic {visible(topic)}"
            )
            message = f"Docno {visible(docno)} was already judged for {what} on line {first}."
            problems.add("judgment_duplicate", message, "Keep one of the two.", line=number, excerpt=line)

    def _grade(self, number: int, line: bytes, value: bytes) -> int | None:
        grade = int(value) if GRADE.fullmatch(value) else None
        grades = self.rules.grades
        if grade is None:
            message, code = f"Grade {visible(value)} is not an integer.", "grade_not_integer"
            remedy = "Write grades as integers such as 0, 1, 2."
        elif grade in UNJUDGED_GRADES or (grade >= 0 if grades is None else grade in grades):
            return grade
        else:
            message, code = f"Grade {grade} is not on the scale.", "grade_unknown"
            scale = "0 and above" if grades is None else ", ".join(map(str, sorted(grades)))
            remedy = f"Use the grades {scale}; -1 and -2 stand for pooled but not judged."
        self.problems.add(code, message, remedy, line=number, excerpt=line)
        return None

    def _add_column_problem(self, number: int, line: bytes, count: int) -> None:
        message = f"There {'is 1 column' if count == 1 else f'are {count} columns'} instead of {COLUMNS}."
        code, remedy = "column_count", "Write topic, 0 (or the subtopic), docno and grade, separated by blanks or tabs."
        if count == COLUMNS + 1:
            code = "qrels_stratum"
            remedy = "Qrels with a fifth column (stratum or sampling rate) are not read: send the four columns."
        self.problems.add(code, message, remedy, line=number, excerpt=line)


def write_qrels(table: pl.DataFrame, topic_order: Sequence[str] | None = None) -> bytes:
    """The qrels as TREC text, the same bytes for the same judgments.

    Sorted by topic, subtopic and docno in byte order; with `topic_order`, its topics come first in that order.
    """
    places = {topic: place for place, topic in enumerate(dict.fromkeys(topic_order or ()))}
    place = pl.col("topic").replace_strict(places, default=len(places), return_dtype=pl.UInt32)
    keys = [*([place] if places else []), pl.col("topic"), pl.col("subtopic"), pl.col("docno")]
    ordered = table.sort(keys).select(list(QRELS_SCHEMA))
    buffer = BytesIO()
    ordered.write_csv(buffer, include_header=False, separator=" ", quote_style="never")
    return buffer.getvalue()
