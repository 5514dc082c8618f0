"""Topic files: TREC SGML, XML with subtopics, TSV and JSONL, recognised by their content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import BinaryIO, Literal
from urllib.parse import unquote

from campaign.formats.kinds import KINDS, is_set_up
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.runs.header import is_training_data
from campaign.formats.sent_tables import (
    DECLARED,
    NAMELESS,
    SEPARATORS,
    TableError,
    csv_rows,
    separator_of,
    without_empty_end,
)
from campaign.formats.source import MIB, Limits, add_comment, add_empty, text_lines, was_cut_short
from campaign.formats.spreadsheet import plain_text, plain_text_of_tabs
from campaign.formats.topics.dialects import (
    AS_USUAL,
    NAMES,
    PARTS,
    UNKNOWN,
    Dialect,
    TopicChoices,
    plain_name,
)
from campaign.formats.topics.drafts import (
    NAMED_BY,
    SubtopicRecord,
    TopicDraft,
    TopicRecord,
    add_too_many,
    are_too_many,
    checked_topics,
)
from campaign.formats.topics.gene_names import are_gene_names, gene_drafts
from campaign.formats.topics.json import json_drafts
from campaign.formats.topics.labels import are_labelled, labelled_drafts
from campaign.formats.topics.languages import of_one_language
from campaign.formats.topics.sgml import sgml_drafts
from campaign.formats.topics.wrong_kinds import (
    ADDRESS,
    DOCNO,
    SET_UP,
    TRAINING,
    are_headings_above,
    look_like_headings,
    why_no_topics,
    wrong_kind,
)
from campaign.formats.topics.xml import xml_drafts

__all__ = ["TOPIC_LIMITS", "SubtopicRecord", "TopicFormat", "TopicRecord", "TopicsRead", "read_topics"]

TopicFormat = Literal["trec", "xml", "tsv", "jsonl", "labels"]
TOPIC_LIMITS = Limits(max_bytes=16 * MIB, max_text_bytes=24 * MIB, max_line=8 * MIB)
"""Whole conversations, or a whole list, may stand on one line of JSON. Each byte of text takes up to 16 of memory."""
MOST_LINES = 1_000_000
MOST_COLUMNS = 1_000
MOST_TAGS = 500_000
"""Of a file: it could hold many times as many, whose texts would take gigabytes."""
MOST_TABLE_LINES, MOST_TABS = 250_000, 5_000_000
"""Of a table, of which each line and each tab becomes values several times."""
NUMBERED = (
    re.compile(r"\s*(\d{1,9}):(\d{1,9}):(.*\S)\s*"),
    re.compile(r"\s*((?:[A-Za-z]{1,20})?\d{1,9}):(.*\S)\s*"),
    re.compile(r"\s*<(\d{1,9})>(.*\S)\s*"),
    re.compile(r"\s*([^\s|]{1,200})\|\|(.*\S)\s*"),
    re.compile(r"\s*((?:[A-Za-z]{1,20})?\d{1,9}) +([^\W\d](?:[^\t]*\S)?)\s*"),
)
"""Lines of the million query tracks, the first with a priority between number and query, those of genomics, of FIRE's AILA, and
of TRECVID and total recall (`athome100`): the number, a blank and the text."""
AFTER_BLANK = NUMBERED[-1]
OUTLINE = re.compile(r"\s*((?:[a-z]{2,3}wiki|tqa):([^\s/,;|]+(?:/[^\s/,;|]+)*))\s*")
"""Article and sections of TREC CAR, such as `enwiki:Mill/Mill%20ponds`: the number, and what its title is made of."""
TOP = re.compile(r"<top(?:[\s>]|$)", re.IGNORECASE)
OPENS = re.compile(r"\s*+<top\s*+>?\s*+$", re.IGNORECASE)
BEHIND_TEXT = re.compile(r"\s*(?:<[?!a-z]|\{\s*[\"}]|\{$|\[\s*\{)", re.IGNORECASE)
"""How markup or JSON begins a line."""
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
NEEDS_QUOTES = re.compile('[,;"\t\n]')
Row = tuple[int, list[str]]
"""The number of the line on which it begins, and its fields."""
SEPARATES = re.compile(r"[,;\t]")
KNOWN_HEADINGS = {
    "number": ("number", "qid", "query_id", "topic_id", "question_id", "claim_id", "id"),
    "title": ("title", "query", "topic_title", "query_text", "question", "claim", "text"),
}
DIFFERENT_LETTERS = (
    "The letters before the numbers differ from line to line, so that these may be queries that begin with such a word.",
    "If the first word of each line is the number of a topic, write a tab behind it. If not, put a number and a tab before it.",
)
ADD_NUMBERS = "Send the topics: a number, a tab and a title on each line."
ADD_TITLES = "Write a tab and the title behind each number, or send the file that has the texts of the topics."
COLUMNS: tuple[str, ...] = ("number", "title", "description", "narrative")


@dataclass(frozen=True, slots=True)
class TopicsRead:
    """`records` are the sound topics, in file order; they are the whole file only if `problems.ok`."""

    format: TopicFormat | None
    records: tuple[TopicRecord, ...]
    problems: ProblemLog


def read_topics(
    source: BinaryIO, limits: Limits = TOPIC_LIMITS, encoding: str = "", choices: TopicChoices = AS_USUAL
) -> TopicsRead:
    """Topics in whichever of the formats the file shows, with every problem of the file. `encoding`: as of `text_chunks`.

    >>> from io import BytesIO
    >>> read = read_topics(BytesIO(b"401\\tboiling an egg\\n402\\tsharpening a knife\\n"))
    >>> read.format, [record.title for record in read.records]
    ('tsv', ['boiling an egg', 'sharpening a knife'])
    """
    problems = ProblemLog()
    lines = list(islice(text_lines(source, limits, problems, encoding), MOST_LINES + 1))
    if was_cut_short(problems):  # problems of a part would be misleading
        return TopicsRead(None, (), problems)
    if too_many := _too_many(lines):
        add_too_many(problems, too_many)
        return TopicsRead(None, (), problems)
    if not any(line.strip() for _, line in lines):
        add_empty(problems, "topics")
        return TopicsRead(None, (), problems)
    lines = _without_first_comments(lines, problems, Dialect(choices=choices))
    topic_format = _recognised(lines, choices)
    drafts = of_one_language(_drafts(topic_format, lines, problems, choices), choices.language, problems)
    if UNKNOWN in problems.by_code:  # what was read instead says nothing
        return TopicsRead(topic_format, (), problems)
    records = checked_topics(drafts, problems)
    if not drafts and problems.ok:
        add_empty(problems, "topics")
    return TopicsRead(topic_format, records, problems)


def _drafts(
    topic_format: TopicFormat | None, lines: Sequence[tuple[int, str]], problems: ProblemLog, choices: TopicChoices
) -> Sequence[TopicDraft]:
    if topic_format in (None, "jsonl") and is_set_up(texts := _topic_lines(lines)):
        number = next(number for number, line in lines if line == texts[0])
        problems.add("unknown_format", *SET_UP, line=number, excerpt=texts[0])
        return ()
    match topic_format:
        case "trec":
            return sgml_drafts(lines, problems, choices)
        case "xml":
            return xml_drafts(lines, problems, choices)
        case "jsonl":
            return json_drafts(lines, problems, choices)
        case "labels":
            return labelled_drafts(lines, problems, choices)
        case "tsv":
            if too_many := _too_large_table(lines):
                add_too_many(problems, too_many)
                return ()
            if replace(choices, appends=False) == AS_USUAL and are_gene_names(rows := _gene_rows(lines)):
                return gene_drafts(rows, problems)
            return _drafts_of_lines(lines, problems, choices)
    _add_unknown_format(lines, problems)
    return ()


def _too_many(lines: Sequence[tuple[int, str]]) -> str:
    if len(lines) > MOST_LINES:
        return f"{MOST_LINES:,} lines"
    return f"{MOST_TAGS:,} tags" if sum(line.count("<") for _, line in lines) > MOST_TAGS else ""


def _too_large_table(lines: Sequence[tuple[int, str]]) -> str:
    if sum(1 for _, line in lines if line.strip()) > MOST_TABLE_LINES:
        return f"{MOST_TABLE_LINES:,} lines of a table"
    return f"{MOST_TABS:,} tabs" if sum(line.count("\t") for _, line in lines) > MOST_TABS else ""


def _without_first_comments(
    lines: list[tuple[int, str]], problems: ProblemLog, dialect: Dialect
) -> list[tuple[int, str]]:
    """The lines with empty ones in place of comments before the first topic. A comment there may name the columns.

    Where all lines begin with #, they are topics whose numbers do.
    """
    first = next((place for place, (_, line) in enumerate(lines) if line.strip() and not is_comment_line(line)), 0)
    begin: list[tuple[int, str]] = []
    for number, line in lines[:first]:
        uncommented = line.strip().removeprefix("#")
        if begins_a_table(uncommented) or _are_headings(uncommented.split("\t"), dialect):
            begin.append((number, uncommented))
        else:
            if line.strip():
                add_comment(problems, number, line)
            begin.append((number, ""))
    return begin + lines[first:]


def _recognised(lines: Sequence[tuple[int, str]], choices: TopicChoices) -> TopicFormat | None:
    first = next(line for _, line in lines if line.strip())
    if are_labelled(first):
        return "labels"
    if _numbered(lines):
        return "tsv"
    if first.lstrip().startswith(("{", "[")):
        return "jsonl"
    if first.lstrip().startswith("<"):
        return "trec" if any(TOP.search(line) for _, line in lines) else "xml"
    has_columns = bool(choices.number_from or choices.title_from) and separator_of([first]) in first
    if "\t" in first or has_columns or begins_a_table(first):
        return "tsv"
    return "trec" if any(OPENS.match(line) for _, line in lines) else None


def begins_a_table(first: str) -> bool:
    """Whether commas or semicolons separate the columns. Without headings they may as well stand in a title.

    >>> begins_a_table("number;title"), begins_a_table("401;boiling an egg")
    (True, False)
    """
    if DECLARED.fullmatch(first):
        return True
    separator = separator_of([first])
    return separator in first and _are_headings(_split(first, separator), Dialect())


def _split(line: str, separator: str) -> list[str]:
    return [field.strip().strip('"') for field in line.split(separator)]


def _numbered(lines: Iterable[tuple[int, str]]) -> re.Pattern[str] | None:
    """The pattern of NUMBERED that all lines have."""
    texts = _topic_lines(lines)
    patterns = (*NUMBERED, OUTLINE) if any("/" in line for line in texts) else NUMBERED
    return next((pattern for pattern in patterns if texts and _has_all(pattern, texts)), None)


def _has_all(pattern: re.Pattern[str], texts: Iterable[str]) -> bool:
    """“covid19 vaccines” and “mp3 players” are queries, and no topics covid19 and mp3."""
    letters = set()
    for text in texts:
        if not (found := pattern.fullmatch(text)):
            return False
        letters.add(found[1].rstrip("0123456789").lower())
    return pattern is not AFTER_BLANK or len(letters) == 1


def _gene_rows(lines: Iterable[tuple[int, str]]) -> list[Row]:
    return [(number, line.split("\t")) for number, line in lines if line.strip() and not is_comment_line(line)]


def _drafts_of_lines(lines: Sequence[tuple[int, str]], problems: ProblemLog, choices: TopicChoices) -> list[TopicDraft]:
    texts = _topic_lines(lines)
    if texts and is_training_data(texts[0].encode(errors="replace")):
        number = next(number for number, line in lines if line == texts[0])
        problems.add("unknown_format", *TRAINING, line=number, excerpt=texts[0])
        return []
    pattern = _numbered(lines)
    if pattern is AFTER_BLANK and (why := why_no_topics([line.split() for line in texts])):
        _add_no_topics(lines, why, problems)
        return []
    return _numbered_drafts(lines, pattern, problems, choices) if pattern else _tsv_drafts(lines, problems, choices)


def _topic_lines(lines: Iterable[tuple[int, str]]) -> list[str]:
    return [line for _, line in lines if line.strip() and not is_comment_line(line)]


def _add_no_topics(lines: Sequence[tuple[int, str]], why: str, problems: ProblemLog) -> None:
    number, first = next((number, line) for number, line in lines if line.strip() and not is_comment_line(line))
    message = f"This looks like a run, qrels or a pool and not like topics: {why}."
    _, where = wrong_kind([line.split() for line in _topic_lines(lines)])
    remedy = f"{where} If these are topics, write a tab between the number and the title on each line.".lstrip()
    problems.add("unknown_format", message, remedy, line=number, excerpt=first)


def _numbered_drafts(
    lines: Iterable[tuple[int, str]], pattern: re.Pattern[str], problems: ProblemLog, choices: TopicChoices
) -> list[TopicDraft]:
    drafts: list[TopicDraft] = []
    dialect = Dialect("{}", choices)
    names = ("number", "priority", "title") if pattern.groups == 3 else ("number", "title")
    for number, line in lines:
        if match := pattern.fullmatch(line):
            drafts.append(TopicDraft(number))
            groups = (match[1], _title_of_outline(match[2])) if pattern is OUTLINE else match.groups()
            dialect.fill(drafts[-1], list(zip(names, groups, strict=True)))
            if are_too_many(len(drafts), 0, number, problems):
                return []
        elif line.strip():
            add_comment(problems, number, line)
    if pattern is OUTLINE:
        message = "Each line was read as an article and its sections: it is the number, and the title was made of it."
        problems.add("topic_outline", message, "Check the titles on the pages of the topics.", severity="warning")
    if pattern is AFTER_BLANK:
        are_words = all(len(draft.title.split()) == 1 for draft in drafts)
        message = (
            f"Each line was read as a topic number, a blank and the title{', which is one word' if are_words else ''}."
        )
        problems.add("topic_lines", message, "Check that these are topics: their pages show them.", severity="warning")
    dialect.note(problems)
    return drafts


def _title_of_outline(path: str) -> str:
    """
    >>> _title_of_outline("Mill/Mill%20ponds%00")
    'Mill, Mill ponds'
    """
    parts = (CONTROLS.sub(" ", _unquoted(part)).strip() for part in path.split("/"))
    return ", ".join(part for part in parts if part)


def _unquoted(part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:  # it is no text in UTF-8: it stays as it is written
        return part


def _add_unknown_format(lines: Sequence[tuple[int, str]], problems: ProblemLog) -> None:
    number, first = next((number, line) for number, line in lines if line.strip())
    message = "This is none of the topic formats: TREC <top>, XML, tab-separated, CSV with headings, JSON."
    if (why := _why_no_table(lines))[0]:
        problems.add("unknown_format", *why, line=number, excerpt=first)
        return
    remedy = "Send one of them; the shortest is a number, a tab and a title on each line."
    separator = separator_of([first])
    if behind := next((place for place, line in lines if BEHIND_TEXT.match(line)), 0):
        message = f"There is text before line {behind}, on which markup or JSON seems to begin."
        remedy = "If the topics begin there, take out the lines before it, or write # before each of them."
    elif separator in first:
        headings = separator.join(("number", "title"))
        remedy = f"If {SEPARATORS[separator]} separate the columns, write headings into the first line: {headings}."
    problems.add("unknown_format", message, remedy, line=number, excerpt=first)


def _why_no_table(lines: Sequence[tuple[int, str]]) -> tuple[str, str]:
    """What is wrong with lines that are in none of the formats, as far as it is known: message and remedy."""
    texts = _topic_lines(lines)
    if not texts:
        return "", ""
    if all(map(ADDRESS.fullmatch, map(str.strip, texts))):
        return "Each line is an address and not a topic.", ADD_NUMBERS
    if all(len(line.split()) == 1 and not SEPARATES.search(line) for line in texts):
        if all(map(DOCNO.fullmatch, map(str.strip, texts[1:] or texts))):
            return "Each line is one word with a digit: these are topic numbers without titles.", ADD_TITLES
        return "", ""
    if all(map(AFTER_BLANK.fullmatch, texts)):
        kind = wrong_kind([line.split() for line in texts])
        return kind if kind[0] else DIFFERENT_LETTERS
    separator = separator_of(texts[:1])
    rows = [_split(line, separator) for line in texts]
    if separator not in texts[0]:
        return wrong_kind([line.split() for line in texts])
    kind = wrong_kind(rows)
    return kind if kind[0] or not are_headings_above(rows[0], rows[1:]) else _unknown_headings(rows[0])


def _unknown_headings(headings: Sequence[str]) -> tuple[str, str]:
    names = {plain_name(heading) for heading in headings}
    lacking = [part for part in ("number", "title") if names.isdisjoint(PARTS[part])] or ["title"]
    message = f"The first line looks like headings, of which none is known as {' or as '.join(lacking)}: "
    known = "; ".join(f"for the {part} {', '.join(KNOWN_HEADINGS[part])}" for part in lacking)
    chosen = " and ".join(NAMED_BY[part] for part in lacking)
    remedy = f"Known are, among others, {known}. Or name the columns that hold them: {chosen}."
    return f"{message}{visible(', '.join(headings))}.", remedy


def _tsv_drafts(lines: Sequence[tuple[int, str]], problems: ProblemLog, choices: TopicChoices) -> list[TopicDraft]:
    drafts: list[TopicDraft] = []
    dialect, columns = Dialect("{}", choices), COLUMNS
    first = [line for _, line in lines if line.strip()][:1]
    separator = "\t" if "\t" in first[0] and not DECLARED.fullmatch(first[0]) else separator_of(first)
    rows = _without_comments(_rows(lines, separator, problems), separator, problems)
    fields_of_rows = [fields for _, fields in rows]
    if rows and (dialect.chosen or _are_headings(fields_of_rows[0], dialect)):
        (number, headings), *rows = rows
        columns = tuple(heading or NAMELESS for heading in headings)
        if columns == COLUMNS:  # as `tsv_lines` writes them: it puts a quote before what would be a formula
            as_sent = plain_text_of_tabs if separator == "\t" else plain_text
            rows = [(at, [as_sent(text) for text in fields]) for at, fields in rows]
        message = (
            f"The first line looks like headings ({visible(separator.join(headings))}): they say what the columns are."
        )
        problems.add("headings", message, "", line=number, severity="warning")
    elif rows and (why := _why_no_topics_in(fields_of_rows))[0]:
        problems.add("unknown_format", *why, line=rows[0][0], excerpt=separator.join(rows[0][1]))
        return []
    most = max(len(columns), 2)
    for number, fields in rows:
        if not 2 <= len(fields) <= most:
            message = (
                f"There {'is 1 column' if len(fields) == 1 else f'are {len(fields)} columns'} instead of 2 to {most}."
            )
            between = {",": "a comma", ";": "a semicolon", "\t": "a tab"}.get(separator, f"“{visible(separator)}”")
            remedy = f"Write {', '.join(columns[:-1])} and {columns[-1]} with {between} between them."
            problems.add("column_count", message, remedy, line=number, excerpt=separator.join(fields))
        else:
            drafts.append(TopicDraft(number))
            named = dict(zip(columns, fields, strict=False))
            drafts[-1].language = dialect.language_in(named)
            dialect.fill(drafts[-1], dialect.chosen_first(list(zip(columns, fields, strict=False))))
            if are_too_many(len(drafts), 0, number, problems):
                return []
    if _look_like_a_pool(drafts, problems):
        return []
    dialect.note(problems)
    return drafts


def _why_no_topics_in(rows: Sequence[Sequence[str]]) -> tuple[str, str]:
    """Why a table without known headings holds no topics, and what to do; two empty texts if it may."""
    kind = wrong_kind(rows)
    if kind[0] or not (are_headings_above(rows[0], rows[1:]) or plain_name(rows[0][0]) in PARTS["number"]):
        return kind
    return _unknown_headings(rows[0])


def _look_like_a_pool(drafts: Sequence[TopicDraft], problems: ProblemLog) -> bool:
    """Whether the lines are pairs of topic and docno, which is an error; where each topic stands once, it is a warning."""
    titles = [draft.title for draft in drafts]
    if len(drafts) < 2 or not all(map(DOCNO.fullmatch, titles)) or any(draft.description for draft in drafts):
        return False
    numbers = {draft.number for draft in drafts}
    pairs = {(draft.number, draft.title) for draft in drafts}
    message = f"Each title is one word with a digit, such as {visible(titles[0])}."
    remedy = f"If these are docnos, the file is a pool. {KINDS['pool'].where}"
    if len(pairs) == len(numbers):
        problems.add("titles_are_words", message, remedy, line=drafts[0].line, severity="warning")
        return False
    message = "This looks like a pool and not like topics: each line is a number and one word, and numbers come again."
    problems.add("unknown_format", message, KINDS["pool"].where, line=drafts[0].line)
    return True


def _rows(lines: Sequence[tuple[int, str]], separator: str, problems: ProblemLog) -> list[Row]:
    """The fields of each row. In a tab-separated file quotes are text where a program wrote it, none where a spreadsheet did."""
    plain = [(number, [field.strip() for field in line.split("\t")]) for number, line in lines if line.strip()]
    try:
        cells = [(number, [cell.strip() for cell in row]) for number, row in csv_rows(_with_ends(lines), separator)]
    except TableError as error:
        if separator == "\t":
            return plain
        for at, message in error.problems:
            problems.add("csv_broken", message, "", line=at)
        return []
    found = [(number, row) for number, row in cells if any(row)]
    first = next(line for _, line in lines if line.strip())
    if separator == "\t" and found != plain and not DECLARED.fullmatch(first):
        if not _are_quotes_of_spreadsheet(plain, found):
            return plain
        message = "Quotation marks around fields were taken off, as spreadsheets put them there."
        problems.add("quotes_taken_off", message, "Check these texts on the pages of the topics.", severity="warning")
    return found if separator == "\t" else [(number, without_empty_end(row, len(found[0][1]))) for number, row in found]


def _without_comments(rows: Sequence[Row], separator: str, problems: ProblemLog) -> list[Row]:
    if all(is_comment_line(fields[0]) for _, fields in rows):
        return list(rows)
    for number, fields in rows:
        if is_comment_line(fields[0]):
            add_comment(problems, number, separator.join(fields))
    return [(number, fields) for number, fields in rows if not is_comment_line(fields[0])]


def is_comment_line(line: str) -> bool:
    """
    >>> is_comment_line(" # of 2026"), is_comment_line("1 # 2")
    (True, False)
    """
    return line.lstrip().startswith("#")


def _with_ends(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    return (f"{line}\n" for _, line in lines)


def _are_quotes_of_spreadsheet(plain: Sequence[Row], found: Sequence[Row]) -> bool:
    """Spreadsheets quote what holds a separator, a quotation mark or a line end, and some quote every text."""
    if len(plain) != len(found):
        return any(len(fields) == 1 for _, fields in plain) and all(len(row) > 1 for _, row in found)
    fields = [
        pair for (_, before), (_, after) in zip(plain, found, strict=True) for pair in zip(before, after, strict=False)
    ]
    quoted = [after for before, after in fields if before != after]
    texts = [text for _, fields in plain for text in fields[1:] if text]
    return all(NEEDS_QUOTES.search(text) for text in quoted) or all(text.startswith('"') for text in texts)


def _are_headings(fields: Sequence[str], dialect: Dialect) -> bool:
    if len(fields) > MOST_COLUMNS:
        return False
    names = [dialect.plain(field) for field in fields if field]  # a program may write line numbers without a name
    if any(dialect.is_chosen(part, field) for part in dialect.chosen for field in fields):
        return True
    numbers = [place for place, name in enumerate(names) if name in PARTS["number"]]
    titles = [place for place, name in enumerate(names) if name in PARTS["title"]]
    if len(names) < 2 or not numbers:
        return False
    return all(name in NAMES for name in names[:2]) or (look_like_headings(fields) and len({*numbers, *titles}) > 1)
