"""Document files, TREC SGML, JSONL or tables, read one document at a time; and plain lists of docnos."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain, islice
from typing import Any, BinaryIO, Literal, NamedTuple

from campaign.formats.document_fields import ALL_DOCNOS, document_parts
from campaign.formats.document_markup import DOCNO_ATTRIBUTES, DOCNO_TAGS, markup_parts
from campaign.formats.document_notes import DocumentNotes
from campaign.formats.document_tables import headings_hint, separator_of_documents, table_rows
from campaign.formats.encodings import LineDecoder
from campaign.formats.json_stream import is_stream, streamed_objects
from campaign.formats.jsonlines import FieldError, json_objects
from campaign.formats.keys import docno_problem, plain_docnos
from campaign.formats.markup import TAG
from campaign.formats.medline import MEDLINE, medline_records
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.repeats import SeenKeys
from campaign.formats.smart import LINE_SIZE, SMART, RecordTooLargeError, smart_records
from campaign.formats.source import (
    MIB,
    Limits,
    add_empty,
    lines_after,
    readable_size,
    text_chunks,
    text_lines,
    without_mark,
)
from campaign.text import limits
from campaign.text.plurals import number_of

DocumentFormat = Literal["trec", "jsonl", "json", "tsv", "csv", "smart", "medline"]
DOCUMENT_LIMITS = Limits(
    max_bytes=4096 * MIB, max_text_bytes=16384 * MIB, max_line=limits.DOCUMENT, max_record=limits.DOCUMENT
)
OUTSIDE = " \t\f\v\n\x1a"
"""What may stand between documents: blanks, line ends, and the end of a file of DOS."""
DOCNO_FIELDS_TOLD = f" It is read from the fields {', '.join(ALL_DOCNOS[:-1])} and {ALL_DOCNOS[-1]}: name it docno."
DOCNOS_TOLD = {
    "trec": " It is read from <DOCNO>, <DOCID> and the attributes docno, docid and id of <DOC>.",
    "smart": " It is read from .U where the first document has it, else from .I.",
}
KEEP_FIRST = (
    " Or let the first of each count: “Documents that come twice” on the page (--repeated first by command, repeated=first by "
    "program)."
)
RECORDS = ("doc", "rec", "pubmedarticle", "clinical_study", "patent-document", "newsitem", "reuters")
"""The tags around a document: of TREC, NTCIR-1 and 2, PubMed, clinical trials, CLEF-IP, RCV1 and Reuters-21578. The first that
comes counts, but for a `<DOC>` inside of it that has a docno of its own."""
DECIDED_WITHIN = MIB
DECIDES = re.compile(
    rf"<(?P<end>/?)(?:(?P<record>{'|'.join(RECORDS)})|(?P<docno>{'|'.join(DOCNO_TAGS)}))(?:\s[^<>]*)?>", re.IGNORECASE
)
GIVES_DOCNO = re.compile(rf"\s(?:{'|'.join(DOCNO_ATTRIBUTES)})\s*=", re.IGNORECASE)
COMMENT = re.compile(r"<!--(?!-?>)(?:(?!<!--|-->|--!>).)*-->")
"""One that begins and ends on a line, without what may end it before: nothing is hidden by another."""
INNER = re.compile(r"<doc(?![\w:.-])", re.IGNORECASE)
OWN_DOCNO = re.compile(
    rf"<(?:{'|'.join(DOCNO_TAGS)})(?:\s[^<>]*)?>|^[^>]*\s(?:{'|'.join(DOCNO_ATTRIBUTES)})\s*=", re.IGNORECASE
)
ANY_RECORD = "|".join(RECORDS)
OVER_LINES = re.compile(r"<[^<>]*+>")
WITHIN_TEXT = re.compile(
    r"</[\w-]+\s*+>|<[\w-]+(?:\s++[\w.:-]++\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>]++))+\s*+>"
)
BARE = re.compile(r"\s*+<[\w-]+\s++>")
MOST_LINES_OF_TAG, LONGEST_TAG = 20, 10_000
"""For so many lines, and so many characters of them, the tag around a document may go on."""
MOST_LINES_AND_TAGS = 2_000_000
"""Of a document in markup, which is read as a whole: each takes the memory of many letters."""
KINDS = {
    "WARC/": "This is a WARC file. Write each page as an object on a line, with docno and text, such as with warcio of Python.",
}
"""What the first line of a file of another kind begins with, and what to do."""
BLOCK = 10_000
"""Docnos that are given out together."""


class DocumentRecord(NamedTuple):
    docno: str
    title: str
    text: str
    line: int


class RecordReader(ABC):
    """Iterates over the sound documents of a file, holding one at a time; it can be iterated over once.

    `problems` is complete after the last document: only then, and only if `problems.ok`, do the documents make up the whole
    file. `count` is the number given out so far. Of a docno that comes again long after the first time, both documents are
    given out, and the file is read once more from its beginning. `encoding`: as of `text_chunks`.
    """

    what = "documents"
    where_docnos_stand = ""

    def __init__(
        self, source: BinaryIO, limits: Limits = DOCUMENT_LIMITS, *, encoding: str = "", keep_first: bool = False
    ) -> None:
        self._source = source
        self._limits = limits
        self._encoding = encoding
        self._left_out = self._later_places() if keep_first else set[int]()
        self.problems = ProblemLog()
        self.count = 0
        self._seen = SeenKeys()
        self._notes = DocumentNotes()

    def __iter__(self) -> Iterator[DocumentRecord]:
        for place, record in enumerate(self._records()):
            if place not in self._left_out and self._docno_is_sound(record.docno, record.line):
                self.count += 1
                yield self._as_stored(record)
        self._tell_of_whole()

    def _tell_of_whole(self) -> None:
        self._notes.tell(self.problems)
        if self._left_out:
            message = (
                f"{number_of(len(self._left_out), 'document')} came before under the same docno: the first counts."
            )
            self.problems.add(
                "document_repeated", message, "You chose so.", severity="warning", times=len(self._left_out)
            )
        self._add_far_repeats()
        if not self.count and self.problems.ok:
            add_empty(self.problems, self.what)

    @abstractmethod
    def _records(self) -> Iterator[DocumentRecord]:
        """Every document of the file as it stands there, from the source's place on."""

    def _as_stored(self, record: DocumentRecord) -> DocumentRecord:
        return record

    def _docno_is_sound(self, docno: str, line: int) -> bool:
        if problem := docno_problem(docno):
            code, message, remedy = problem
            remedy += self.where_docnos_stand if code == "missing" else ""
            self.problems.add(f"docno_{code}", message, remedy, line=line, excerpt=docno)
            return False
        before = self._seen.add(docno, line)
        if before is not None:
            self._add_repeat(f"Docno {visible(docno)} was already given on line {before}.", line)
        return before is None

    def _records_again(self) -> Iterator[DocumentRecord]:
        """The same from the source's present place on, by a reader of the same choices."""
        return type(self)(self._source, self._limits, encoding=self._encoding)._records()

    def _later_places(self) -> set[int]:
        """The places of the documents whose docno came before, counted from 0; the file is read once or twice for them."""
        source = self._source

        def docnos() -> Iterator[tuple[str, int]]:
            source.seek(start)
            return (
                (record.docno, place)
                for place, record in enumerate(self._records_again())
                if not docno_problem(record.docno)
            )

        start, seen = source.tell(), SeenKeys()
        later = {place for docno, place in docnos() if seen.add(docno, place) is not None}
        repeats = seen.repeats()
        if repeats.count:
            later.update(place for _, place, _ in repeats.named(docnos()))
        source.seek(start)
        return later

    def _add_far_repeats(self) -> None:
        repeats = self._seen.repeats()
        if not repeats.count:
            return
        self._source.seek(0)
        keys = ((record.docno, record.line) for record in self._records_again() if not docno_problem(record.docno))
        named = 0
        for docno, line, before in repeats.named(keys):
            self._add_repeat(f"Docno {visible(docno)} was already given on line {before}.", line)
            named += 1
        if repeats.are_cut:
            self._add_repeat("Further docnos were already given.", None, max(1, repeats.count - named))

    def _add_repeat(self, message: str, line: int | None, times: int = 1) -> None:
        remedy = f"Give each document its own docno.{self._notes.of_passages()}{KEEP_FIRST}"
        self.problems.add("docno_duplicate", message, remedy, line=line, times=times)


