"""SMART's files of topics and documents, such as CISI, CACM and MED: `.I 1` begins a record, `.T`, `.A` and `.W` its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

SMART = re.compile(r"\.I\s+(\S+)\s*")
PART = re.compile(r"\.([A-Z])(?:\s++(\S.*)|\s*+)")
PART_SIZE = 256
"""What a part counts beside its text: a file of labels alone would take gigabytes."""
LINE_SIZE = 60
"""What a line that is held counts beside its text, for the same reason."""
Record = tuple[int, list[tuple[str, str]]]


class RecordTooLargeError(Exception):
    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


def smart_records(lines: Iterator[tuple[int, str]], max_size: int = 0) -> Iterator[Record]:
    """The line of each record and its parts by their letters, whose texts stand below them, or behind them where the first one
    has its text so (`.U 87049087`); raises RecordTooLargeError at one beyond `max_size` characters.

    >>> list(smart_records(iter([(1, ".I 7"), (2, ".W"), (3, "Mill"), (4, "ponds")])))
    [(1, [('I', '7'), ('W', 'Mill\\nponds')])]
    """
    start, size, parts, are_short = 0, 0, list[tuple[str, list[str]]](), False
    for number, line in lines:
        if found := SMART.fullmatch(line):
            if parts:
                yield start, with_joined_lines(parts)
            start, size, parts, are_short = number, 0, [("I", [found[1]])], False
        elif parts and (part := PART.fullmatch(line)) and (are_short or not part[2] or number == start + 1):
            are_short = are_short or bool(part[2])
            parts.append((part[1], [part[2]] if part[2] else []))
            size += PART_SIZE + len(line)
        elif parts:
            parts[-1][1].append(line)
            size += len(line) + LINE_SIZE
        if max_size and size > max_size:
            raise RecordTooLargeError(start)
    if parts:
        yield start, with_joined_lines(parts)


def with_joined_lines(parts: Sequence[tuple[str, list[str]]]) -> list[tuple[str, str]]:
    """
    >>> with_joined_lines([("W", ["Mill", "ponds"])])
    [('W', 'Mill\\nponds')]
    """
    return [(name, "\n".join(lines)) for name, lines in parts]
