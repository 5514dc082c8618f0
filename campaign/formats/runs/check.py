"""Checking an uploaded run against a task's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import polars as pl

from campaign.formats.problems import ProblemLog
from campaign.formats.runs.column_reader.reader import RunColumns, read_columns
from campaign.formats.runs.column_reader.text import RunText
from campaign.formats.runs.line_reader.reader import RunLines
from campaign.formats.runs.rules import BYTE_ORDER_MARK, RunRules
from campaign.formats.runs.table import RUN_SCHEMA
from campaign.formats.source import Limits, add_empty, text_chunks

RUN_LIMITS = Limits()
MOST_LINE_ENDS = 50_000_000
"""2 GiB of empty lines, as gzip 8 MB, would take a quarter of an hour to be found empty."""
LINES_AT_MOST = 4 << 20
"""Bytes of a text of unusual layout up to which the reader of lines takes it."""


@dataclass(frozen=True, slots=True)
class RunCheck:
    """What a check found. `table`: what counts of the run, one row a line in file order (`RUN_SCHEMA`); with errors, what
    would count if they were forgiven; `None` when no line can be read. `topics`: how many topics of the task are answered.
    `header`: the `ir_metadata` at the head of the file; `description`: NTCIR's SYSDESC.
    """

    table: pl.DataFrame | None
    problems: ProblemLog
    tag: str | None
    lines: int
    topics: int
    header: str = ""
    description: str = ""

    @property
    def ok(self) -> bool:
        return self.problems.ok and self.table is not None


def check_run(source: BinaryIO, rules: RunRules, limits: Limits = RUN_LIMITS) -> RunCheck:
    """Read a run, plain or gzip, and find every problem that it has under the rules.

    `RunLines` defines the problems. Files are read by column, which is faster; only small and unusual ones by line.

    >>> from io import BytesIO
    >>> check = check_run(BytesIO(b"1 Q0 d1 1 2.5 bm25\\n1 Q0 d1 2 2.0 bm25\\n"), RunRules(topics=frozenset({"1", "2"})))
    >>> check.ok, check.tag, check.lines
    (False, 'bm25', 2)
    >>> [problem.code for problem in check.problems.shown]
    ['topic_missing', 'docno_duplicate']
    """
    problems = ProblemLog()
    text = _whole_text(source, limits, problems)
    if text.data.count(b"\n") + text.data.count(b"\r") > MOST_LINE_ENDS:
        remedy = "Send the documents of each topic on a line each, and no empty lines."
        problems.add("too_many_lines", f"The file has more than {MOST_LINE_ENDS:,} line ends.", remedy)
    if not problems.ok:  # the text is cut short: problems of the rest would be misleading
        return RunCheck(None, problems, None, 0, 0)
    text.end_before_bad_line(limits, problems, rules.severity(BYTE_ORDER_MARK))
    is_small = len(text.data) <= LINES_AT_MOST
    read = read_columns(text, rules, only_usual=is_small) or read_lines(text, rules)
    if not read.lines and problems.ok:
        add_empty(problems, "lines")
    read.findings.report(rules, problems)
    return RunCheck(read.table, problems, read.tag, read.lines, read.topics_found, read.header, read.description)


def _whole_text(source: BinaryIO, limits: Limits, problems: ProblemLog) -> RunText:
    chunks = list(text_chunks(source, limits, problems))
    return RunText(b"".join(chunks), [len(chunk) for chunk in chunks])


def read_lines(text: RunText, rules: RunRules) -> RunColumns:
    """The run as the reader of lines reads it."""
    reader = RunLines(rules)
    reader.read(text.numbered_lines())
    rows = [(line.topic, line.docno, line.rank, line.score) for line in reader.counting()]
    table = pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row") if rows else None
    findings, tag, topics = reader.findings, reader.tag, reader.topics_found
    return RunColumns(findings, table, tag, reader.lines, topics, reader.header, reader.description)