class DocumentReader(RecordReader):
    """`format` is known from the start (`None`: unknown or unreadable). `fields`: the fields or tags that give the text, in
    their order; without them the usual ones do."""

    def __init__(
        self,
        source: BinaryIO,
        limits: Limits = DOCUMENT_LIMITS,
        *,
        encoding: str = "",
        keep_first: bool = False,
        fields: Sequence[str] = (),
    ) -> None:
        self._fields = fields
        super().__init__(source, limits, encoding=encoding, keep_first=keep_first)
        self._notes.wanted = fields
        lines = text_lines(source, limits, self.problems, encoding)
        first = next((entry for entry in lines if entry[1].strip()), None)
        self._separator = ""
        self._lines = lines if first is None else chain([first], lines)
        self.format = self._recognised(first)
        self.where_docnos_stand = DOCNOS_TOLD.get(self.format or "", DOCNO_FIELDS_TOLD)

    def _recognised(self, first: tuple[int, str] | None) -> DocumentFormat | None:
        if first is None:
            if self.problems.ok:
                add_empty(self.problems, "documents")
            return None
        number, line = first
        start = line.lstrip()
        if is_stream(line):
            return "json"
        if start.startswith(("<", "{")):
            return "trec" if start.startswith("<") else "jsonl"
        if SMART.fullmatch(line) or line.startswith(MEDLINE):
            return "medline" if line.startswith(MEDLINE) else "smart"
        if separator := separator_of_documents(line):
            self._separator = separator
            return "tsv" if separator == "\t" else "csv"
        message = "This is none of the document formats: TREC <DOC>, JSON, TSV, CSV with headings."
        remedy = 'Send one of them; the shortest is {"docno": "...", "text": "..."} on each line.'
        remedy = next((told for mark, told in KINDS.items() if start.startswith(mark)), headings_hint(line) or remedy)
        self.problems.add("unknown_format", message, remedy, line=number, excerpt=line)
        return None

    def _records(self) -> Iterator[DocumentRecord]:
        if self.format is None:
            return iter(())
        if self.format == "trec":
            return self._sgml_records()
        if self.format == "smart":
            return self._records_of_objects((number, "", value) for number, value in self._smart_objects())
        if self.format == "medline":
            return self._records_of_objects((number, "", value) for number, value in self._medline_objects())
        if self.format == "json":
            return self._records_of_objects(self._streamed_objects())
        if self.format == "jsonl":
            return self._records_of_objects(json_objects(self._lines, self.problems))
        rows = table_rows(iter(self._lines), self._separator, self.problems, bool(self._notes.wanted))
        return self._records_of_objects((number, "", value) for number, value in rows)

    def _records_again(self) -> Iterator[DocumentRecord]:
        return type(self)(self._source, self._limits, encoding=self._encoding, fields=self._fields)._records()

    def _as_stored(self, record: DocumentRecord) -> DocumentRecord:
        if record.title and not record.text:
            self._notes.title_only += 1
        elif not record.text:
            message = f"Document {visible(record.docno)} is empty."
            remedy = "Assessors will see no text."
            self.problems.add("document_empty", message, remedy, line=record.line, severity="warning")
        return self._with_short_title(record)

    def _with_short_title(self, record: DocumentRecord) -> DocumentRecord:
        """Lists show titles whole, so that a page would not end."""
        most = limits.TITLE_OF_DOCUMENT
        if len(record.title) <= most:
            return record
        message = f"The title of document {visible(record.docno)} has {len(record.title):,} characters."
        self.problems.add("title_long", message, f"It is cut to {most:,}.", line=record.line, severity="warning")
        return record._replace(title=record.title[: most - 1] + "…")

    def _records_of_objects(self, objects: Iterable[tuple[int, str, Mapping[str, Any]]]) -> Iterator[DocumentRecord]:
        for number, line, value in objects:
            try:
                docno, title, text = document_parts(value, self._notes)
            except RecursionError:
                message, remedy = "The fields of the line are nested too deeply.", "Write texts as JSON strings."
                self.problems.add("json_field", message, remedy, line=number, excerpt=line)
            except FieldError as error:
                self.problems.add("json_field", str(error), "Write texts as JSON strings.", line=number, excerpt=line)
            else:
                yield DocumentRecord(docno, title, text, number)

    def _smart_objects(self) -> Iterator[tuple[int, Mapping[str, str]]]:
        names: Mapping[str, str] = {}
        try:
            for line, parts in smart_records(self._lines, self._limits.max_record):
                texts: dict[str, list[str]] = defaultdict(list)
                names = names or self._names_of_smart(parts)
                for letter, text in parts:
                    texts[names.get(letter, f".{letter}")].append(text)
                yield line, {name: "\n".join(found) for name, found in texts.items()}
        except RecordTooLargeError as error:
            _add_too_large(self.problems, error.line, self._limits)

    def _names_of_smart(self, first: Sequence[tuple[str, str]]) -> Mapping[str, str]:
        """By the letters of the first document: where it has a number of MEDLINE, as in OHSUMED, qrels go by that."""
        names = {"U" if any(letter == "U" for letter, _ in first) else "I": "docno", "T": "title", "W": "text"}
        self._notes.written = {name: f".{letter}" for letter, name in names.items()}
        self._notes.wanted = [names.get(name.lstrip(".").upper(), name) for name in self._notes.wanted]
        return names

    def _streamed_objects(self) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
        try:
            yield from streamed_objects(self._lines, self.problems, self._limits.max_record)
        except RecordTooLargeError as error:
            _add_too_large(self.problems, error.line, self._limits)

    def _medline_objects(self) -> Iterator[tuple[int, Mapping[str, str]]]:
        try:
            yield from medline_records(self._lines, self._limits.max_record)
        except RecordTooLargeError as error:
            _add_too_large(self.problems, error.line, self._limits)

    def _sgml_records(self) -> Iterator[DocumentRecord]:
        self._notes.mark = "<{}>"
        found = False
        for line, opening, markup in _sgml_documents(self._lines, self._limits, self.problems):
            found = True
            yield DocumentRecord(*markup_parts(opening, markup, self._notes), line)
        if not found and self.problems.ok:
            message = "No document begins with <DOC>."
            remedy = (
                "Name the tag around each document so, of <ITEM>: sed -E 's,<(/?)ITEM>,<\\1DOC>,g' FILE > NEW_FILE."
            )
            self.problems.add("document_tag", message, remedy)


