"""The text of a run in one piece, cut into batches of whole lines; any line of it can be looked up by its number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from campaign.formats.problems import ProblemLog
from campaign.formats.source import UTF8_MARK, Limits, numbered_lines

BATCH = 8 << 20
"""Bytes: enough for the reader of columns to be quick, few enough to stay out of the memory's way."""


STRIDE = 1 << 16


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole lines of a text, the number of the first, and how many they are."""

    text: bytes
    first_line: int
    lines: int


class RunText:
    """`sizes`: of the chunks that the text came in. Where its reading ends, at a NUL, depends on them."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data = data
        self._sizes = sizes
        self._end = len(data)
        self._offsets: list[int] = []
        self._numbers: list[int] = []

    @property
    def start(self) -> int:
        return len(UTF8_MARK) if self.data.startswith(UTF8_MARK) else 0

    @property
    def without_mark(self) -> bytes:
        return self.data[self.start : self._end]

    def numbered_lines(self) -> Iterator[tuple[int, bytes]]:
        return enumerate(self.without_mark.splitlines(), start=1)

    def _chunks(self) -> Iterator[bytes]:
        start = 0
        for size in self._sizes:
            yield self.data[start : start + size]
            start += size

    def end_before_bad_line(self, limits: Limits, problems: ProblemLog, mark_severity: str) -> None:
        """Report a byte order mark, a NUL or a line too long; batches end where `numbered_lines` does."""
        if self._may_have_bad_line(limits):
            lines = 0
            for number, _ in numbered_lines(self._chunks(), limits, problems, mark_severity):
                lines = number
            if not problems.ok:
                self._end = self._offset_after(lines)
        else:
            next(numbered_lines([self.data[: self.start]], limits, problems, mark_severity), None)

    def _may_have_bad_line(self, limits: Limits) -> bool:
        # A line that is too long covers one of these windows.
        window = max(1, limits.max_line // 2)
        starts = range(0, len(self.data) - window, window)
        return b"\0" in self.data or not all(self._has_line_end(start, start + window) for start in starts)

    def _has_line_end(self, start: int, end: int) -> bool:
        return self.data.find(b"\n", start, end) >= 0 or self.data.find(b"\r", start, end) >= 0

    def _offset_after(self, lines: int) -> int:
        """Where a line ends, the number of which is known."""
        before, offset = 0, self.start
        for start, text in self._cut(self.start):
            pieces = text.splitlines(keepends=True)
            if before + len(pieces) >= lines:
                return start + sum(map(len, pieces[: lines - before]))
            before, offset = before + len(pieces), start + len(text)
        return offset

    def batches(self, offset: int, first_line: int) -> Iterator[Batch]:
        """The text from the offset on, which is where the first line begins."""
        number = first_line
        for start, text in self._cut(offset):
            self._offsets.append(start)
            self._numbers.append(number)
            lines = line_count(text)
            yield Batch(text, number, lines)
            number += lines

    def _cut(self, offset: int) -> Iterator[tuple[int, bytes]]:
        while offset < self._end:
            end = self._cutting_place(offset)
            yield offset, self.data[offset:end]
            offset = end

    def _cutting_place(self, offset: int) -> int:
        size = BATCH
        while offset + size < self._end:
            end = self.data.rfind(b"\n", offset, offset + size) + 1
            if not end:
                # The last byte may be the first half of a CRLF.
                end = self.data.rfind(b"\r", offset, offset + size - 1) + 1
            if end:
                return end
            size *= 2
        return self._end

    def line(self, number: int) -> bytes:
        """A line of a batch given before, without its end."""
        batch = bisect_right(self._numbers, number) - 1
        begin, end = self._offsets[batch], [*self._offsets[1:], self._end][batch]
        lines_before = self._numbers[batch]
        if self.data.find(b"\r", begin, end) < 0:
            # Most of the batch is passed over by counting.
            start = begin
            while start + STRIDE < end:
                lines = _line_ends(self.data[start : start + STRIDE])
                if lines > number - lines_before:
                    end = start + STRIDE
                else:
                    lines_before, start = lines_before + lines, start + STRIDE
            begin = self.data.rfind(b"\n", begin, start) + 1 or begin
        return self.data[begin:end].splitlines()[number - lines_before]


def line_count(text: bytes) -> int:
    if b"\r" in text:
        return len(text.splitlines())
    return _line_ends(text) + (not text.endswith(b"\n"))


def _line_ends(text: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n")))
