"""Reading a pool that was made elsewhere: which documents are judged for which topic, and how they were drawn."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

import polars as pl

from campaign.formats.columns import column_lines, lines_with_columns
from campaign.formats.encodings import add_not_utf8
from campaign.formats.keys import problem_without_collection
from campaign.formats.near_keys import OF_COLLECTION, OF_TASK, FirstHints, missing_from
from campaign.formats.problems import KEY_LENGTH_LIMIT, ProblemLog, visible
from campaign.formats.qrels.rows import JudgmentRows, Values
from campaign.formats.qrels.table import NOT_DRAWN
from campaign.formats.source import MIB, Limits, add_empty, separator_hint
from campaign.text.plurals import number_of
from pooling.core.files.wrong_kinds import LOOKED_AT, wrong_kind

POOL_LIMITS = Limits(max_text_bytes=512 * MIB, max_lines=5_000_000)
POOL_SCHEMA = pl.Schema(
    {"topic": pl.String, "docno": pl.String, "stratum": pl.Int32, "inclusion_probability": pl.Float64}
)
HIGHEST_STRATUM = 999
STRATUM = re.compile(rb"[0-9]{1,9}")
PROBABILITY = re.compile(rb"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
PLAIN, SAMPLED, WHOLE_SAMPLE = 2, 4, 6
LAYOUTS = {
    PLAIN: "topic and docno",
    SAMPLED: "topic, docno, stratum and probability",
    WHOLE_SAMPLE: "topic, 0, docno, stratum, -1 and probability",
}
"""The columns of a line, by their number."""
NOT_JUDGED = b"-1"


@dataclass(frozen=True, slots=True)
class PoolRules:
    """The topics of the task, and the documents of its collection; None switches a rule off.

    `topic_names`: the topic that stands for a number of the file that is spelt otherwise.
    """

    topics: Container[str] | None = None
    topic_names: Mapping[str, str] = field(default_factory=dict)
    docnos: Container[str] | None = None


@dataclass(frozen=True, slots=True)
class PoolRead:
    """What a pool file holds; both tables are None where it has errors.

    drawn: topic, docno (String), stratum (Int32), inclusion_probability (Float64), both null in a file of two columns; a row
    for each document to be judged, in the order of the file. frame: topic, docno, stratum of the documents that could have
    been drawn and were not; None where no line names one.
    """

    drawn: pl.DataFrame | None
    frame: pl.DataFrame | None
    problems: ProblemLog
    lines: int
    topics: int

    @property
    def format(self) -> str:
        if self.drawn is None or not self.drawn.height:
            return ""
        return "pool" if self.drawn["stratum"].null_count() else "sampled pool"


def read_pool(source: BinaryIO, rules: PoolRules, limits: Limits = POOL_LIMITS, encoding: str = "") -> PoolRead:
    """Read a pool file, plain or gzip: lines `topic docno`, or `topic docno stratum probability` of a sample.

    A sample may also have lines `topic 0 docno stratum -1 probability`, as `sample_file` of the strategies writes them. The
    stratum is a whole number from 1 to 999, the probability above 0 and up to 1, or NA for a document that could have been
    drawn and was not. All lines have the same columns, and no document stands twice in a topic. Commas and semicolons
    separate columns where the first line shows it, and headings are left out, as `column_lines` does.
    `encoding`: as of `text_chunks`.

    >>> from io import BytesIO
    >>> read = read_pool(BytesIO(b"1 a 1 1.0\\n1 b 2 0.5\\n1 c 2 NA\\n"), PoolRules())
    >>> read.drawn.rows(), read.frame.rows()
    ([('1', 'a', 1, 1.0), ('1', 'b', 2, 0.5)], [('1', 'c', 2)])
    """
    problems = ProblemLog()
    lines = _PoolLines(rules, problems)
    numbered = lines_with_columns(source, limits, problems, encoding)
    for number, line in column_lines(numbered, rules.topics, problems):
        lines.read(number, line)
    if not problems.ok:
        _add_wrong_kind(lines.first, problems)
    if not lines.count and problems.ok:
        add_empty(problems, "documents")
    pairs = lines.rows.table()
    is_drawn = pl.col("stratum").is_null() | pl.col("inclusion_probability").is_not_null()
    drawn = pairs.filter(is_drawn)
    if problems.ok and not drawn.height:
        problems.add("pool_nothing_drawn", "No line names a document that was drawn.", "Send the drawn documents too.")
    topics = pairs["topic"].n_unique()
    if not problems.ok:
        return PoolRead(None, None, problems, lines.count, topics)
    frame = pairs.filter(~is_drawn).drop("inclusion_probability") if drawn.height < pairs.height else None
    return PoolRead(drawn, frame, problems, lines.count, topics)


def _add_wrong_kind(first: list[bytes], problems: ProblemLog) -> None:
    message, remedy = wrong_kind(first)
    if message:
        problems.add("pool_wrong_kind", message, remedy)


@dataclass(slots=True)
class _PoolLines:
    rules: PoolRules
    problems: ProblemLog
    columns: int = 0
    count: int = 0
    rows: JudgmentRows = field(default_factory=lambda: JudgmentRows(POOL_SCHEMA, keys=2))
    first: list[bytes] = field(default_factory=list)
    hints: FirstHints = field(default_factory=FirstHints)

    def read(self, number: int, line: bytes) -> None:
        fields = line.split()
        if not fields:
            return
        self.count += 1
        if self.count <= LOOKED_AT:
            self.first.append(line)
        is_whole = len(fields) == WHOLE_SAMPLE
        try:
            pair = fields[0:3:2] if is_whole else fields[:2]
            topic, docno = (text.decode() for text in pair) if len(fields) in LAYOUTS else ("", "")
        except UnicodeDecodeError:
            add_not_utf8(self.problems, number, line)
            return
        if not self._has_columns(number, line, len(fields)):
            return
        if is_whole:
            self._check_grade(number, line, fields[4])
        topic = self.rules.topic_names.get(topic, topic)
        is_new = self._is_new_pair(number, line, topic, docno)
        values = self._values(number, line, fields[3:6:2] if is_whole else fields[2:])
        if is_new:
            self.rows.add_values(values)

    def _has_columns(self, number: int, line: bytes, columns: int) -> bool:
        self.columns = self.columns or (columns if columns in LAYOUTS else PLAIN)
        if columns == self.columns:
            return True
        message = f"The line has {number_of(columns, 'column')}, not {self.columns}: {LAYOUTS[self.columns]}."
        hint = separator_hint(line, columns, PLAIN)
        remedy = f"Give every line the same columns, separated by white space.{hint}"
        self.problems.add("pool_columns", message, remedy, line=number, excerpt=line)
        return False

    def _check_grade(self, number: int, line: bytes, grade: bytes) -> None:
        if grade != NOT_JUDGED:
            message = f"The fifth column is “{visible(grade)}”, not -1: a pool holds no judgments."
            remedy = "Write -1 here, and import the judgments as qrels."
            self.problems.add("pool_judged", message, remedy, line=number, excerpt=line)

    def _is_new_pair(self, number: int, line: bytes, topic: str, docno: str) -> bool:
        add, errors = self.problems.add, self.problems.errors
        if max(len(topic), len(docno)) > KEY_LENGTH_LIMIT:
            message = f"A topic number or docno is longer than {KEY_LENGTH_LIMIT} characters."
            add("pool_key_too_long", message, "Shorten it.", line=number, excerpt=line)
        if self.rules.topics is not None and topic not in self.rules.topics:
            message = f"The task has no topic {visible(topic)}."
            remedy = "Correct the number, or take the line out."
            remedy += self.hints.hint(topic, missing_from(self.rules.topics), OF_TASK)
            add("topic_unknown", message, remedy, line=number, excerpt=line)
        if self.rules.docnos is not None and docno not in self.rules.docnos:
            message = f"The collection has no document {visible(docno)}."
            remedy = "Correct the docno, take the line out, or import the document first."
            remedy += self.hints.hint(docno, missing_from(self.rules.docnos), OF_COLLECTION)
            add("docno_unknown", message, remedy, line=number, excerpt=line)
        elif (
            self.rules.docnos is None and len(docno) <= KEY_LENGTH_LIMIT and (odd := problem_without_collection(docno))
        ):
            add(f"docno_{odd[0]}", *odd[1:3], line=number, excerpt=line, severity=odd[3])
        if self.problems.errors > errors:
            return False  # such pairs have no end: what is remembered must not grow with a file of them
        row = self.rows.row((topic, docno), number)
        if row is not None:
            first = self.rows.line_numbers[row]
            message = f"Document {visible(docno)} stands in line {first} for topic {visible(topic)} already."
            add("pool_duplicate", message, "Take one of the lines out.", line=number, excerpt=line)
        return row is None

    def _values(self, number: int, line: bytes, sampled: list[bytes]) -> Values:
        """Stratum and probability; of a document that was not drawn no probability, of a file of two columns neither."""
        if not sampled:
            return None, None
        stratum, probability = self._stratum(number, line, sampled[0]), sampled[1]
        is_drawn = probability != NOT_DRAWN.encode()
        return stratum, self._probability(number, line, probability) if is_drawn else None

    def _stratum(self, number: int, line: bytes, text: bytes) -> int:
        if STRATUM.fullmatch(text) and 1 <= int(text) <= HIGHEST_STRATUM:
            return int(text)
        message = f"The stratum is “{visible(text)}”, not a whole number from 1 to {HIGHEST_STRATUM}."
        self.problems.add("pool_stratum", message, "Number the strata from 1.", line=number, excerpt=line)
        return 1

    def _probability(self, number: int, line: bytes, text: bytes) -> float:
        if PROBABILITY.fullmatch(text) and 0 < float(text) <= 1:
            return float(text)
        message = f"The probability is “{visible(text)}”, not a number above 0 and up to 1."
        remedy = f"Give the probability with which the document was drawn, or {NOT_DRAWN} if it was not drawn."
        self.problems.add("pool_probability", message, remedy, line=number, excerpt=line)
        return 1.0
