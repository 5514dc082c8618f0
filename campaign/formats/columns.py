"""Lines of columns, as qrels and pools have them: separated by white space, or by what a spreadsheet puts in its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from string import whitespace
from typing import BinaryIO

from campaign.formats.column_names import DOCNO, GRADE, TOPIC, order_of, roles_of
from campaign.formats.encodings import UTF8_MARK
from campaign.formats.json_columns import MOST_BYTES, json_lines
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.sent_tables import (
    BAR,
    DECLARED,
    TableError,
    csv_rows,
    is_rule,
    separator_in_words,
    separator_of,
    without_empty_end,
)
from campaign.formats.source import Limits, is_comment, numbered_lines, text_chunks
from campaign.formats.spreadsheet import plain_text
from campaign.text.plurals import number_of

MOST_COMMENTS = 1_000
"""So many lines that begin with # are passed over in search of the first line of columns."""
NUMBER = re.compile(rb"[+-]?[0-9.]+|L[0-9]+")
JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]]|[\[{]\s*(?:\n|$))")
SAMPLE_LINES = 40

Lines = Iterator[tuple[int, bytes]]


def lines_with_columns(source: BinaryIO, limits: Limits, problems: ProblemLog, encoding: str = "") -> Lines:
    """Numbered lines of a file, as `column_lines` takes them: a line of JSON may be as long as all that is read of JSON.

    >>> from io import BytesIO
    >>> list(lines_with_columns(BytesIO(b'{"1":\\n {"d1": 2}}'), Limits(max_line=4), ProblemLog()))
    [(1, b'{"1":'), (2, b' {"d1": 2}}')]
    """
    of_json = replace(limits, max_line=max(limits.max_line, MOST_BYTES))
    chunks = text_chunks(source, of_json, problems, encoding)
    head = next(chunks, b"")
    is_json = JSON.match(head.removeprefix(UTF8_MARK))
    return numbered_lines(chain([head], chunks), of_json if is_json else limits, problems)


def column_lines(
    lines: Iterable[tuple[int, bytes]], topics: Container[str] | None, problems: ProblemLog, listed_grade: str = ""
) -> Lines:
    """Numbered lines whose columns white space separates; comments and headings are left out, with warnings.

    The first line shows what separates the columns: white space, or a comma, a semicolon or what the line `sep=` names.
    Where headings name topic and docno, and of qrels the grade, other columns are left out, and the order is topic,
    iteration, docno, grade. Lines of which it is not known which field is which are errors and left out. JSON
    becomes such lines, as `json_lines` does with `listed_grade`. `topics`: of the task, none of which is a comment or a heading.

    >>> rows, problems = [(1, b"query_id;doc_id;rel"), (2, b'7;"d;1";2'), (3, b"7;d 2;0")], ProblemLog()
    >>> list(column_lines(rows, None, problems))
    [(2, b'7\\td;1\\t2')]
    >>> [(problem.line, problem.code) for problem in problems.shown]
    [(1, 'columns_separated'), (1, 'headings'), (3, 'field_white_space')]
    """
    first, lines = _first(iter(lines))
    if JSON.match(first):
        lines = ((number, line) for number, line in lines if not is_comment(line, topics, problems, number))
        return json_lines(lines, problems, listed_grade)
    if separator := _separator(first, topics):
        lines = _by_white_space(lines, separator, topics, problems)
    lines = ((number, line) for number, line in lines if not is_comment(line, topics, problems, number))
    return _by_headings(lines, topics, problems)


def _first(lines: Lines) -> tuple[bytes, Lines]:
    """The first line of columns, and all lines but the empty ones before it."""
    looked_at: list[tuple[int, bytes]] = []
    first = b""
    for number, line in lines:
        if not line.strip():
            continue  # a file may begin with millions of them
        looked_at.append((number, line))
        first = line
        if not line.lstrip().startswith(b"#") or len(looked_at) > MOST_COMMENTS:
            break
    return first, chain(looked_at, lines)


def _separator(first: bytes, topics: Container[str] | None) -> str:
    """What separates the columns if it is not white space; else "".

    White space beside a separator or in a field leaves it open, but for headings, where a topic shows which is meant, and where
    a blank stands on both sides of every separator.
    """
    text = _text(first)
    if found := DECLARED.fullmatch(text):
        return found[1]
    separator = separator_of([text])
    if separator == "\t" or separator not in text:
        return ""
    text = _within_bars(text, separator)
    try:
        cells = _cells(text, separator)
    except TableError:
        return ""
    fields = text.split()
    has_topic = topics is not None and cells[0] in topics and fields[0] not in topics
    stands_alone = (
        len(cells) > (1 if separator == BAR else 2) and len(fields) == 2 * len(cells) - 1 and fields[::2] == cells
    )
    return separator if len(fields) == 1 or stands_alone or has_topic or _are_headings(cells, topics) else ""


def _text(line: bytes) -> str:
    return line.decode(errors="surrogateescape")


def _within_bars(text: str, separator: str) -> str:
    """The line without the bars around it, as Markdown draws them.

    >>> _within_bars("| 1 | d1 |", "|"), _within_bars("1|d1|", "|")
    (' 1 | d1 ', '1|d1|')
    """
    inner = text.strip(whitespace)
    return inner[1:-1] if separator == BAR and len(inner) > 1 and inner[0] == inner[-1] == BAR else text


def _cells(text: str, separator: str) -> list[str]:
    """TableError where quotation marks are not those of CSV."""
    text = _within_bars(text, separator)
    is_quoted = '"' in text
    cells = next(csv_rows([text], separator), (1, [""]))[1] if is_quoted else text.split(separator)
    return [plain_text(cell.strip(whitespace)) for cell in cells]


def _by_white_space(lines: Lines, separator: str, topics: Container[str] | None, problems: ProblemLog) -> Lines:
    words, columns, is_below, order = separator_in_words(separator), 0, False, list[int]()
    for number, line in lines:
        if not line.strip() or _is_remark(line, topics):
            yield number, line
            continue
        text, was_below, is_below = _text(line), is_below, False
        if (was_below and is_rule(text)) if columns else DECLARED.fullmatch(text):
            continue
        try:
            cells = without_empty_end(_cells(text, separator), columns)
        except TableError as error:
            remedy = "Each pair stands on one line here: take line breaks out of fields in quotation marks."
            problems.add(
                "csv_broken", error.problems[0][1], remedy if line.count(b'"') % 2 else "", line=number, excerpt=line
            )
            continue
        if not any(cells):
            continue
        if not columns:
            columns = len(cells)
            message = f"The columns are separated by {words}, and were read so."
            problems.add(
                "columns_separated",
                message,
                "Check that each column was read as what it is.",
                line=number,
                severity="warning",
            )
            if _are_headings(cells, topics):  # tables of programs have a column of line numbers without a name
                cells = ["_".join(cell.split()) for cell in [cells[0] or "index", *cells[1:]]]
                order, is_below = order_of(cells), True
        cells = _of_one_word(cells, order)
        joined = "\t".join(cells).encode(errors="surrogateescape")
        if len(joined.split()) == len(cells):
            yield number, joined
        else:
            _add_unclear(number, line, cells, words, problems)


def _of_one_word(cells: list[str], order: Sequence[int]) -> list[str]:
    """Of a table with headings, the texts of columns that are left out may hold white space, or nothing.

    >>> _of_one_word(["7", "kite tails", "d1", ""], [0, 2]), _of_one_word(["7", "d 1"], [])
    (['7', 'kite_tails', 'd1', '-'], ['7', 'd 1'])
    """
    return (
        [cell if place in order else "_".join(cell.split()) or "-" for place, cell in enumerate(cells)]
        if order
        else cells
    )


def _is_remark(line: bytes, topics: Container[str] | None) -> bool:
    """Whether a line is to be looked at as a comment as it stands: it begins with # and holds a blank."""
    return topics is not None and line.lstrip().startswith(b"#") and len(line.split()) > 1


def _add_unclear(number: int, line: bytes, cells: Sequence[str], words: str, problems: ProblemLog) -> None:
    spaced = [cell for cell in cells if len(cell.encode(errors="surrogateescape").split()) > 1]
    if spaced:
        message = f"The field “{visible(spaced[0])}” holds white space."
        remedy = f"Columns are separated by {words} here; no topic number, docno or grade holds white space."
        problems.add("field_white_space", message, remedy, line=number, excerpt=line)
    else:
        remedy = "Fill it in: topic numbers, docnos and grades, and 0 in a column that says nothing."
        problems.add("field_empty", "A field is empty.", remedy, line=number, excerpt=line)


def _are_headings(fields: Sequence[str], topics: Container[str] | None) -> bool:
    roles = roles_of(fields)
    if TOPIC not in roles or not {DOCNO, GRADE} & set(roles) or (topics is not None and fields[0] in topics):
        return False
    return not any(NUMBER.fullmatch(field.encode(errors="replace")) and field != "0" for field in fields[1:])


def _by_headings(lines: Lines, topics: Container[str] | None, problems: ProblemLog) -> Lines:
    number, first = next(((number, line) for number, line in lines if line.strip()), (0, b""))
    fields = first.decode(errors="replace").split()
    if not _are_headings(fields, topics):
        return chain([(number, first)] if number else [], lines)
    message = "The first line looks like headings: it is left out."
    problems.add("headings", message, "", line=number, excerpt=first, severity="warning")
    held = list(islice(lines, SAMPLE_LINES))
    lines = chain(held, lines)
    order = order_of(fields, _of_topics(fields, (line for _, line in held), topics))
    if not order or order == list(range(len(fields))):
        return lines
    named = ", ".join(visible(fields[place]) for place in order)
    others = ", ".join(visible(name) for place, name in enumerate(fields) if place not in order)
    message = f"The columns were read by their headings: {named}{'; left out: ' if others else ''}{others}."
    problems.add(
        "headings_order", message, "Check that each column was read as what it is.", line=number, severity="warning"
    )
    return _ordered(lines, order, len(fields), b"\t" if first.count(b"\t") == len(fields) - 1 else None, problems)


def _of_topics(fields: Sequence[str], sample: Iterable[bytes], topics: Container[str] | None) -> Counter[int]:
    """How many values of each column that names a topic are topics of the task.

    >>> _of_topics(["qid", "topic", "docno"], [b"1 A d1", b"2 A d1"], {"A"})
    Counter({1: 2})
    """
    found: Counter[int] = Counter()
    places = [place for place, role in enumerate(roles_of(fields)) if role == TOPIC]
    if topics is None or len(places) < 2:
        return found
    for line in sample:
        values = line.decode(errors="replace").split()
        if len(values) == len(fields):
            found.update(place for place in places if values[place] in topics)
    return found


def _ordered(lines: Lines, order: Sequence[int], columns: int, tab: bytes | None, problems: ProblemLog) -> Lines:
    """`tab`: where it separates the headings, texts of columns that are left out may hold blanks."""
    for number, line in lines:
        by_tab = tab if tab and line.count(tab) == columns - 1 else None
        fields = line.split(by_tab)
        chosen = [fields[place] for place in order] if len(fields) == columns else []
        if chosen and all(len(field.split()) == 1 for field in chosen):
            yield number, b"\t".join(chosen)
        elif chosen:
            cells = [field.decode(errors="surrogateescape") for field in chosen]
            _add_unclear(number, line, cells, separator_in_words("\t"), problems)
        elif fields:
            message = f"The headings name {number_of(columns, 'column')}, and the line has another number of them."
            remedy = "Give every line the columns of the first."
            problems.add("headings_columns", message, remedy, line=number, excerpt=line)
