"""CSV files that people open in a spreadsheet."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

CRLF = "\r\n"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


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
    """Text that a spreadsheet would take for a formula gets a quote in front; numbers stay numbers; times are ISO, UTC.

    >>> [cell(value) for value in ("=1+1", "bm25", True, None, 0.5)]
    ["'=1+1", 'bm25', 'yes', '', 0.5]
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, int | float):
        return value
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


class _Echo:
    """Pseudo-file whose `write` returns the line that is written, with a line feed as its end."""

    def write(self, line: str) -> str:
        return line.removesuffix(CRLF) + "\n"
