"""The tolerant reader of runs: line by line, every problem. Standard library only, Python 3.9 or newer.

It defines what a correct run is: `column_reader` must find the same problems, and the check script contains this module.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from campaign.formats.near_keys import HINTED, OF_COLLECTION, OF_TASK, hints, missing_from
from campaign.formats.problems import KEY_LENGTH_LIMIT, ProblemLog, visible
from campaign.formats.runs.findings import Findings, Told
from campaign.formats.runs.header import JsonBlocks, RunHead, is_comment_line
from campaign.formats.runs.line_reader.about_order import (
    constant_values,
    cut_values,
    reversed_values,
    tells_of_ties,
    tie_values,
)
from campaign.formats.runs.line_reader.order import (
    Line,
    count_ties,
    ends_by_rank,
    in_order,
    is_readable,
    is_reversed,
    repeated_rank,
    rising_lines,
    tie_at,
)
from campaign.formats.runs.line_reader.wrong_columns import INTEGER, NUMBER, column_values, names_a_column
from campaign.formats.runs.order_setting import BY_SCORE
from campaign.formats.runs.rules import BYTE_ORDER_MARK, OFF, STEPS, RunRules
from campaign.formats.source import Limits, add_empty, numbered_lines, text_chunks
from campaign.text.natural_order import natural_order

THOUSANDS = re.compile(rb"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+\.[0-9]*|(?:\.[0-9]{3})+,[0-9]*|(?:,[0-9]{3}){2,})")
DECIMAL_COMMA = re.compile(rb"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")
NAMED_TOPICS = 10
CONSTANT_FROM = 3
REVERSED_FROM = 10


@dataclass
class RunLines:
    """Reads the lines of one run; afterwards `counting()` gives what counts of it, in file order."""

    rules: RunRules
    findings: Findings = field(default_factory=Findings)
    lines: int = 0
    tag: str | None = None
    header: str = ""
    description: str = ""
    _kept: list[Line] = field(default_factory=list)
    _by_topic: dict[str, dict[str, Line]] = field(default_factory=dict)
    _last_topic: str | None = None
    _ungrouped: set[str] = field(default_factory=set)
    _unknown_topics: list[Line] = field(default_factory=list)

    @property
    def topics_found(self) -> int:
        """The number of the task's topics that are answered."""
        return sum(1 for topic in self._by_topic if self._is_known(topic))

    def read(self, lines: Iterable[tuple[int, bytes]]) -> None:
        head, lines, json = RunHead(self.rules.topics), iter(lines), JsonBlocks(self.rules.topics)
        for number, text in head.skip(lines):
            fields = text.split()
            if not fields:
                continue
            if is_comment_line(text, self.rules.topics):
                self._add("comment_line", number, text)
                continue
            self.lines += 1
            try:
                text.decode()
            except UnicodeDecodeError:
                self._add("not_utf8", number, text)
                continue
            if len(fields) == 6:
                json.end()
                self._read_fields(number, text, fields)
            elif not json.goes_on(text):
                self._add("column_count", number, text, **told_columns(text))
        for _ in lines if head.no_run else ():  # the reader of lines says what is wrong further down
            continue
        self.header, self.description = head.header, head.description
        self.lines += len(head.no_run)
        add_head(self.findings, head)
        self._finish()

    def counting(self) -> list[Line]:
        """Return the lines that count: readable, of a topic of the task, the first of each document, the best of each topic."""
        chosen = []
        for topic, documents in self._by_topic.items():
            if self._is_known(topic):
                chosen += self._best(documents)
        return sorted(chosen, key=lambda line: line.number)

    def _best(self, documents: dict[str, Line]) -> list[Line]:
        readable = [line for line in documents.values() if is_readable(line)]
        limit = self.rules.max_documents_per_topic
        return readable if len(readable) <= limit else in_order(readable, self.rules.ordering.run_order)[:limit]

    def _read_fields(self, number: int, text: bytes, fields: list[bytes]) -> None:
        topic, docno, tag = fields[0].decode(), fields[2].decode(), fields[5].decode()
        if fields[1] != b"Q0":
            self._add("not_q0", number, text, value=fields[1])
        self._check_tag(number, text, tag)
        rank, score = self._rank(number, text, fields[3]), self._score(number, text, fields[4])
        compared = math.nan if score is None else self.rules.ordering.comparable(score)
        line = Line(number, text, topic, docno, rank, score, compared)
        self._check_docno(line)
        self._check_topic(line)
        self._kept.append(line)

    def _check_tag(self, number: int, text: bytes, tag: str) -> None:
        if self.tag is None:
            self.tag = tag
        elif tag != self.tag:
            self._add("tag_varies", number, text, tag=tag, first=self.tag)
        expected = self.rules.tag
        if expected is not None and tag != expected:
            self._add("tag_unexpected", number, text, tag=tag, expected=expected)
        if not self.rules.tag_is_well_formed(tag):
            self._add("tag_pattern", number, text, tag=tag, pattern=self.rules.tag_pattern)

    def _check_docno(self, line: Line) -> None:
        if len(line.docno) > KEY_LENGTH_LIMIT:
            self._add("docno_long", line.number, line.text, length=len(line.docno))
        if re.search(STEPS, line.docno):
            self._add("docno_dots", line.number, line.text, docno=line.docno)
        if not self.rules.docno_is_well_formed(line.docno):
            self._add("docno_pattern", line.number, line.text, docno=line.docno, pattern=self.rules.docno_pattern or "")

    def _check_topic(self, line: Line) -> None:
        documents = self._by_topic.get(line.topic)
        if documents is None:
            documents = self._by_topic[line.topic] = {}
            if not self._is_known(line.topic):
                self._unknown_topics.append(line)
        elif line.topic != self._last_topic and line.topic not in self._ungrouped:
            self._ungrouped.add(line.topic)
            self._add("topic_ungrouped", line.number, line.text, line.topic, topic=line.topic)
        self._last_topic = line.topic
        first = documents.setdefault(line.docno, line)
        if first is not line:
            values = {"docno": line.docno, "topic": line.topic}
            self._add("docno_duplicate", line.number, line.text, **values, first=str(first.number))

    def _rank(self, number: int, text: bytes, value: bytes) -> int | None:
        if INTEGER.fullmatch(value):
            rank = int(value)
            if rank < 0:
                self._add("rank_negative", number, text, rank=str(rank))
            return rank
        self._add("rank_not_integer", number, text, rank=value)
        return None

    def _score(self, number: int, text: bytes, value: bytes) -> float | None:
        score = float(value) if NUMBER.fullmatch(value) else math.nan
        if not math.isfinite(score):
            self._add("score_not_finite", number, text, score=value, hint=Told(_hint_of_score(value, score)))
            return None
        compared = self.rules.ordering.comparable(score)
        if math.isinf(compared) or (score and not compared):
            self._add(
                "score_out_of_range", number, text, score=value, becomes="0" if score and not compared else "infinite"
            )
        return score

    def _add(self, code: str, number: int, text: bytes, place: str = "", **values: object) -> None:
        self.findings.add(code, number, text, place or str(number), **values)

    def _is_known(self, topic: str) -> bool:
        return self.rules.topics is None or topic in self.rules.topics

    def _finish(self) -> None:
        self._check_known_topics()
        self._check_known_docnos()
        self._check_depths()
        self._check_ranks()
        self._check_scores()
        if self._by_topic:
            self._check_answered()

    def _check_known_topics(self) -> None:
        unknown = self._unknown_topics
        hint = Told(hints((line.topic for line in unknown[:HINTED]), missing_from(self.rules.topics or ()), OF_TASK))
        for line in unknown:
            self._add("topic_unknown", line.number, line.text, line.topic, topic=line.topic, hint=hint)

    def _check_known_docnos(self) -> None:
        if self.rules.docnos is None:
            return
        missing = self.rules.docnos.missing({line.docno for line in self._kept})
        unknown = [line for line in self._kept if line.docno in missing]
        hint = Told(hints((line.docno for line in unknown[:HINTED]), self.rules.docnos.missing, OF_COLLECTION))
        for line in unknown:
            self._add("docno_unknown", line.number, line.text, docno=line.docno, hint=hint)

    def _check_depths(self) -> None:
        limit = self.rules.max_documents_per_topic
        deep, tied, short = [], [], []
        for topic, documents in self._by_topic.items():
            lines = list(documents.values())
            if not self._is_known(topic):
                continue
            if len(lines) < limit:
                short.append((lines[0], {"documents": len(lines), "limit": limit}))
            elif len(lines) > limit:
                deep.append((lines[limit], {"documents": len(lines), "limit": limit}))
                pair = tie_at(lines, limit) if self.rules.ordering.run_order == BY_SCORE else None
                if pair is not None:
                    tied.append((pair[1], cut_values(limit, pair[0].score, pair[1].score)))
        self._add_topics("topic_short", short)
        self._add_topics("topic_too_deep", deep)
        self._add_topics("tie_at_cut", tied)

    def _check_ranks(self) -> None:
        ranks = {line.rank for line in self._kept}
        if len(ranks) == 1 and None not in ranks and any(len(documents) > 1 for documents in self._by_topic.values()):
            first = self._kept[0]
            self._add("rank_constant", first.number, first.text, rank=str(first.rank))
        if self.rules.severity("rank_duplicate") != OFF:
            self._add_topics("rank_duplicate", filter(None, map(repeated_rank, self._topics_of(self._kept))))

    def _check_scores(self) -> None:
        topics = self._topics_of(line for line in self._kept if line.score is not None)
        scored = [lines for lines in topics if self.rules.is_scored(lines[0].topic)]
        ties = count_ties(scored)
        told = tie_values(ties)
        constant = [
            (lines[0], {**told, **constant_of(lines)})
            for lines in scored
            if len(lines) >= CONSTANT_FROM and len({line.compared for line in lines}) == 1
        ]
        self._add_topics("score_constant", constant)
        if tells_of_ties(ties, has_constant=bool(constant), rules=self.rules):
            self.findings.put("score_ties", None, "", 1, (), **told)
        self._check_rises([[line for line in lines if line.rank is not None] for lines in topics])

    def _check_rises(self, topics: list[list[Line]]) -> None:
        """Compare scores with ranks; all lines have both."""
        if are_reversed(topics):
            lines = min((lines for lines in topics if len(lines) > 1), key=lambda lines: ends_by_rank(lines)[0].number)
            first, last = ends_by_rank(lines)
            top = in_order(lines)[0]
            self.findings.put("score_reversed", None, "", 1, (), **reversed_values(first, last, top.docno))
            return
        rising = [lines for lines in map(rising_lines, topics) if lines]
        counts = {"rising": sum(map(len, rising)), "lines": sum(map(len, topics))}
        self._add_topics("score_rises", [(lines[0], counts) for lines in rising])

    @staticmethod
    def _topics_of(lines: Iterable[Line]) -> list[list[Line]]:
        by_topic: dict[str, list[Line]] = {}
        for line in lines:
            by_topic.setdefault(line.topic, []).append(line)
        return list(by_topic.values())

    def _check_answered(self) -> None:
        topics = self.rules.topics or frozenset()
        missing = sorted(topics.difference(self._by_topic), key=natural_order)
        if topics and len(missing) == len(topics):
            self.findings.put("no_known_topic", None, "", 1, (), topic=min(topics, key=natural_order))
        elif missing:
            values = {"missing": len(missing), "topics": len(topics), "numbers": told_topics(missing)}
            self.findings.put("topic_missing", None, "", len(missing), (), **values)

    def _add_topics(self, code: str, ties: Iterable[tuple[Line, Mapping[str, object]]]) -> None:
        """Record one violation per topic, in the order of the lines that show them."""
        for line, values in sorted(ties, key=lambda entry: entry[0].number):
            self._add(code, line.number, line.text, line.topic, topic=line.topic, **values)


