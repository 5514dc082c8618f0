"""The text of a run in one piece, cut into batches of whole lines; any line of it can be looked up by its number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from campaign.formats.encodings import UTF8_MARK
from campaign.formats.problems import ProblemLog
from campaign.formats.source import Limits, numbered_lines

BATCH = 8 << 20
"""Bytes per batch: large enough for fast reading by column, small enough to save memory."""
MOST_LINES = 500_000
"""A batch has at most so many lines: each takes a hundred bytes, also an empty one. 8 MB of usual lines have fewer."""

STRIDE = 1 << 16


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole lines of a text, with the number of the first line and the number of lines."""

    text: bytes
    first_line: int
    lines: int


class RunText:
    """The bytes of a run. `sizes`: the sizes of the chunks they came in, which decide how far is read before a NUL stops."""

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
        """Return the offset of the end of the line with this number."""
        before, offset = 0, self.start
        for start, text in self._cut(self.start):
            pieces = text.splitlines(keepends=True)
            if before + len(pieces) >= lines:
                return start + sum(map(len, pieces[: lines - before]))
            before, offset = before + len(pieces), start + len(text)
        return offset

    def batches(self, offset: int, first_line: int) -> Iterator[Batch]:
        """Yield the text from `offset` on in batches; the line `first_line` begins there."""
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
        size = BATCH if self._line_ends_until(offset, offset + BATCH) <= MOST_LINES else MOST_LINES
        while offset + size < self._end:
            end = self.data.rfind(b"\n", offset, offset + size) + 1
            if not end:
                # The last byte may be the first half of a CRLF.
                end = self.data.rfind(b"\r", offset, offset + size - 1) + 1
            if end:
                return end
            size *= 2
        return self._end

    def _line_ends_until(self, start: int, end: int) -> int:
        return self.data.count(b"\n", start, end) + self.data.count(b"\r", start, end)

    def line(self, number: int) -> bytes:
        """Return a line of a batch that was yielded before, without its line end."""
        batch = bisect_right(self._numbers, number) - 1
        begin, end = self._offsets[batch], [*self._offsets[1:], self._end][batch]
        lines_before = self._numbers[batch]
        if self.data.find(b"\r", begin, end) < 0:
            # Skip most of the batch by counting line ends.
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
