"""Runs: checking an upload against a task's rules, the canonical order, and the forms in which a run is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

import polars as pl

from campaign.formats.problems import ProblemLog
from campaign.formats.run_columns import read_clean_run
from campaign.formats.run_lines import RunLines
from campaign.formats.run_rules import DEFAULT_TAG_PATTERN, RunRules, add_missing_topics
from campaign.formats.source import CHUNK, Limits, add_empty, numbered_lines, text_chunks

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
SCORED_COLUMNS = ("topic", "docno", "score")
RUN_SCHEMA = pl.Schema({"topic": pl.String, "docno": pl.String, "rank": pl.Int64, "score": pl.Float64})


@dataclass(frozen=True, slots=True)
class RunCheck:
    """`table` has one row a line in file order (`RUN_SCHEMA`), and is `None` when there are errors."""

    table: pl.DataFrame | None
    problems: ProblemLog
    tag: str | None
    lines: int
    topics: int


def check_run(source: BinaryIO, rules: RunRules, limits: Limits = RUN_LIMITS) -> RunCheck:
    """Read a run, plain or gzip, and find every problem that it has under the rules."""
    problems = ProblemLog()
    buffer = BytesIO()
    for chunk in text_chunks(source, limits, problems):
        buffer.write(chunk)
    data = buffer.getvalue()
    del buffer
    if not problems.ok:  # the text is cut short: what could be said about the rest would be misleading
        return RunCheck(None, problems, None, 0, 0)
    frame = read_clean_run(data, rules)
    if frame is not None:
        return _clean_check(frame, rules, problems)
    return _tolerant_check(data, rules, limits, problems)


def _clean_check(frame: pl.DataFrame, rules: RunRules, problems: ProblemLog) -> RunCheck:
    topics = frame["topic"].unique().to_list()
    add_missing_topics(problems, rules, topics)
    table = frame.select(list(RUN_SCHEMA)) if problems.ok else None
    return RunCheck(table, problems, frame["tag"][0], frame.height, len(topics))


def _tolerant_check(data: bytes, rules: RunRules, limits: Limits, problems: ProblemLog) -> RunCheck:
    reader = RunLines(rules, problems)
    pieces = (data[start : start + CHUNK] for start in range(0, len(data), CHUNK))
    reader.read(numbered_lines(pieces, limits, problems))
    if not reader.lines and problems.ok:
        add_empty(problems, "lines")
    table = None
    if problems.ok:
        columns = {"topic": reader.topics, "docno": reader.docnos, "rank": reader.ranks, "score": reader.scores}
        table = pl.DataFrame(columns, schema=RUN_SCHEMA)
    return RunCheck(table, problems, reader.tag, reader.lines, reader.topics_found)


def ranked(table: pl.DataFrame) -> pl.DataFrame:
    """The run in canonical order with a column `position` (UInt32, from 1 in each topic).

    Topics come in byte order. Inside a topic scores descend as doubles (0.0 equals -0.0), and ties are broken by docno,
    descending by UTF-8 bytes. The rank column is not used. Scores must be finite.
    """
    position = pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic").alias("position")
    return table.sort("topic", "score", "docno", descending=[False, True, True]).with_columns(position)


def run_table_to_parquet(table: pl.DataFrame) -> bytes:
    buffer = BytesIO()
    table.select(list(RUN_SCHEMA)).write_parquet(buffer, compression="lz4")
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