def are_reversed(topics: list[list[Line]]) -> bool:
    """Whether scores never fall and somewhere rise with distinct ranks, in every topic of two documents or more.

    Two neighbours by rank are one comparison: with fewer than REVERSED_FROM of them, or in a single topic, the answer is False.
    """
    several = [lines for lines in topics if len(lines) > 1]
    if len(several) < 2 or sum(len(lines) - 1 for lines in several) < REVERSED_FROM:
        return False
    return all(is_reversed(lines) for lines in several)


def constant_of(lines: list[Line]) -> dict[str, object]:
    """The values of `score_constant` for a topic whose lines all have scores that compare as equal."""
    first = lines[0].score
    return constant_values(len(lines), first, are_equal=all(line.score == first for line in lines))


def add_head(findings: Findings, head: RunHead) -> None:
    """Record what stands before the lines of the run, and what is none in their place."""
    findings.add_head(head.left_out, head.unclosed)
    for number, text, sample in head.no_run:
        findings.add("column_count", number, text, str(number), **told_columns(sample))


def told_columns(text: bytes) -> dict[str, Told]:
    return {name: Told(value) for name, value in column_values(text, len(text.split(b"\n", 1)[0].split())).items()}


def _hint_of_score(value: bytes, score: float) -> str:
    if value.count(b",") and THOUSANDS.fullmatch(value):
        return " Take out what separates the thousands, and write a decimal point."
    if DECIMAL_COMMA.fullmatch(value):
        return " Write a decimal point in place of the comma."
    if names_a_column(value):
        return " The line names columns: take it out."
    return "" if math.isnan(score) else " This one is beyond 1.8e308, the largest number: divide all scores."


