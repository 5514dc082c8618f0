"""What stands before the lines of a run: comments, `ir_metadata`, NTCIR's description, names of columns.

Standard library only, Python 3.9 or newer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from campaign.formats.problems import printable

START, END = "# ir_metadata.start", "# ir_metadata.end"
HEADER_LIMIT = 64 << 10
HEAD_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\n|\r)?")
DESCRIPTION = re.compile(rb"<SYSDESC>", re.IGNORECASE)
END_OF_DESCRIPTION = re.compile(rb"</SYSDESC>(.*)", re.IGNORECASE | re.DOTALL)
TAGS_OF_DESCRIPTION = re.compile(r"</?SYSDESC>", re.IGNORECASE)
HEADINGS = re.compile(
    rb"(?:topic|query|q)[-_.]?(?:id|no|num|number)?\s+\S+\s+\S+\s+rank\s+(?:score|sim|similarity)\s+\S+\s*",
    re.IGNORECASE,
)
JSON = re.compile(rb'\{\s*(?:$|"[^"]*"\s*:)|\[\s*(?:$|[\[{"])')
DESCRIBES = "The line describes the system (SYSDESC)."
NAMES_COLUMNS = "The line names the columns."


class RunHead:
    """Takes lines from the first one on, until one is no comment: that one, and all after it, are lines of the run.

    A comment begins with `#`, and its first field is not a topic. Where no topics are known, a line of six columns is a
    comment between the marks of `ir_metadata` only. Blank lines count as part of the head, and so do the lines of NTCIR's
    `<SYSDESC>`, and one line that names the columns. `left_out`: these two, as line number, text, and what the line is.
    A `<SYSDESC>` without an end is one line of the head. `unclosed`: its number and text.
    Where JSON begins, no line is one of the run. `json`: the number and text of that line.
    """

    def __init__(self, topics: Collection[str] | None = None) -> None:
        self.lines = 0
        self._topics = topics
        self._metadata: list[str] = []
        self._size = 0
        self._state = "before"
        self.left_out: list[tuple[int, bytes, str]] = []
        self.unclosed: list[tuple[int, bytes]] = []
        self.json: list[tuple[int, bytes]] = []
        self._is_described = self._names_columns = False

    @property
    def header(self) -> str:
        """What stands between the marks, without the prefix; empty if there is no end mark or too much text."""
        return "\n".join(self._metadata) if self._state == "after" and self._size <= HEADER_LIMIT else ""

    @property
    def description(self) -> str:
        """The text of `<SYSDESC>`, on one line, with escapes in place of characters that no reader sees."""
        text = " ".join(text.decode(errors="replace") for _, text, what in self.left_out if what == DESCRIBES)
        return printable(" ".join(TAGS_OF_DESCRIPTION.sub(" ", text).split()))

    def skip(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """The numbered lines after the head."""
        remaining = iter(lines)
        while entry := next(remaining, None):
            if not self._is_described and DESCRIPTION.match(entry[1]):
                remaining = self._take_description(entry, remaining)
            elif not self._takes(entry[1]):
                if is_json(entry[1]) and not self._is_of_a_topic(entry[1]):
                    self.json.append((self.lines + 1, entry[1]))
                    return iter(())
                return chain([entry], remaining)
        return remaining

    def _take_description(
        self, first: tuple[int, bytes], remaining: Iterator[tuple[int, bytes]]
    ) -> Iterator[tuple[int, bytes]]:
        """Take the lines up to the end of the description, or without an end the first one; return those after them."""
        self._is_described = True
        read: list[tuple[int, bytes]] = []
        size = 0
        for entry in chain([first], remaining):
            read.append(entry)
            size += len(entry[1]) + 1
            end = END_OF_DESCRIPTION.search(entry[1])
            if size > HEADER_LIMIT or (end and end[1].strip()):
                break
            if end:
                self.left_out += [
                    (self.lines + place, text, DESCRIBES) for place, (_, text) in enumerate(read, start=1)
                ]
                self.lines += len(read)
                return remaining
        self.lines += 1
        self.unclosed.append((self.lines, first[1]))
        return chain(read[1:], remaining)

    def _takes(self, text: bytes) -> bool:
        if not self._names_columns and HEADINGS.fullmatch(text) and not self._is_of_a_topic(text):
            self._names_columns = True
            self.left_out.append((self.lines + 1, text, NAMES_COLUMNS))
        elif text.strip() and not self._is_comment(text):
            return False
        else:
            self._collect(text.decode(errors="replace"))
        self.lines += 1
        return True

    def _is_of_a_topic(self, text: bytes) -> bool:
        return self._topics is not None and text.split(None, 1)[0].decode(errors="replace") in self._topics

    def _is_comment(self, text: bytes) -> bool:
        if not text.startswith(b"#"):
            return False
        if self._topics is not None:
            return not self._is_of_a_topic(text)
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


def is_json(text: bytes) -> bool:
    """Whether a line begins as JSON does.

    >>> is_json(b'{"1": {"d1": 2.5}}'), is_json(b"["), is_json(b"{1} Q0 d1 1 2.5 bm25")
    (True, True, False)
    """
    return JSON.match(text) is not None


def is_comment_line(text: bytes, topics: Collection[str] | None) -> bool:
    """Whether a line behind the head begins with # and its first field is no topic. Where none are known, no line is a comment.

    >>> is_comment_line(b"# 2 Q0 a 1 9", {"1"}), is_comment_line(b"#1 Q0 a 1 9 x", {"#1"}), is_comment_line(b"# a", None)
    (True, False, False)
    """
    if topics is None or not text.lstrip().startswith(b"#"):
        return False
    return text.split(None, 1)[0].decode(errors="replace") not in topics


def split_head(data: bytes, topics: Collection[str] | None = None) -> tuple[RunHead, int]:
    """Return the head of a text without a byte order mark, and its length in bytes."""
    head = RunHead(topics)
    after = next(head.skip(_placed_lines(data)), None)
    return head, len(data) if after is None else after[0]


def _placed_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines, each with the place of its first byte."""
    offset = 0
    while offset < len(data) and (line := HEAD_LINE.match(data, offset)):
        yield offset, line[1]
        offset = line.end()