class DocnoReader(RecordReader):
    """A list of docnos, one on each line, for a collection whose texts are elsewhere: documents without title and text.

    >>> from io import BytesIO
    >>> [record.docno for record in DocnoReader(BytesIO(b"d1\\n\\nd2\\n"))]
    ['d1', 'd2']

    `blocks` gives the docnos alone, many at a time.

    >>> list(DocnoReader(BytesIO(b"d1\\nd2\\nd 3")).blocks())
    [['d1', 'd2']]
    """

    what = "docnos"
    format = "docnos"

    def blocks(self) -> Iterator[list[str]]:
        """The docnos that iteration gives. Plain lines are looked at together, up to the first that is not plain or may have
        come before: of ten million docnos each saved step is seconds."""
        if self._left_out:
            yield from _blocks_of(record.docno for record in self)
            return
        chunks = without_mark(text_chunks(self._source, self._limits, self.problems, self._encoding), self.problems)
        number, rest = 0, b""
        for chunk in chunks:
            lines, end, rest = (rest + chunk).rpartition(b"\n")
            docnos = plain_docnos(lines) if end else None
            if docnos is None or not self._seen.add_all(docnos, number + 1):
                rest = lines + end + rest
                break
            number += len(docnos)
            self.count += len(docnos)
            yield docnos
        yield from _blocks_of(self._sound_after(number, chain([rest], chunks)))
        self._tell_of_whole()

    def _sound_after(self, number: int, chunks: Iterable[bytes]) -> Iterator[str]:
        decoder = LineDecoder(self.problems)
        for line_number, line in lines_after(number, chunks, self._limits, self.problems):
            docno = decoder.text(line_number, line).strip()
            if docno and self._docno_is_sound(docno, line_number):
                self.count += 1
                yield docno

    def _records(self) -> Iterator[DocumentRecord]:
        for number, line in text_lines(self._source, self._limits, self.problems, self._encoding):
            if docno := line.strip():
                yield DocumentRecord(docno, "", "", number)


