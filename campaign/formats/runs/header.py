"""The comment lines at the very head of a run, among them its `ir_metadata`. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

START, END = "# ir_metadata.start", "# ir_metadata.end"
HEADER_LIMIT = 64 << 10
HEAD_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\n|\r)?")


class RunHead:
    """Takes lines from the first one on, until one is no comment: that one, and all after it, are lines of the run.

    A comment begins with `#`, and its first field is not a topic. Where no topics are known, a line of six columns is a
    comment between the marks of `ir_metadata` only. Blank lines count as part of the head.
    """

    def __init__(self, topics: Collection[str] | None = None) -> None:
        self.lines = 0
        self._topics = topics
        self._metadata: list[str] = []
        self._size = 0
        self._state = "before"

    @property
    def header(self) -> str:
        """What stands between the marks, without the prefix; empty if there is no end mark or too much text."""
        return "\n".join(self._metadata) if self._state == "after" and self._size <= HEADER_LIMIT else ""

    def takes(self, text: bytes) -> bool:
        if text.strip() and not self._is_comment(text):
            return False
        self.lines += 1
        self._collect(text.decode(errors="replace"))
        return True

    def skip(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """The numbered lines after the head."""
        remaining = iter(lines)
        for entry in remaining:
            if not self.takes(entry[1]):
                return chain([entry], remaining)
        return remaining

    def _is_comment(self, text: bytes) -> bool:
        if not text.startswith(b"#"):
            return False
        if self._topics is not None:
            return text.split(None, 1)[0].decode(errors="replace") not in self._topics
        return self._state == "inside" or len(text.split()) != 6

    def _collect(self, text: str) -> None:
        mark = text.rstrip()
        if self._state == "before" and mark == START:
            self._state = "inside"
        elif self._state == "inside" and mark == END:
            self._state = "after"
        elif self._state == "inside":
            self._size += len(text) + 1
            if self._size <= HEADER_LIMIT:
                self._metadata.append(text[2:] if text.startswith("# ") else text[1:])


def split_head(data: bytes, topics: Collection[str] | None = None) -> tuple[RunHead, int]:
    """Return the head of a text without a byte order mark, and its length in bytes."""
    head = RunHead(topics)
    offset = 0
    while offset < len(data):
        line = HEAD_LINE.match(data, offset)
        if line is None or not head.takes(line[1]):
            break
        offset = line.end()
    return head, offset