def told_topics(topics: list[str]) -> str:
    """The first topics of a list, and how many more there are.

    >>> told_topics(["7", "9"])
    '7, 9'
    """
    more = f" and {len(topics) - NAMED_TOPICS:,} more" if len(topics) > NAMED_TOPICS else ""
    return ", ".join(visible(topic) for topic in topics[:NAMED_TOPICS]) + more


@dataclass(frozen=True)
class LineCheck:
    """`reader` is None where the file could not be read to its end: problems of a part would be misleading."""

    problems: ProblemLog
    reader: RunLines | None


def read_run(source: BinaryIO, rules: RunRules, limits: Limits) -> LineCheck:
    """Read a run, plain or gzip, and find every problem that it has under the rules."""
    of_file, of_lines = ProblemLog(), ProblemLog()
    chunks = text_chunks(source, limits, of_file)
    reader = RunLines(rules)
    reader.read(numbered_lines(chunks, limits, of_lines, rules.severity(BYTE_ORDER_MARK)))
    for _ in chunks:  # behind a NUL or a line too long, the file itself may be damaged
        continue
    if not of_file.ok:
        return LineCheck(of_file, None)
    for found in of_file.shown:  # warnings
        of_lines.add(found.code, found.message, found.remedy, severity=found.severity)
    if not reader.lines and of_lines.ok:
        add_empty(of_lines, "lines")
    reader.findings.report(rules, of_lines)
    return LineCheck(of_lines, reader)