def _blocks_of(docnos: Iterator[str]) -> Iterator[list[str]]:
    while block := list(islice(docnos, BLOCK)):
        yield block


def _sgml_documents(
    lines: Iterator[tuple[int, str]], limits: Limits, problems: ProblemLog
) -> Iterator[tuple[int, str, str]]:
    """Yield the line of each `<DOC>`, that tag, and the markup up to its `</DOC>`. So of the other tags of a document."""
    start, size, count, opened, markup = 0, 0, 0, "", StringIO()
    name, lines = _tag_around(lines)
    tag, others = _tag_of(name), _OtherRecords(name, problems)
    for number, line in _with_whole_tags(lines, name):
        for part in _parts(tag, line):
            found = tag.fullmatch(part) if part[:1] == "<" else None
            if found and not found[1] and start:
                _add_unclosed(problems, start, name)
            if found and not found[1]:
                start, size, count, opened, markup = number, 0, 0, part, StringIO()
                others.is_around()
            elif found and start:
                others.check_within(start, markup.getvalue())
                yield start, opened, markup.getvalue()
                start, size, count = 0, 0, 0
            elif start:
                size += markup.write(part)
                count += _lines_and_tags(part)
                if size > limits.max_record or count > MOST_LINES_AND_TAGS:
                    _add_over_limit(problems, start, limits, name, count)
                    return
            elif part.strip() and found is None:
                others.check_outside(number, part)
                _check_outside(problems, number, line, part, name)
    if start:
        _add_unclosed(problems, start, name)
    others.end()


