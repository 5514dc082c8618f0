"""Tables that people send: CSV, of whichever spreadsheet in whichever country, or TSV. The one reader of all of them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from campaign.formats.encodings import HEAD, wide_encoding
from campaign.formats.problems import visible
from campaign.formats.spreadsheet import plain_text
from campaign.text.plurals import number_of

BAR = "|"
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", BAR: "vertical bars"}
NAMELESS = "column without a name"
"""Such as the line numbers that a program wrote."""
DECLARED = re.compile(r'\s*"?sep=([^\w\s"\']|\t)"?[,;\t]*+\s*', re.IGNORECASE)
"""The line by which a spreadsheet is told what separates the columns."""
RULE = re.compile(r"[|+]?(?:\s*:?-++:?\s*[|+])+\s*:?-++:?|[|+](?:\s*:?-++:?\s*[|+])+")
QUOTED = re.compile(r'"[^"]*"')
LINE_END = re.compile(rb"\r\n|\r|\n")
MOST_CELLS = 2_000_000
"""Of a table, each line with a cell for each column: a line of one byte may lack 60,000 of them."""
AS_UTF8 = "Save it as UTF-8 (Excel: “CSV UTF-8”)."


class TableError(ValueError):
    """What is wrong with a table, and what to do: pairs of a line, or None for the whole file, and a message."""

    def __init__(self, *problems: tuple[int | None, str]) -> None:
        super().__init__("; ".join(message for _, message in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Table:
    """`columns` in small letters; `rows`: the number of the line on which each begins, and its cells by column."""

    columns: list[str]
    rows: list[tuple[int, dict[str, str]]]


def read_table(content: bytes) -> Table:
    """Read a table whose first line names the columns.

    Columns are separated by commas, semicolons or tabs, as the first line shows. Blanks around a cell are left out, and so is
    a quote that keeps spreadsheets from taking it for a formula. Cells that a line lacks are empty; empty lines are left out.
    TableError where it is no text, or no table, or where it is not known which cell is meant by a column; or it is too large.

    >>> read_table(b"sep=;\\r\\nRun;Team\\r\\nbm25;\\"A; B\\"\\r\\n").rows
    [(3, {'run': 'bm25', 'team': 'A; B'})]
    """
    lines = list(StringIO(decoded(content), newline=""))
    separator = separator_of(lines)
    rows = ((number, [plain_text(cell.strip()) for cell in cells]) for number, cells in csv_rows(lines, separator))
    filled = list(_of_few_cells((number, cells) for number, cells in rows if any(cells)))
    if not filled:
        return Table([], [])
    (first, head), *rest = filled
    columns = [name.lower() for name in (without_empty_end(head, 0) if separator == BAR else head)]
    if twice := [name for name, count in Counter(filter(None, columns)).items() if count > 1]:
        raise TableError((first, f"The column {visible(twice[0])} is there twice. Keep one of the two."))
    rest = [(number, without_empty_end(cells, len(columns))) for number, cells in rest]
    if problems := [(number, why) for number, cells in rest if (why := why_unclear(cells, columns, separator))]:
        raise TableError(*problems)
    lacks = [""] * len(columns)
    return Table(columns, [(number, dict(zip(columns, cells + lacks, strict=False))) for number, cells in rest])


def _of_few_cells(rows: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    columns = count = 0
    for number, cells in rows:
        columns = columns or len(cells)
        count += max(columns, len(cells))
        if count > MOST_CELLS:
            first, own = number_of(columns, "column"), len(cells)
            message = f"The table has more than {MOST_CELLS:,} cells up to this line: the first line has {first}, this {own:,}."
            raise TableError((number, f"{message} Take out columns and lines that are not needed."))
        yield number, cells


def decoded(content: bytes) -> str:
    """The text without a byte-order mark: UTF-8, or UTF-16 (“Unicode text” of spreadsheets). TableError for others.

    >>> decoded("é".encode("utf-16"))
    'é'
    """
    wide = wide_encoding(content[:HEAD])
    try:
        text = content.decode(wide or "utf-8-sig")
    except UnicodeDecodeError as problem:
        name = wide or "UTF-8"
        line = None if wide else len(LINE_END.findall(content, 0, problem.start)) + 1
        raise TableError((line, f"The line is not valid {name}. {AS_UTF8}")) from None
    if "\0" in text:
        raise TableError((text.count("\n", 0, text.index("\0")) + 1, f"There is a NUL character: no text. {AS_UTF8}"))
    return text


def separator_of(lines: Sequence[str]) -> str:
    """What separates the columns: what the line `sep=` says, else what stands most often in the first line, outside of quotes.

    A vertical bar does only where nothing else may: such bars stand within the cells of other tables.

    >>> separator_of(["run;team;priority"]), separator_of(["sep=,", "a;b"]), separator_of(["run"])
    (';', ',', ',')
    >>> separator_of(["run|team|priority"]), separator_of(["a|b|c,d"])
    ('|', ',')
    """
    first = next((line for line in lines if line.strip()), "")
    if found := DECLARED.fullmatch(first):
        return found[1]
    unquoted = QUOTED.sub("", first)
    counts = {separator: unquoted.count(separator) for separator in SEPARATORS}
    return max(SEPARATORS, key=lambda separator: (separator != BAR and counts[separator] > 0, counts[separator]))


def csv_rows(lines: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each row begins, from 1, and its cells; none of the line `sep=`. TableError where it is no CSV.

    With vertical bars, none of the line that is drawn below the headings.

    >>> list(csv_rows(["a,b\\n", '"1\\n', '2",3\\n', "4"], ","))
    [(1, ['a', 'b']), (2, ['1\\n2', '3']), (4, ['4'])]
    """
    reader = csv.reader(_with_declaration_emptied(lines), strict=True, delimiter=separator)
    begins, filled = 1, 0
    try:
        for cells in reader:
            filled += any(cell.strip() for cell in cells)
            if not (filled == 2 and separator == BAR and is_rule(BAR.join(cells))):
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as problem:
        why = f"This cannot be read as CSV ({problem}). Check the quotation marks."
        raise TableError((begins, why)) from None


