"""Runs: checking an upload against a task's rules, the canonical order, and the forms in which a run is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

import polars as pl

from campaign.formats.problems import ProblemLog
from campaign.formats.run_column_reading import RunColumns, read_columns
from campaign.formats.run_lines import RunLines
from campaign.formats.run_rules import BYTE_ORDER_MARK, DEFAULT_TAG_PATTERN, RunRules
from campaign.formats.run_text import RunText
from campaign.formats.source import Limits, add_empty, text_chunks

__all__ = [
    "DEFAULT_TAG_PATTERN",
    "RUN_LIMITS",
    "RUN_SCHEMA",
    "SCORED_COLUMNS",
    "RunCheck",
    "RunRules",
    "check_run",
    "ranked",
    "run_table_from_parquet",
    "run_table_to_parquet",
    "write_run",
]

RUN_LIMITS = Limits()
LINES_AT_MOST = 4 << 20
"""Bytes of a text of unusual layout up to which the reader of lines takes it."""
SCORED_COLUMNS = ("topic", "docno", "score")
RUN_SCHEMA = pl.Schema({"topic": pl.String, "docno": pl.String, "rank": pl.Int64, "score": pl.Float64})


@dataclass(frozen=True, slots=True)
class RunCheck:
    """What a check found. `table`: what counts of the run, one row a line in file order (`RUN_SCHEMA`); with errors, what
    would count if they were forgiven; `None` when no line can be read. `topics`: how many topics of the task are answered.
    `header`: the `ir_metadata` at the head of the file.
    """

    table: pl.DataFrame | None
    problems: ProblemLog
    tag: str | None
    lines: int
    topics: int
    header: str = ""

    @property
    def ok(self) -> bool:
        return self.problems.ok and self.table is not None


def check_run(source: BinaryIO, rules: RunRules, limits: Limits = RUN_LIMITS) -> RunCheck:
    """Read a run, plain or gzip, and find every problem that it has under the rules.

    `RunLines` says what there is to find. Columns find the same in less time, by line only what is small and unusual is read.
    """
    problems = ProblemLog()
    text = _whole_text(source, limits, problems)
    if not problems.ok:  # the text is cut short: what could be said about the rest would be misleading
        return RunCheck(None, problems, None, 0, 0)
    text.end_before_bad_line(limits, problems, rules.severity(BYTE_ORDER_MARK))
    is_small = len(text.data) <= LINES_AT_MOST
    read = read_columns(text, rules, only_usual=is_small) or read_lines(text, rules)
    if not read.lines and problems.ok:
        add_empty(problems, "lines")
    read.findings.tell(rules, problems)
    return RunCheck(read.table, problems, read.tag, read.lines, read.topics_found, read.header)


def _whole_text(source: BinaryIO, limits: Limits, problems: ProblemLog) -> RunText:
    chunks = list(text_chunks(source, limits, problems))
    return RunText(b"".join(chunks), [len(chunk) for chunk in chunks])


def read_lines(text: RunText, rules: RunRules) -> RunColumns:
    """The run as the reader of lines reads it."""
    reader = RunLines(rules)
    reader.read(text.numbered_lines())
    rows = [(line.topic, line.docno, line.rank, line.score) for line in reader.counting()]
    table = pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row") if rows else None
    return RunColumns(reader.findings, table, reader.tag, reader.lines, reader.topics_found, reader.header)


def ranked(table: pl.DataFrame) -> pl.DataFrame:
    """The run in canonical order with a column `position` (UInt32, from 1 in each topic).

    Topics come in byte order. Inside a topic scores descend as doubles (0.0 equals -0.0), and ties are broken by docno,
    descending by UTF-8 bytes. The rank column is not used. Scores must be finite.
    """
    position = pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic").alias("position")
    return table.sort("topic", "score", "docno", descending=[False, True, True]).with_columns(position)


def run_table_to_parquet(table: pl.DataFrame) -> bytes:
    buffer = BytesIO()
    table[list(RUN_SCHEMA)].write_parquet(buffer, compression="lz4", statistics=False)
    return buffer.getvalue()


def run_table_from_parquet(source: BinaryIO | bytes, columns: Sequence[str] = tuple(RUN_SCHEMA)) -> pl.DataFrame:
    data = source if isinstance(source, bytes) else source.read()
    schema = pl.Schema({name: RUN_SCHEMA[name] for name in columns})
    return pl.read_parquet(BytesIO(data), columns=list(columns)).match_to_schema(schema)


def write_run(table: pl.DataFrame, tag: str) -> bytes:
    """The run as TREC text: canonical order, `Q0`, ranks from 1, scores that read back as the same doubles."""
    columns = [
        pl.col("topic"),
        pl.lit("Q0").alias("q0"),
        pl.col("docno"),
        pl.col("position"),
        pl.col("score"),
        pl.lit(tag).alias("tag"),
    ]
    buffer = BytesIO()
    ranked(table).select(columns).write_csv(buffer, include_header=False, separator=" ", quote_style="never")
    return buffer.getvalue()