class _OtherRecords:
    """Documents by another tag than the one that counts in the file: each loss is an error.

    Such a tag may stand around documents, and one within a document is a part of it. One in a comment is none; a comment that
    does not end, ends where the next document begins.
    """

    def __init__(self, name: str, problems: ProblemLog) -> None:
        self._name, self._problems, self._begun, self._tag = name, problems, 0, ""
        others = "|".join(record for record in RECORDS if record != name.lower())
        self._mark = re.compile(rf"<(/?)({others})(?![\w:.-])", re.IGNORECASE)

    def is_around(self) -> None:
        self._begun = 0

    def check_outside(self, number: int, text: str) -> None:
        for found in self._mark.finditer(COMMENT.sub(" ", text)) if "<" in text else ():
            if found[1]:
                self.end()
            else:
                self._begun, self._tag = number, found[2]

    def end(self) -> None:
        if self._begun:
            message = f"The document <{self._tag}> stands outside of <{self._name}>, the tag around the others."
            remedy = f"Send the documents of <{self._tag}> in a file of their own."
            self._problems.add("document_tag", message, remedy, line=self._begun)
        self._begun = 0

    def check_within(self, start: int, markup: str) -> None:
        if self._name.lower() == "doc" or "<" not in markup:
            return
        numbered = sum(1 for part in INNER.split(markup)[1:] if OWN_DOCNO.search(part))
        if numbered > 1:
            message = f"The document <{self._name}> holds {numbered} of <DOC> with docnos of their own."
            remedy = (
                f"Take the tags around them out: sed -E 's,</?{self._name}([[:space:]][^>]*)?>,,Ig' FILE > NEW_FILE."
            )
            self._problems.add("document_tag", message, remedy, line=start)


def _with_whole_tags(lines: Iterator[tuple[int, str]], name: str) -> Iterator[tuple[int, str]]:
    """The lines, one of them where the tag around a document goes over several, which ends with that tag.

    Outside of documents each `<NAME` begins a tag. A text may hold the words, so that within a document a tag is what holds
    nothing but attributes with values.
    """
    tag, unended, is_within = _tag_of(name), re.compile(rf"</?(?:{name})(?:\s[^<>]*)?$", re.IGNORECASE), False
    entry = next(lines, None)
    while entry:
        number, line = entry
        last = unended.search(line) if line.rfind("<") > line.rfind(">") else None
        begins = last.start() if last else 0
        for found in tag.finditer(line) if "<" in line else ():
            is_within = not found[1]
        held, whole = [entry], line
        for further in islice(lines, MOST_LINES_OF_TAG if last else 0):
            held.append(further)
            whole += f"\n{further[1]}"
            if "<" in further[1] or ">" in further[1] or len(whole) > LONGEST_TAG:
                break
        ended = _ended(whole, begins, is_within) if last else None
        if ended:
            is_within = whole[begins + 1] != "/"
            yield number, whole[: ended.end()]
            rest = whole[ended.end() :]
            entry = (held[-1][0], rest) if rest else next(lines, None)
        else:
            yield from held[:-1] or held
            entry = held[-1] if held[1:] else next(lines, None)


