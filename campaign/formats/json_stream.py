"""Objects in JSON that take several lines or are items of one list, one at a time: a list of documents is not held as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from campaign.formats.json_values import MOST_OF_RECORD, TooManyValuesError, may_hold_more, require_few_values_of_first
from campaign.formats.jsonlines import BETWEEN, REPAIR, add_repeated_keys, goes_on, repeated_keys
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.smart import RecordTooLargeError

LIST = re.compile(r'\s*+(?:\{\s*+"(arguments|articles|corpus|data|docs|documents)"\s*+:\s*+)?\[')
"""The beginning of a list, alone or under one of these names."""
AT_ONCE = 1 << 16
"""Characters."""
FEWER = "Send only the fields that people need. Nothing after this line was read."
Lines = Iterable[tuple[int, str]]


def is_stream(line: str) -> bool:
    """Whether the first line of a file begins a list, or an object that takes several lines.

    >>> is_stream('[{"id": 1}, '), is_stream('{"arguments": ['), is_stream("{"), is_stream('{"id": 1}')
    (True, True, True, False)
    """
    return LIST.match(line) is not None or (line.lstrip().startswith("{") and goes_on(line))


class _Text:
    """The text of a file from `place` on, as far as it was needed; `line` is that of `place`."""

    def __init__(self, lines: Lines, most: int) -> None:
        self._lines = iter(lines)
        self._most = most
        self.text = ""
        self.place = 0
        self.line = 1
        self._counts_values = False

    def grow(self) -> bool:
        """Take in as much again, so that a long object is tried a few times only. False at the end of the file."""
        waiting = len(self.text) - self.place
        if waiting > self._most:
            raise RecordTooLargeError(self.line)
        parts, size = [self.text[self.place :]], 0
        for number, line in self._lines:
            if not size and not self.text:
                self.line = number
            parts.append(f"{line}\n")
            size += len(line) + 1
            if size > max(waiting, AT_ONCE):
                break
        self.text, self.place = "".join(parts), 0
        self._counts_values = may_hold_more(self.text, MOST_OF_RECORD)
        return size > 0

    def go_to(self, place: int) -> None:
        self.line += self.text.count("\n", self.place, place)
        self.place = place

    def next_character(self) -> str:
        """The next one behind blanks and commas; "" at the end."""
        while True:
            between = BETWEEN.match(self.text, self.place)
            self.go_to(between.end() if between else self.place)
            if self.place < len(self.text):
                return self.text[self.place]
            if not self.grow():
                return ""

    def value(self) -> tuple[str, Any]:
        """The text of the next value, and the value."""
        decoder = json.JSONDecoder()
        while True:
            if self._counts_values:
                require_few_values_of_first(self.text, self.place, MOST_OF_RECORD)
            try:
                value, end = decoder.raw_decode(self.text, self.place)
            except json.JSONDecodeError as error:
                is_unfinished = not self.text[error.pos :].strip()
                if not is_unfinished or not self.grow():
                    raise
            else:
                if end - self.place > self._most:
                    raise RecordTooLargeError(self.line)
                text = self.text[self.place : end]
                self.go_to(end)
                return text, value


def streamed_objects(lines: Lines, problems: ProblemLog, most: int) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The line on which each object begins, that line's text, and the object. `most`: the characters of the longest;
    RecordTooLargeError at a longer one.

    >>> problems = ProblemLog()
    >>> [(number, value) for number, _, value in streamed_objects([(1, '[{"id": 1},'), (2, '{"id": 2}]')], problems, 99)]
    [(1, {'id': 1}), (2, {'id': 2})]
    >>> problems.ok
    True
    """
    text = _Text(lines, most)
    try:
        yield from _objects(text, problems)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "too deep or too large"
        told = ("json_broken", f"The JSON is broken ({reason}).", REPAIR)
        if isinstance(error, TooManyValuesError):
            told = ("json_too_many_values", f"The document holds {error}.", FEWER)
        problems.add(*told, line=text.line, excerpt=text.text[text.place : text.place + 200])


def _objects(text: _Text, problems: ProblemLog) -> Iterator[tuple[int, str, dict[str, Any]]]:
    text.next_character()
    start = LIST.match(text.text, text.place)
    is_list = start is not None
    if start is not None:
        text.go_to(start.end())
    while first := text.next_character():
        line = text.line
        if is_list and first == "]":
            text.go_to(text.place + 1)
            _add_beside(text, "" if start is None else start[1] or "", problems)
            return
        written, value = text.value()
        excerpt = written.partition("\n")[0]
        if isinstance(value, dict):
            add_repeated_keys(repeated_keys(written, value), problems, line, excerpt)
            yield line, excerpt, value
        else:
            message, remedy = "The JSON value is not an object.", "Write each entry as an object of fields: {...}."
            problems.add("json_not_object", message, remedy, line=line, excerpt=excerpt)
    if is_list:
        problems.add("json_broken", "The list has no end.", REPAIR, line=text.line)


def _add_beside(text: _Text, name: str, problems: ProblemLog) -> None:
    """Tell what stands behind the list, which is left out."""
    after = text.next_character()
    if name and after == "}":
        text.go_to(text.place + 1)
        after = text.next_character()
    if after:
        of_name = f" “{visible(name)}”" if name else ""
        message = f"What stands behind the end of the list{of_name} is left out."
        remedy = "Check whether documents stand there: if so, send them as a file of their own."
        excerpt = text.text[text.place : text.place + 200]
        problems.add("json_beside_list", message, remedy, line=text.line, excerpt=excerpt, severity="warning")
