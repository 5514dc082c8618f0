"""Document files, TREC SGML or JSONL, read one document at a time; and plain lists of docnos."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import BinaryIO, Literal

from campaign import lengths
from campaign.formats.jsonlines import FieldError, json_objects, text_field
from campaign.formats.keys import key_problem
from campaign.formats.markup import decoded, one_line, pieces, tidy_lines
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.source import MIB, Limits, add_empty, readable_size, text_lines

DocumentFormat = Literal["trec", "jsonl"]
DOCUMENT_LIMITS = Limits(
    max_bytes=4096 * MIB, max_text_bytes=16384 * MIB, max_line=lengths.DOCUMENT, max_record=lengths.DOCUMENT
)
DOCNO_KEYS = ("docno", "docid", "id", "_id", "doc_id")
TEXT_KEYS = ("text", "contents", "body", "abstract")
TITLE_TAGS = frozenset({"title", "headline", "hl"})
NOT_TEXT_TAGS = frozenset({"docno", "docid", "docoldno", "dochdr", "fileid", "script", "style"})
INLINE_TAGS = frozenset({"a", "b", "em", "font", "i", "span", "strong", "sub", "sup", "tt", "u"})
DOC_TAG = re.compile(r"(</?doc(?:\s[^<>]*)?>)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    docno: str
    title: str
    text: str
    line: int


class DocumentReader:
    """Iterates over the sound documents of a file, holding one at a time; it can be iterated over once.

    `format` is known from the start (`None`: unknown or unreadable). `problems` is complete after the last document:
    only then, and only if `problems.ok`, do the documents make up the whole file. `count` is the number given out so far.
    """

    def __init__(self, source: BinaryIO, limits: Limits = DOCUMENT_LIMITS) -> None:
        self.problems = ProblemLog()
        self.count = 0
        self._limits = limits
        self._first_lines: dict[str, int] = {}
        lines = text_lines(source, limits, self.problems)
        first = next((entry for entry in lines if entry[1].strip()), None)
        self._lines = lines if first is None else chain([first], lines)
        self.format = self._recognised(first)

    def _recognised(self, first: tuple[int, str] | None) -> DocumentFormat | None:
        if first is None:
            if self.problems.ok:
                add_empty(self.problems, "documents")
            return None
        number, line = first
        start = line.lstrip()
        if start.startswith(("<", "{")):
            return "trec" if start.startswith("<") else "jsonl"
        message = "This is none of the document formats: TREC <DOC>, JSON lines."
        remedy = 'Send one of them; the shortest is {"docno": "...", "text": "..."} on each line.'
        self.problems.add("unknown_format", message, remedy, line=number, excerpt=line)
        return None

    def __iter__(self) -> Iterator[DocumentRecord]:
        if self.format is None:
            return
        for record in self._json_records() if self.format == "jsonl" else self._sgml_records():
            if self._docno_is_sound(record):
                self.count += 1
                yield self._with_short_title(record)
        if not self._first_lines and self.problems.ok:
            add_empty(self.problems, "documents")

    def _docno_is_sound(self, record: DocumentRecord) -> bool:
        if not add_docno_problem(record.docno, record.line, self._first_lines, self.problems):
            return False
        if not record.text and not record.title:
            message = f"Document {visible(record.docno)} is empty."
            remedy = "Assessors will see no text."
            self.problems.add("document_empty", message, remedy, line=record.line, severity="warning")
        return True

    def _with_short_title(self, record: DocumentRecord) -> DocumentRecord:
        """Lists show titles whole, so that a page would not end."""
        most = lengths.TITLE_OF_DOCUMENT
        if len(record.title) <= most:
            return record
        message = f"The title of document {visible(record.docno)} has {len(record.title):,} characters."
        self.problems.add("title_long", message, f"It is cut to {most:,}.", line=record.line, severity="warning")
        return replace(record, title=record.title[: most - 1] + "…")

    def _json_records(self) -> Iterator[DocumentRecord]:
        for number, line, value in json_objects(self._lines, self.problems):
            try:
                docno = text_field(value, *DOCNO_KEYS).strip()
                title, text = text_field(value, "title", "headline"), text_field(value, *TEXT_KEYS)
            except FieldError as error:
                self.problems.add("json_field", str(error), "Write texts as JSON strings.", line=number, excerpt=line)
            else:
                yield DocumentRecord(docno, one_line(title), text.strip(), number)

    def _sgml_records(self) -> Iterator[DocumentRecord]:
        for line, markup in _sgml_documents(self._lines, self._limits, self.problems):
            yield _sgml_record(line, markup)


def _sgml_documents(
    lines: Iterator[tuple[int, str]], limits: Limits, problems: ProblemLog
) -> Iterator[tuple[int, str]]:
    """Yield the line of each `<DOC>` and the markup up to its `</DOC>`."""
    start, size, parts = 0, 0, list[str]()
    for number, line in lines:
        for part in DOC_TAG.split(line) if "<" in line else (line,):
            opening = part[:4].lower() == "<doc" and DOC_TAG.fullmatch(part) is not None
            if opening and start:
                _add_unclosed(problems, start)
            if opening:
                start, size, parts = number, 0, []
            elif start and part[:5].lower() == "</doc" and DOC_TAG.fullmatch(part):
                yield start, "".join(parts)
                start, size, parts = 0, 0, []
            elif start:
                parts.append(part)
                size += len(part)
            elif part.strip() and DOC_TAG.fullmatch(part) is None:
                problems.add(
                    "outside_document",
                    "There is text outside of <DOC> and </DOC>.",
                    "It is left out: check that no document lost its <DOC>.",
                    line=number,
                    excerpt=line,
                    severity="warning",
                )
        parts.append("\n")
        if size > limits.max_record:
            message = f"The document is larger than {readable_size(limits.max_record)}."
            remedy = "Close it with </DOC> or shorten it; nothing after it was read."
            problems.add("document_too_large", message, remedy, line=start)
            return
    if start:
        _add_unclosed(problems, start)


def _add_unclosed(problems: ProblemLog, line: int) -> None:
    problems.add("document_unclosed", "The document is not closed by </DOC>.", "Add </DOC> at its end.", line=line)


def _sgml_record(line: int, markup: str) -> DocumentRecord:
    docno, titles, text = list[str](), list[str](), list[str]()
    inside = ""
    for piece in pieces(markup):
        name = piece.name
        if name in TITLE_TAGS or name in NOT_TEXT_TAGS:
            if piece.closing:
                inside = "" if name == inside else inside
            elif not inside:
                inside = name
                titles.append("")
        elif name:
            text.append("" if name in INLINE_TAGS else "\n")
        elif inside == "docno":
            docno.append(piece.text)
        elif inside in TITLE_TAGS:
            titles[-1] += piece.text
        elif not inside:
            text.append(piece.text)
    title = next(filter(None, map(one_line, map(decoded, titles))), "")
    return DocumentRecord(decoded("".join(docno)).strip(), title, tidy_lines(decoded("".join(text))), line)


def add_docno_problem(docno: str, line: int, first_lines: dict[str, int], problems: ProblemLog) -> bool:
    """Add a bad or repeated docno to `problems`, any other to `first_lines`; return whether it is sound and new."""
    problem = key_problem(docno, "docno")
    if problem:
        code, message, remedy = problem
        problems.add(f"docno_{code}", message, remedy, line=line, excerpt=docno)
        return False
    if docno in first_lines:
        message = f"Docno {visible(docno)} was already given on line {first_lines[docno]}."
        problems.add("docno_duplicate", message, "Give each document its own docno.", line=line)
        return False
    first_lines[docno] = line
    return True


@dataclass(frozen=True, slots=True)
class DocnosRead:
    """`docnos` are the sound ones, in file order; they are the whole file only if `problems.ok`."""

    docnos: tuple[str, ...]
    problems: ProblemLog


def read_docnos(source: BinaryIO, limits: Limits = DOCUMENT_LIMITS) -> DocnosRead:
    """A list of docnos, one on each line, for a collection whose texts are elsewhere.

    >>> from io import BytesIO
    >>> read_docnos(BytesIO(b"d1\\n\\nd2\\n")).docnos
    ('d1', 'd2')
    """
    problems = ProblemLog()
    first_lines: dict[str, int] = {}
    for number, line in text_lines(source, limits, problems):
        docno = line.strip()
        if docno:
            add_docno_problem(docno, number, first_lines, problems)
    if not first_lines and problems.ok:
        add_empty(problems, "docnos")
    return DocnosRead(tuple(first_lines), problems)
