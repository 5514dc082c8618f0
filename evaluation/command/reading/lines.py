"""The tolerant reader of runs for scoring: it asks of a line only what a score depends on. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from campaign.formats.encodings import UTF8_MARK, add_not_utf8
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.runs.header import is_json
from campaign.formats.runs.line_reader.wrong_columns import INTEGER, NUMBER, column_values
from campaign.formats.runs.rules import RULES
from campaign.formats.source import Limits, numbered_lines

INFINITY = re.compile(rb"[+-]?inf(inity)?", re.IGNORECASE)
HEAD_OF_LINE = rb"(?<![^\r\n])"
MARK = re.compile(HEAD_OF_LINE + UTF8_MARK)
COMMENT = re.compile(HEAD_OF_LINE + rb"[ \t\v\f]*#[^\r\n]*")


@dataclass(slots=True)
class ScoreLines:
    """Reads the lines of one run; afterwards the parallel lists hold the lines that could be read, in file order.

    Takes any text in the second and the last column, further columns, any number of documents and infinite scores.
    Ranks must be whole numbers `with_rank`, otherwise they may be any text as well. Nothing is warned of.
    """

    problems: ProblemLog
    with_rank: bool = False
    topics: list[str] = field(default_factory=list)
    docnos: list[str] = field(default_factory=list)
    ranks: list[int | None] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    lines: int = 0
    _first_lines: dict[str, dict[str, int]] = field(default_factory=dict)

    def read(self, lines: Iterable[tuple[int, bytes]]) -> None:
        for number, line in lines:
            fields = line.split()
            if not fields:
                continue
            self.lines += 1
            is_of_json = self.lines == 1 and is_json(line)
            if len(fields) < 6 or is_of_json:
                rule = RULES["column_count"]
                values = column_values(line, len(fields))
                message, remedy = rule.message.format(**values), rule.remedy.format(**values)
                self.problems.add("column_count", message, remedy, line=number, excerpt=line)
                if is_of_json:
                    return
            else:
                self._read_fields(number, line, fields)

    def _read_fields(self, number: int, line: bytes, fields: list[bytes]) -> None:
        try:
            topic, docno = fields[0].decode(), fields[2].decode()
        except UnicodeDecodeError:
            add_not_utf8(self.problems, number, line)
            return
        self._check_repetition(number, line, topic, docno)
        rank, score = self._rank(number, line, fields[3]), self._score(number, line, fields[4])
        if score is not None:
            self.topics.append(topic)
            self.docnos.append(docno)
            self.ranks.append(rank)
            self.scores.append(score)

    def _check_repetition(self, number: int, line: bytes, topic: str, docno: str) -> None:
        first = self._first_lines.setdefault(topic, {}).setdefault(docno, number)
        if first != number:
            message = f"Docno {visible(docno)} was already retrieved for topic {visible(topic)} on line {first}."
            self.problems.add("docno_duplicate", message, "Keep one line for each document.", line=number, excerpt=line)

    def _rank(self, number: int, line: bytes, value: bytes) -> int | None:
        if INTEGER.fullmatch(value):
            return int(value)
        if self.with_rank:
            message = f"Rank {visible(value)} is not an integer."
            remedy = "Write ranks as whole numbers: the documents are ordered by them."
            self.problems.add("rank_not_integer", message, remedy, line=number, excerpt=line)
        return None

    def _score(self, number: int, line: bytes, value: bytes) -> float | None:
        if NUMBER.fullmatch(value) or INFINITY.fullmatch(value):
            return float(value)
        message = f"Score {visible(value)} is not a number."
        remedy = "Write scores as decimal numbers such as 12.5 or -3e-4."
        self.problems.add("score_not_number", message, remedy, line=number, excerpt=line)
        return None


def without_marks(data: bytes) -> bytes:
    """The text without the marks at the head of the file, or of the files that were put together to this one."""
    # The search for one byte is quick, and it is a rare one.
    return MARK.sub(b"", data) if UTF8_MARK[:1] in data and UTF8_MARK in data else data


def without_comments(data: bytes) -> bytes:
    """The text with an empty line in place of every line that begins with #: the others keep their numbers."""
    return COMMENT.sub(b"", data) if b"#" in data else data


def add_comments(data: bytes, limits: Limits, problems: ProblemLog) -> None:
    """Add a problem for every line that begins with #."""
    if not COMMENT.search(data):
        return
    for number, line in numbered_lines([data], limits, ProblemLog()):
        if COMMENT.match(line):
            remedy = "Take it out, or ask for the rules of release 10: it passes over such lines, release 9 does not."
            problems.add("comment", "The line begins with #.", remedy, line=number, excerpt=line)