def is_rule(line: str) -> bool:
    """Whether it is drawn below the headings of a table with vertical bars, as Markdown and databases do.

    >>> is_rule("|:---|---:|"), is_rule("| :- | -: |"), is_rule("---+---"), is_rule("a|---"), is_rule("-")
    (True, True, True, False, False)
    """
    drawn = line.strip()
    return ("---" in drawn and set(drawn) <= set("|+:- \t")) or RULE.fullmatch(drawn) is not None


def _with_declaration_emptied(lines: Iterable[str]) -> Iterator[str]:
    is_first = True
    for line in lines:
        yield "\n" if is_first and DECLARED.fullmatch(line) else line
        is_first = is_first and not line.strip()


def without_empty_end(cells: list[str], columns: int) -> list[str]:
    """The cells without empty ones behind the last column, which spreadsheets write where another line was longer.

    >>> without_empty_end(["a", "", "", ""], 2)
    ['a', '']
    """
    end = len(cells)
    while end > columns and not cells[end - 1]:
        end -= 1
    return cells[:end]


def why_unclear(cells: Sequence[str], columns: Sequence[str], separator: str) -> str:
    """Why it is not known which column a cell belongs to, and the remedy; "" where it is.

    >>> why_unclear(["a,b"], ["run", "team"], ";")
    'Columns are separated by commas here, and by semicolons in the first line. Use one of them everywhere.'
    """
    if len(cells) > len(columns):
        counted = (
            f"There are {number_of(len(cells), 'cell')}, and the first line names {number_of(len(columns), 'column')}."
        )
        if any(cell.lstrip().startswith('"') for cell in cells):
            return (
                f"{counted} Take out the blank before the quotation marks: behind it they do not hold a cell together."
            )
        without = " and no blank beside them" if separator == BAR else ""
        return f"{counted} Put quotation marks around a cell that holds {separator_in_words(separator)}{without}."
    others = [word for other, word in SEPARATORS.items() if other not in (separator, BAR) and other in cells[0]]
    if len(cells) == 1 < len(columns) and others:
        first = f"by {separator_in_words(separator)} in the first line"
        return f"Columns are separated by {others[0]} here, and {first}. Use one of them everywhere."
    return ""


def separator_in_words(separator: str) -> str:
    """What separates columns, in words.

    >>> separator_in_words(";"), separator_in_words("^")
    ('semicolons', '“^”')
    """
    return SEPARATORS.get(separator, f"“{visible(separator)}”")
