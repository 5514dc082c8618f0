"""CSV files that people open in a spreadsheet."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

CRLF = "\r\n"
# Spreadsheets of many countries split at semicolons, others at tabs, and a quote inside of a cell then keeps no line together:
# what follows one of these may become a cell of its own. Spaces of any script, quotes, byte-order marks, control characters and
# letters without a look before a formula do not hide it from all of them.
_IGNORED = r"(?:[^\S\t\r\n]|[\"'\x00-\x08\x0e-\x1b\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff])*"
_STARTS, _ENDS = "[=+\\-@＝＋－＠]", "[;\t\r\n]"
_BEFORE = rf"(?:\A|(?<={_ENDS}))"
_UNGUARDED = re.compile(rf"\A(?={_IGNORED}[\t\r\n])|{_BEFORE}(?={_IGNORED}{_STARTS})")
_GUARDED = re.compile(rf"\A'(?={_IGNORED}[\t\r\n])|{_BEFORE}'(?={_IGNORED}{_STARTS})")


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a CSV file, so that a long one is never held as a whole; every value is a guarded `cell`.

    >>> "".join(csv_lines(["run", "AP"], [["=1+1", 0.25], ["bm25", None]]))
    "run,AP\\n'=1+1,0.25\\nbm25,\\n"
    """
    # A value is quoted for the characters of the line's end that it holds. With "\n" alone a carriage return would stand bare:
    # a spreadsheet begins a row behind it, and takes what follows for a formula.
    writer = csv.writer(_Echo(), lineterminator=CRLF)
    yield writer.writerow([cell(name) for name in head])
    for row in rows:
        yield writer.writerow([cell(value) for value in row])


def cell(value: object) -> object:
    """Text that a spreadsheet would take for a formula gets a quote before it; numbers stay numbers; times are ISO, UTC.

    >>> [cell(value) for value in ("=1+1", "see;=1+1", "bm25", True, None, 0.5)]
    ["'=1+1", "see;'=1+1", 'bm25', 'yes', '', 0.5]
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, int | float):
        return value
    return guarded(str(value))


def guarded(value: Any) -> Any:
    """Of tables that programs read as well: only a text that is a formula becomes another one.

    >>> guarded("=1+1"), guarded("bm25"), guarded(-0.5)
    ("'=1+1", 'bm25', -0.5)
    """
    return _UNGUARDED.sub("'", value) if isinstance(value, str) else value


def plain_text(cell: str) -> str:
    """The text of which `cell` made this.

    >>> plain_text("see;'=1+1")
    'see;=1+1'
    """
    return _GUARDED.sub("", cell)


class _Echo:
    """Pseudo-file whose `write` returns the line that is written, with a line feed as its end."""

    def write(self, line: str) -> str:
        return line.removesuffix(CRLF) + "\n"
