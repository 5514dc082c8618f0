"""CSV files that people open in a spreadsheet."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

CRLF = "\r\n"
# Spreadsheets of many countries split at semicolons, others at tabs, and a quote inside of a cell then keeps no line together:
# what follows one of these may become a cell of its own. Spaces of any script, quotes, marks, control characters and letters
# without a look before a formula do not hide it from all of them. One class of characters: alternatives that overlap would be
# tried in every combination.
_IGNORED = (
    "[\"' \x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680"
    "\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*+"
)
_STARTS = "[=+\\-@＝＋－＠]"


# No cell of a file with tabs is quoted for the commas that it holds. Prose has signs behind them, as in "at night, -5 degrees":
# behind a blank such a sign begins a formula only where a function, a reference to a sheet or a program comes before the cell
# ends.
_BEHIND_COMMA = rf"{_IGNORED}[=@＝＠]|[\"']*+[+\-＋－]|{_IGNORED}[+\-＋－][^,;\t\r\n]*?(?:\w[(（]|[|!])"


def _places_of_guards(guard: str, behind_comma: str = "") -> re.Pattern[str]:
    before = r"(?:\A|(?<=[;\t\r\n]))"
    in_tabs = rf"|(?<=,){guard}(?={behind_comma})" if behind_comma else ""
    return re.compile(rf"\A{guard}(?={_IGNORED}[\t\r\n])|{before}{guard}(?={_IGNORED}{_STARTS}){in_tabs}")


_UNGUARDED, _GUARDED = (_places_of_guards(guard) for guard in ("", "'"))
_UNGUARDED_IN_TABS, _GUARDED_IN_TABS = (_places_of_guards(guard, _BEHIND_COMMA) for guard in ("", "'"))


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


def guarded_in_tabs(text: str) -> str:
    """As `guarded`, of a file whose cells stand between tabs, without quotes: one may split at its commas too.

    >>> guarded_in_tabs("see,=1+1"), guarded("see,=1+1"), guarded_in_tabs("at night, -5 degrees")
    ("see,'=1+1", 'see,=1+1', 'at night, -5 degrees')
    """
    return _UNGUARDED_IN_TABS.sub("'", text)


def plain_text_of_tabs(cell: str) -> str:
    """The text of which `guarded_in_tabs` made this.

    >>> plain_text_of_tabs("see,'=1+1")
    'see,=1+1'
    """
    return _GUARDED_IN_TABS.sub("", cell)


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
