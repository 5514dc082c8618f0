"""A whole run read as columns: what `RunLines` finds, many times as fast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from campaign.formats.runs.column_reader.batches import (
    Numbers,
    RunBatch,
    read_batch,
    read_usual_batch,
    without_comments,
)
from campaign.formats.runs.column_reader.findings import ColumnFindings, file_order
from campaign.formats.runs.column_reader.line_rules import LineRules
from campaign.formats.runs.column_reader.text import Batch, RunText
from campaign.formats.runs.column_reader.topics import TopicLines, topic_blocks
from campaign.formats.runs.findings import Findings
from campaign.formats.runs.header import JsonBlocks, RunHead, split_head
from campaign.formats.runs.line_reader.reader import add_head
from campaign.formats.runs.rules import RunRules

KEPT = ["docno", "rank", "score"]


@dataclass(frozen=True, slots=True)
class RunColumns:
    """A run as read by column. `table`: the lines that count, in file order; None if there are none."""

    findings: Findings
    table: pl.DataFrame | None
    tag: str | None
    lines: int
    topics_found: int
    header: str
    description: str = ""


def read_columns(text: RunText, rules: RunRules, *, only_usual: bool = False) -> RunColumns | None:
    """Read the run; with `only_usual`, return None for a file with a line of unusual layout."""
    head, offset = split_head(text.without_mark, rules.topics)
    gathered = _Gathered(rules)
    for sent in text.batches(text.start + offset, head.lines + 1):
        batch, comments = without_comments(sent, rules.topics)
        lines = read_usual_batch(batch) if only_usual else read_batch(batch)
        if lines is None:
            return None
        gathered.add(lines, comments, batch)
    return gathered.finish(text, head)


class _Gathered:
    def __init__(self, rules: RunRules) -> None:
        self._rules = rules
        self._of_lines = LineRules(rules)
        self._frames: list[pl.DataFrame] = []
        self._numbers: list[Numbers] = []
        self._topics: list[pl.DataFrame] = []
        self._json = JsonBlocks(rules.topics)

    def add(self, batch: RunBatch, comments: Numbers, sent: Batch) -> None:
        self._of_lines.check(batch, comments, self._without_json(batch, sent))
        if batch.frame.height:
            self._frames.append(batch.frame[KEPT])
            self._numbers.append(batch.numbers)
            self._topics.append(batch.frame["topic"].rle().struct.unnest())

    def _without_json(self, batch: RunBatch, sent: Batch) -> Numbers:
        """The numbers of the lines of other than six columns, of JSON that of its first line alone."""
        if not (self._json.is_open or b"{" in sent.text or b"[" in sent.text):
            return batch.wrong_columns
        lines = sent.text.splitlines() if len(batch.wrong_columns) else []
        usual, kept = 0, []
        for number, before in zip(
            batch.wrong_columns, np.searchsorted(batch.numbers, batch.wrong_columns), strict=True
        ):
            if before > usual:
                self._json.end()
            usual = before
            if not self._json.goes_on(lines[number - sent.first_line]):
                kept.append(number)
        if len(batch.numbers) > usual:
            self._json.end()
        return np.array(kept, dtype=np.uint32)

    def finish(self, text: RunText, head: RunHead) -> RunColumns:
        findings = ColumnFindings(self._rules, self._of_lines, text.line)
        add_head(findings.findings, head)
        tag, lines = self._of_lines.tag, self._of_lines.lines + len(head.no_run)
        if not self._frames:
            return RunColumns(findings.findings, None, tag, lines, 0, head.header, head.description)
        frame = self._frames[0] if len(self._frames) == 1 else pl.concat(self._frames)
        self._frames.clear()
        names, blocks = topic_blocks(self._topics)
        topics = TopicLines(names, blocks, frame, np.concatenate(self._numbers), self._rules.ordering)
        counts = findings.check_topics(topics)
        frame = pl.DataFrame([names.gather(topics.codes_in_file()).alias("topic"), *frame.get_columns()])
        table = frame if counts is None else frame.filter(pl.Series(file_order(topics, counts)))
        answered = int(findings.known(names).sum())
        return RunColumns(
            findings.findings, table if table.height else None, tag, lines, answered, head.header, head.description
        )
