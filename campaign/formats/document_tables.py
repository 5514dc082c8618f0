"""Documents in a table: TSV or CSV whose first line names the columns, or TSV of docno and text, as MS MARCO gives passages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, islice

from campaign.formats.document_fields import ALL_DOCNOS, NAMES_OF_TEXTS, TITLES
from campaign.formats.names import folded
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.sent_tables import (
    DECLARED,
    NAMELESS,
    SEPARATORS,
    TableError,
    csv_rows,
    separator_of,
    why_unclear,
    without_empty_end,
)
from campaign.text.plurals import number_of

NEEDS_QUOTES = re.compile('""|[,;]')
TAKEN_OFF = (
    "quotes_taken_off",
    "Quotation marks around cells were taken off, as spreadsheets put them there.",
    "Check that the texts are right.",
)
KEPT = (
    "quotes_kept",
    "Quotation marks around a whole cell were read as a part of its text.",
    "If a spreadsheet put them there, send the table as CSV.",
)
Lines = Iterator[tuple[int, str]]
Row = tuple[int, Mapping[str, str]]
WITHOUT_HEADINGS = ["docno", "text"]
OF_MS_MARCO = ["docno", "url", "title", "text"]
"""The columns of msmarco-docs.tsv of TREC deep learning 2019 and 2020, which has no headings."""
DOCNO_OF_MS_MARCO = re.compile(r"D\d+")
ADDRESS = re.compile("https?://", re.IGNORECASE)
KEYS = frozenset(map(folded, ALL_DOCNOS))
NO_DOCNOS = frozenset({"docno", "docid"})
"""Names that no document has for a docno, as one may be called `id`."""
TEXTS = NAMES_OF_TEXTS | frozenset(TITLES)
MOST_COLUMNS = 10_000
WRITE_HEADINGS = "Name the columns in the first line, such as docno, title and text."
BY_COMMAND = " In a terminal: (printf 'docno\\ttitle\\ttext\\n'; cat FILE) > NEW_FILE, with the names of your columns."


def separator_of_documents(first: str) -> str:
    """What separates the columns of a table that begins with this line; "" where it begins none.

    >>> separator_of_documents("id,title,abstract"), separator_of_documents("7\\tBoil it."), separator_of_documents("a, b")
    (',', '\\t', '')
    """
    separator = separator_of([first])
    has_columns = 0 < first.count(separator) <= MOST_COLUMNS
    if DECLARED.fullmatch(first) or (has_columns and _are_headings(_cells(first, separator))):
        return separator
    return "\t" if "\t" in first else ""


def headings_hint(first: str) -> str:
    """The remedy where a line of no known format seems to be one of a table; else "".

    >>> headings_hint("7;Eggs;Boil it.")
    'If semicolons separate the columns: Name the columns in the first line, such as docno, title and text.'
    """
    separator = separator_of([first])
    return f"If {SEPARATORS[separator]} separate the columns: {WRITE_HEADINGS}" if separator in first else ""


def table_rows(lines: Lines, separator: str, problems: ProblemLog, has_wanted: bool = False) -> Iterator[Row]:
    """Yield the line on which each row begins, and its cells by column. Each that cannot be read is a problem.

    `has_wanted`: whether the organiser named the columns that give the text.
    """
    first = next(lines, None)
    if first is None:
        return
    head = [first, *islice(lines, 1 if DECLARED.fullmatch(first[1]) else 0)]
    if _has_too_many_columns(*head[-1], separator, problems):
        return
    whole = chain(head, lines)
    rows = _tsv_rows(whole, problems) if separator == "\t" and not DECLARED.fullmatch(first[1]) else None
    rows = rows or _csv_rows(whole, first[0], separator, problems)
    filled: Iterator[tuple[int, list[str]]] = (row for row in rows if any(cell.strip() for cell in row[1]))
    number, cells = next(filled, (0, []))
    columns = without_empty_end([cell.strip() for cell in cells], 0)
    are_headings, are_few = _are_headings(columns), len(columns) <= len(WITHOUT_HEADINGS)
    is_clear = are_headings and (has_wanted or not TEXTS.isdisjoint(map(folded, columns)))
    if not are_headings and separator == "\t" and _are_of_ms_marco(columns):
        filled, columns, is_clear = chain([(number, cells)], filled), OF_MS_MARCO, True
    if not (is_clear or (are_few and (are_headings or separator == "\t"))):
        _add_unknown_columns(columns, separator, number, separator.join(cells), problems)
        return
    if not is_clear:
        _add_doubt(columns, are_headings, number, problems)
        filled = filled if are_headings else chain([(number, cells)], filled)
        columns = [columns[0] if are_headings else WITHOUT_HEADINGS[0], WITHOUT_HEADINGS[1]]
    if twice := next((name for name, count in Counter(map(folded, columns)).items() if name and count > 1), ""):
        message = f"Two columns are named {visible(twice)}."
        problems.add("table_columns", message, "Give each column a name of its own.", line=number)
        return
    names = [name or NAMELESS for name in columns]
    for number, cells in filled:
        found = without_empty_end(cells, len(columns))
        if why := why_unclear(found, columns, separator):
            problems.add("table_cells", why, "", line=number, excerpt=separator.join(cells))
        else:
            yield number, dict(zip(names, found, strict=False))


def _has_too_many_columns(number: int, line: str, separator: str, problems: ProblemLog) -> bool:
    """Add a problem before the names are told apart: a name takes thirty times the memory of a separator."""
    if line.count(separator) <= MOST_COLUMNS:
        return False
    message = f"The line has more than {MOST_COLUMNS:,} {SEPARATORS.get(separator, 'separators')} between its columns."
    problems.add("table_columns", message, "Keep the columns that people need.", line=number, excerpt=line)
    return True


def _are_of_ms_marco(columns: list[str]) -> bool:
    """By its docnos and addresses: in another table of as many columns, others may be title and text. The last may be empty."""
    is_one = 2 < len(columns) <= len(OF_MS_MARCO)
    return is_one and bool(DOCNO_OF_MS_MARCO.fullmatch(columns[0]) and ADDRESS.match(columns[1]))


def _add_unknown_columns(columns: list[str], separator: str, number: int, line: str, problems: ProblemLog) -> None:
    message = f"There are {number_of(len(columns), 'column')}, and it is not known which of them are docno and text."
    remedy = WRITE_HEADINGS + (BY_COMMAND if separator == "\t" else "")
    problems.add("table_headings", message, remedy, line=number, excerpt=line)


def _add_doubt(columns: list[str], are_headings: bool, number: int, problems: ProblemLog) -> None:
    if len(columns) < len(WITHOUT_HEADINGS) or folded(columns[0]) not in KEYS:
        return
    first, second = map(visible, columns)
    read_as = "names of the columns, the second that of the text" if are_headings else f"document {first}"
    message = f"The first line, {first} and {second}, was read as {read_as}."
    remedy = (
        "If it is the first document: write a line docno, text above it. If it names columns: call the second text."
    )
    problems.add("table_first_line", message, remedy, line=number, severity="warning")


def _are_headings(cells: list[str]) -> bool:
    """A known name of a docno counts beside that of a text; without one, as the first column, what is no docno itself."""
    names = [folded(cell.strip()) for cell in cells]
    is_first = len(names) > 1 and names[0] in NO_DOCNOS
    return is_first or not (KEYS.isdisjoint(names) or TEXTS.isdisjoint(names))


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(separator)]


def _tsv_rows(lines: Lines, problems: ProblemLog) -> Iterator[tuple[int, list[str]]]:
    """Each line is a row: quotes are text, but where spreadsheets put them, which is told once; and so are those in doubt.

    Spreadsheets quote what holds a separator or a quotation mark, or all cells of a row. Without headings a program wrote
    the table, and texts may be quotations.
    """
    told = set[str]()
    has_headings = None
    for number, line in lines:
        cells = line.split("\t")
        has_headings = _are_headings(_cells(line, "\t")) if has_headings is None else has_headings
        quoted = [cell for cell in cells if _is_quoted(cell)] if '"' in line else []
        if not quoted:
            yield number, cells
            continue
        is_whole = len(quoted) == len(list(filter(None, cells)))
        taken = {cell for cell in quoted if is_whole or (has_headings and NEEDS_QUOTES.search(cell[1:-1]))}
        words = TAKEN_OFF if taken else KEPT
        if words[0] not in told:
            told.add(words[0])
            excerpt = next(cell for cell in quoted if not taken or cell in taken)
            problems.add(*words, line=number, excerpt=excerpt, severity="warning")
        yield number, [cell[1:-1].replace('""', '"') if cell in taken else cell for cell in cells]


def _is_quoted(cell: str) -> bool:
    """Whether all of the cell is quoted, by the rule of CSV: a quotation mark inside stands there twice."""
    return len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in cell[1:-1].replace('""', "")


def _csv_rows(lines: Lines, begins: int, separator: str, problems: ProblemLog) -> Iterator[tuple[int, list[str]]]:
    try:
        for number, cells in csv_rows((f"{line}\n" for _, line in lines), separator):
            yield begins - 1 + number, cells
    except TableError as error:
        for line, message in error.problems:
            remedy = "Or send the documents as JSON lines: a cell of CSV has at most 131,072 characters."
            problems.add("csv_broken", message, remedy, line=begins - 1 + (line or 1))
