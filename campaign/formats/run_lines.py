"""The tolerant reader of runs: line by line, whatever the file looks like, every problem. Standard library only.

It is the definition of a correct run; the fast reader may only accept files that this one accepts with the same table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from campaign.formats.problems import KEY_LENGTH_LIMIT, ProblemLog, visible
from campaign.formats.run_rules import RunRules, add_missing_topics
from campaign.formats.source import add_not_utf8

COLUMNS = "topic Q0 docno rank score tag"
INTEGER = re.compile(rb"[+-]?[0-9]{1,18}")
NUMBER = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
NO_BREAK_SPACE = "\u00a0".encode()
Key = TypeVar("Key", str, bytes)


@dataclass(slots=True)
class FirstSeen:
    line: int
    excerpt: bytes
    count: int = 0


@dataclass(slots=True)
class RunLines:
    """Reads the lines of one run; afterwards the parallel lists hold the lines that could be read, in file order."""

    rules: RunRules
    problems: ProblemLog
    topics: list[str] = field(default_factory=list)
    docnos: list[str] = field(default_factory=list)
    ranks: list[int | None] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    lines: int = 0
    tags: dict[str, FirstSeen] = field(default_factory=dict)
    _first_lines: dict[str, dict[str, int]] = field(default_factory=dict)
    _retrieved: dict[str, FirstSeen] = field(default_factory=dict)
    _unknown_topics: dict[str, FirstSeen] = field(default_factory=dict)
    _not_q0: dict[bytes, FirstSeen] = field(default_factory=dict)

    @property
    def tag(self) -> str | None:
        return next(iter(self.tags), None)

    @property
    def topics_found(self) -> int:
        return len(self._first_lines)

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
            if len(fields) == 6:
                self._read_fields(number, line, fields)
            else:
                self._add_column_problem(number, line, len(fields))
        self._finish()

    def _read_fields(self, number: int, line: bytes, fields: list[bytes]) -> None:
        topic, docno, tag = fields[0].decode(), fields[2].decode(), fields[5].decode()
        if fields[1] != b"Q0":
            _count(self._not_q0, fields[1], number, line)
        _count(self.tags, tag, number, line)
        if self.rules.topics is not None and topic not in self.rules.topics:
            _count(self._unknown_topics, topic, number, line)
        self._check_docno(number, line, docno)
        self._check_repetition(number, line, topic, docno)
        self._check_length(number, line, topic)
        self._keep(number, line, topic, docno, fields)

    def _keep(self, number: int, line: bytes, topic: str, docno: str, fields: list[bytes]) -> None:
        rank = self._rank(number, line, fields[3])
        score = self._score(number, line, fields[4])
        if score is not None:
            self.topics.append(topic)
            self.docnos.append(docno)
            self.ranks.append(rank)
            self.scores.append(score)
            self.numbers.append(number)

    def _check_docno(self, number: int, line: bytes, docno: str) -> None:
        rules = self.rules
        if len(docno) > KEY_LENGTH_LIMIT:
            message = f"The docno has {len(docno)} characters, the maximum is {KEY_LENGTH_LIMIT}."
            self.problems.add("docno_long", message, "Use the collection's docnos.", line=number, excerpt=line)
        elif rules.docnos is not None and docno not in rules.docnos:
            message = f"Docno {visible(docno)} is not in the collection."
            self.problems.add("docno_unknown", message, "Use the collection's docnos.", line=number, excerpt=line)
        elif not rules.docno_is_well_formed(docno):
            message = f"Docno {visible(docno)} does not match the collection's pattern {rules.docno_pattern}."
            self.problems.add("docno_pattern", message, "Use the collection's docnos.", line=number, excerpt=line)

    def _check_repetition(self, number: int, line: bytes, topic: str, docno: str) -> None:
        first_lines = self._first_lines.setdefault(topic, {})
        first = first_lines.setdefault(docno, number)
        if first != number:
            message = f"Docno {visible(docno)} was already retrieved for topic {visible(topic)} on line {first}."
            self.problems.add("docno_duplicate", message, "Keep one line for each document.", line=number, excerpt=line)

    def _check_length(self, number: int, line: bytes, topic: str) -> None:
        retrieved = _count(self._retrieved, topic, number, line)
        if retrieved.count == self.rules.max_documents_per_topic + 1:
            retrieved.line, retrieved.excerpt = number, line

    def _rank(self, number: int, line: bytes, value: bytes) -> int | None:
        if INTEGER.fullmatch(value):
            return int(value)
        message = f"Rank {visible(value)} is not an integer."
        remedy = "The order comes from the scores, so the rank is ignored; check that the columns are in order."
        self.problems.add("rank_not_integer", message, remedy, line=number, excerpt=line, severity="warning")
        return None

    def _score(self, number: int, line: bytes, value: bytes) -> float | None:
        score = float(value) if NUMBER.fullmatch(value) else math.nan
        if math.isfinite(score):
            return score
        message = f"Score {visible(value)} is not a finite number."
        remedy = "Write scores as decimal numbers such as 12.5 or -3e-4."
        self.problems.add("score_not_finite", message, remedy, line=number, excerpt=line)
        return None

    def _add_column_problem(self, number: int, line: bytes, count: int) -> None:
        message = f"There {'is 1 column' if count == 1 else f'are {count} columns'} instead of 6."
        remedy = f"Write {COLUMNS}, separated by blanks or tabs."
        if NO_BREAK_SPACE in line:
            remedy += " No-break spaces do not separate columns."
        self.problems.add("column_count", message, remedy, line=number, excerpt=line)

    def _finish(self) -> None:
        for topic, seen in self._unknown_topics.items():
            message = f"Topic {visible(topic)} is not a topic of this task ({_lines(seen.count)})."
            remedy = "Use the task's topic numbers exactly as they are written."
            self.problems.add("topic_unknown", message, remedy, line=seen.line, excerpt=seen.excerpt, times=seen.count)
        for value, seen in self._not_q0.items():
            message = f"The second column is {visible(value)}, not Q0 ({_lines(seen.count)})."
            remedy = "Write Q0; the column is ignored here, but other tools may refuse it."
            self.problems.add(
                "not_q0", message, remedy, line=seen.line, excerpt=seen.excerpt, severity="warning", times=seen.count
            )
        self._check_depth()
        self._check_tags()
        self._check_rising_scores()
        if self.lines:
            add_missing_topics(self.problems, self.rules, self._first_lines)

    def _check_depth(self) -> None:
        limit = self.rules.max_documents_per_topic
        for topic, seen in self._retrieved.items():
            if seen.count > limit:
                message = f"Topic {visible(topic)} has {seen.count} documents, the maximum is {limit}."
                remedy = f"Keep the best {limit} of each topic."
                self.problems.add("topic_too_deep", message, remedy, line=seen.line, excerpt=seen.excerpt)

    def _check_tags(self) -> None:
        rules = self.rules
        expected = rules.tag if rules.tag is not None else self.tag
        for tag, seen in self.tags.items():
            if not rules.tag_is_well_formed(tag):
                message = f"Run tag {visible(tag)} does not match {rules.tag_pattern}."
                self._add_tag_problem("tag_pattern", message, "Use a tag of the form that the task asks for.", seen)
            if tag == expected:
                continue
            if rules.tag is not None:
                message = (
                    f"The run tag is {visible(tag)}, but the run is submitted as {rules.tag} ({_lines(seen.count)})."
                )
                self._add_tag_problem(
                    "tag_unexpected", message, f"Write {rules.tag} in the last column of every line.", seen
                )
            else:
                first = visible(expected or "")
                message = f"Run tag {visible(tag)} differs from the first line's {first} ({_lines(seen.count)})."
                self._add_tag_problem("tag_varies", message, "Write one tag in the whole file.", seen)

    def _add_tag_problem(self, code: str, message: str, remedy: str, seen: FirstSeen) -> None:
        self.problems.add(code, message, remedy, line=seen.line, excerpt=seen.excerpt, times=seen.count)

    def _check_rising_scores(self) -> None:
        by_topic: dict[str, list[tuple[int, float, int]]] = {}
        for topic, rank, score, number in zip(self.topics, self.ranks, self.scores, self.numbers, strict=True):
            if rank is not None:
                by_topic.setdefault(topic, []).append((rank, score, number))
        for topic, ranked in by_topic.items():
            line = first_rise(ranked)
            if line is not None:
                message = f"In topic {visible(topic)} a document has a higher score than one ranked before it."
                remedy = "The order comes from the scores: check that higher scores mean better documents."
                self.problems.add("score_rises", message, remedy, line=line, severity="warning")


def first_rise(ranked: list[tuple[int, float, int]]) -> int | None:
    """The line of the first (rank, score, line) whose score is above that of any strictly better rank."""
    lowest_before = lowest = math.inf
    current: int | None = None
    for rank, score, line in sorted(ranked):
        if rank != current:
            current, lowest_before = rank, lowest
        if score > lowest_before:
            return line
        lowest = min(lowest, score)
    return None


def _count(seen: dict[Key, FirstSeen], key: Key, number: int, line: bytes) -> FirstSeen:
    entry = seen.get(key)
    if entry is None:
        entry = seen[key] = FirstSeen(number, line)
    entry.count += 1
    return entry


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"