def _ended(whole: str, begins: int, is_within: bool) -> re.Match[str] | None:
    """The tag that begins there, where it ends and is one."""
    if is_within:
        return WITHIN_TEXT.match(whole, begins) or (None if whole[:begins].strip() else BARE.match(whole))
    return OVER_LINES.match(whole, begins)


def _tag_around(lines: Iterator[tuple[int, str]]) -> tuple[str, Iterator[tuple[int, str]]]:
    """The name of the tag around each document, and all lines: of RECORDS the first, but DOC where one inside of it has a docno
    of its own. Only the beginning of the file decides.
    """
    read, size, name, inside = list[tuple[int, str]](), 0, "", ""
    for _, line in _with_whole_tags(_kept(lines, read), ANY_RECORD):
        size += len(line) + LINE_SIZE
        for found in DECIDES.finditer(line) if "<" in line else ():
            record, is_end = (found["record"] or "").lower(), bool(found["end"])
            if is_end and name and record == name.lower():
                return name, chain(read, lines)
            if record == "doc":
                inside = "" if is_end else found["record"]
            is_docno = bool(found["docno"] or GIVES_DOCNO.search(found[0]))
            if inside and (not name or is_docno):
                return inside, chain(read, lines)
            name = name or (found["record"] if record and not is_end else "")
        if size > DECIDED_WITHIN:
            break
    return name or "DOC", chain(read, lines)


def _kept(lines: Iterator[tuple[int, str]], read: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for entry in lines:
        read.append(entry)
        yield entry


def _tag_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"<(/?)({name})(?:\s[^<>]*)?>", re.IGNORECASE)


def _parts(tag: re.Pattern[str], line: str) -> Iterator[str]:
    """The tags of the line, and the text before, between and behind them, up to the end of the line."""
    place = 0
    for match in tag.finditer(line) if "<" in line else ():
        yield line[place : match.start()]
        yield match[0]
        place = match.end()
    yield f"{line[place:]}\n"


def _lines_and_tags(part: str) -> int:
    tags = islice(TAG.finditer(part), MOST_LINES_AND_TAGS + 1) if "<" in part else ()
    return part.count("\n") + sum(1 for _ in tags)


def _add_too_large(problems: ProblemLog, line: int, limits: Limits, what_to_do: str = "Shorten it") -> None:
    message = f"The document is larger than {readable_size(limits.max_record)}."
    problems.add("document_too_large", message, f"{what_to_do}; nothing after it was read.", line=line)


def _add_over_limit(problems: ProblemLog, line: int, limits: Limits, name: str, count: int) -> None:
    if count <= MOST_LINES_AND_TAGS:
        _add_too_large(problems, line, limits, f"Close it with </{name}> or shorten it")
        return
    message = f"The document has more than {MOST_LINES_AND_TAGS:,} lines and tags."
    remedy = f"Close it with </{name}>, or take out those that nobody reads; nothing after it was read."
    problems.add("document_too_large", message, remedy, line=line)


def _check_outside(problems: ProblemLog, number: int, line: str, part: str, name: str) -> None:
    outside = TAG.sub("", part).strip(OUTSIDE)
    if not outside:
        return
    if re.search(rf"<(?:{name})(?![\w:.-])", outside, re.IGNORECASE):  # a document would be left out
        message, remedy = f"The tag <{name} does not end with “>”.", "Write “<” and “>” within it as &lt; and &gt;."
        problems.add("document_tag", message, remedy, line=number, excerpt=line)
        return
    message = f"There is text outside of <{name}> and </{name}>."
    remedy = f"It is left out: check that no document lost its <{name}>."
    problems.add("outside_document", message, remedy, line=number, excerpt=line, severity="warning")


def _add_unclosed(problems: ProblemLog, line: int, tag: str) -> None:
    message, remedy = f"The document is not closed by </{tag}>.", f"Add </{tag}> at its end."
    problems.add("document_unclosed", message, remedy, line=line)
