"""What stands before the lines of a run: comments, `ir_metadata`, NTCIR's description, names of columns.

Standard library only, Python 3.9 or newer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice

from campaign.formats.problems import printable

START, END = "# ir_metadata.start", "# ir_metadata.end"
HEADER_LIMIT = 64 << 10
HEAD_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\n|\r)?")
DESCRIPTION = re.compile(rb"<SYSDESC>", re.IGNORECASE)
END_OF_DESCRIPTION = re.compile(rb"</SYSDESC>(.*)", re.IGNORECASE | re.DOTALL)
TAGS_OF_DESCRIPTION = re.compile(r"</?SYSDESC>", re.IGNORECASE)
HEADINGS = re.compile(
    rb"(?:topic|query|q)[-_.]?(?:id|no|num|number)?\s+\S+\s+\S+\s+rank\s+(?:score|sim|similarity)\s+\S+\s*",
    re.IGNORECASE,
)
NAMES_OF_COLUMNS = {
    column: re.compile(rb"(?:" + names + rb")", re.IGNORECASE)
    for column, names in (
        ("topic", rb"(?:topic|query|q)[-_.]?(?:id|no|num|number|name|tag)?"),
        ("docno", rb"(?:doc|document|corpus|passage|p)[-_.]?(?:id|no|num|number|name|tag)?"),
        ("rank", rb"rank"),
        ("score", rb"score|sim|similarity"),
        ("tag", rb"(?:run|tag|system)[-_.]?(?:id|no|num|number|name|tag)?"),
        ("", rb"q0|iter|iteration|query[-_]?text"),
    )
}
NO_TAG = re.compile(rb"query|topic|text|title|(?:query|topic)[-_.]?text", re.IGNORECASE)
WORD_OF_HEADINGS = re.compile(rb"[A-Za-z][A-Za-z_.-]*|[Qq]0")
JSON = re.compile(rb'\{\s*(?:$|"[^"]*"\s*:)|\[\s*(?:$|[\[{"])')
DYNAMIC_DOMAIN_LINE = re.compile(
    rb"\s*\S+\s+[0-9]{1,4}\s+\S+\s+[+-]?[0-9]+\.[0-9]+\s+[01](?:\s+[\w.-]+:[0-9]+(?:\|[\w.-]+:[0-9]+)*)?\s*"
)
SHIFTED = re.compile(rb"\S+\s+[Qq]?0\s+\S+\s+(?![+-]?[0-9])\S+\s+[0-9]+\s+[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?\s*")
GRADE = re.compile(rb"[+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?")
FEATURE = re.compile(
    rb"[0-9]{1,9}:[+-]?(?:(?:[0-9]{1,99}(?:\.[0-9]{0,99})?|\.[0-9]{1,99})(?:e[+-]?[0-9]{1,9})?|nan|inf(?:inity)?)",
    re.IGNORECASE,
)
HEAD_OF_FEATURES, MOST_FEATURES = 4096, 64
"""Of a line that may be training data: bytes and fields. A line may have a million."""
MARKUP = re.compile(rb"\s*<(?!/?SYSDESC)(?:[?!]|/?[A-Z][\w.:-]*[\s/>])", re.IGNORECASE)
SAMPLE_LINES = 40
DESCRIBES = "The line describes the system (SYSDESC)."
NAMES_COLUMNS = "The line names the columns."


class RunHead:
    """Takes lines from the first one on, until one is no comment: that one, and all after it, are lines of the run.

    A comment begins with `#`, and its first field is not a topic. Where no topics are known, a line of six columns is a
    comment between the marks of `ir_metadata` only. Blank lines count as part of the head, and so do the lines of NTCIR's
    `<SYSDESC>`, and one line that names the columns. `left_out`: these two, as line number, text, and what the line is.
    A `<SYSDESC>` without an end is one line of the head. `unclosed`: its number and text.
    Where JSON or markup begins, or where columns are named in another order, no line is one of the run. `no_run`: the
    number and text of that line, and of JSON up to 40 lines from it on.
    """

    def __init__(self, topics: Collection[str] | None = None) -> None:
        self.lines = 0
        self._topics = topics
        self._metadata: list[str] = []
        self._size = 0
        self._state = "before"
        self.left_out: list[tuple[int, bytes, str]] = []
        self.unclosed: list[tuple[int, bytes]] = []
        self.no_run: list[tuple[int, bytes, bytes]] = []
        self._is_described = self._names_columns = False

    @property
    def header(self) -> str:
        """What stands between the marks, without the prefix; empty if there is no end mark or too much text."""
        return "\n".join(self._metadata) if self._state == "after" and self._size <= HEADER_LIMIT else ""

    @property
    def description(self) -> str:
        """The text of `<SYSDESC>`, on one line, with escapes in place of characters that no reader sees."""
        text = " ".join(text.decode(errors="replace") for _, text, what in self.left_out if what == DESCRIBES)
        return printable(" ".join(TAGS_OF_DESCRIPTION.sub(" ", text).split()))

    def skip(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """The numbered lines after the head."""
        remaining = iter(lines)
        while entry := next(remaining, None):
            if not self._is_described and DESCRIPTION.match(entry[1]):
                remaining = self._take_description(entry, remaining)
            elif not self._takes(entry[1]):
                if is_no_run(entry[1]) and not self._is_of_a_topic(entry[1]):
                    further = islice(remaining, SAMPLE_LINES - 1) if is_json(entry[1]) else ()
                    sample = b"\n".join(text[:HEADER_LIMIT] for _, text in chain([entry], further))
                    self.no_run.append((self.lines + 1, entry[1], sample))
                    return iter(())
                return chain([entry], remaining)
        return remaining

    def _take_description(
        self, first: tuple[int, bytes], remaining: Iterator[tuple[int, bytes]]
    ) -> Iterator[tuple[int, bytes]]:
        """Take the lines up to the end of the description, or without an end the first one; return those after them."""
        self._is_described = True
        read: list[tuple[int, bytes]] = []
        size = 0
        for entry in chain([first], remaining):
            read.append(entry)
            size += len(entry[1]) + 1
            end = END_OF_DESCRIPTION.search(entry[1])
            if size > HEADER_LIMIT or (end and end[1].strip()):
                break
            if end:
                self.left_out += [
                    (self.lines + place, text, DESCRIBES) for place, (_, text) in enumerate(read, start=1)
                ]
                self.lines += len(read)
                return remaining
        self.lines += 1
        self.unclosed.append((self.lines, first[1]))
        return chain(read[1:], remaining)

    def _takes(self, text: bytes) -> bool:
        if not self._names_columns and _names_the_six(text) and not self._is_of_a_topic(text):
            self._names_columns = True
            self.left_out.append((self.lines + 1, text, NAMES_COLUMNS))
        elif text.strip() and not self._is_comment(text):
            return False
        else:
            self._collect(text.decode(errors="replace"))
        self.lines += 1
        return True

    def _is_of_a_topic(self, text: bytes) -> bool:
        return is_of_topic(text, self._topics)

    def _is_comment(self, text: bytes) -> bool:
        if not text.startswith(b"#"):
            return False
        if self._topics is not None:
            return not self._is_of_a_topic(text)
        return self._state == "inside" or len(text.split()) != 6

    def _collect(self, text: str) -> None:
        mark = text.rstrip()
        if self._state == "before" and mark == START:
            self._state = "inside"
        elif self._state == "inside" and mark == END:
            self._state = "after"
        elif self._state == "inside":
            self._size += len(text) + 1
            if self._size <= HEADER_LIMIT:
                self._metadata.append(text[2:] if text.startswith("# ") else text[1:])


class JsonBlocks:
    """Takes lines of other than six columns, behind the head, and tells which belong to JSON that began before them."""

    def __init__(self, topics: Collection[str] | None = None) -> None:
        self.is_open = False
        self._topics = topics

    def goes_on(self, text: bytes) -> bool:
        was_open = self.is_open
        self.is_open = was_open or (is_json(text) and not is_of_topic(text, self._topics))
        return was_open

    def end(self) -> None:
        """Tell of a line of six columns, which is no JSON."""
        self.is_open = False


def is_of_topic(text: bytes, topics: Collection[str] | None) -> bool:
    """Whether the first field of a line that is not blank is a topic that is known.

    >>> is_of_topic(b'["1 Q0 a', {'["1'}), is_of_topic(b"1 Q0 a", None)
    (True, False)
    """
    return topics is not None and text.split(None, 1)[0].decode(errors="replace") in topics


def is_no_run(text: bytes) -> bool:
    """Whether a line shows that those from it on are no lines of a run.

    >>> is_no_run(b'{"1": {"d1": 2.5}}'), is_no_run(b"<html>"), is_no_run(b"qid docno rank score Q0 tag")
    (True, True, True)
    >>> is_no_run(b"1, Q0, d1, 1, 2.5, bm25")
    True
    >>> is_no_run(b"<1> Q0 d1 1 2.5 bm25"), is_no_run(b"qid Q0 docno rank score tag")
    (False, False)
    """
    if text[:1].isspace():
        return False
    return (
        is_json(text)
        or is_markup(text)
        or has_commas(text)
        or is_shifted(text)
        or is_of_dynamic_domain(text)
        or other_order(text) is not None
    )


def is_markup(text: bytes) -> bool:
    """Whether a line begins as XML, HTML and SGML do.

    >>> is_markup(b'<?xml version="1.0"?>'), is_markup(b"<SYSDESC>BM25"), is_markup(b"<a> Q0 d1 1 2.5 bm25")
    (True, False, False)
    """
    return MARKUP.match(text) is not None and (len(text.split()) != 6 or text.rstrip().endswith(b">"))


def has_commas(text: bytes) -> bool:
    """Whether a comma and a blank separate the columns of a line, as in runs of NTCIR's Lifelog.

    >>> has_commas(b"KITE, KITE01, 16001, u1_2016, 0, 1.0"), has_commas(b"1 Q0 d,1 1 2.5 bm25")
    (True, False)
    """
    fields = text.split()
    return len(fields) > 3 and all(field.endswith((b",", b";")) for field in fields[:-1])


def is_shifted(text: bytes) -> bool:
    """Whether rank and score stand one column further back, behind that of a passage, as in runs of CLEF-IP.

    >>> is_shifted(b"PSG1 Q0 WO-1 /claims/claim[1] 1 0.9"), is_shifted(b"1 Q0 d1 x 4 base")
    (True, False)
    """
    return SHIFTED.fullmatch(text) is not None


def is_of_dynamic_domain(text: bytes) -> bool:
    """Whether the columns are those of TREC dynamic domain: topic, round, docno, score, whether on topic, ratings of subtopics.

    >>> is_of_dynamic_domain(b"DD16-1 0 d1 1.5 1 DD16-1.1:3|DD16-1.2:4"), is_of_dynamic_domain(b"1 0 d1 1.0 1 bm25")
    (True, False)
    """
    return DYNAMIC_DOMAIN_LINE.fullmatch(text) is not None


def is_training_data(text: bytes) -> bool:
    """Whether a line is one of training data for learning to rank (LETOR, SVMlight): a grade, perhaps a qid, and features.

    >>> is_training_data(b"2 qid:10 1:0.03 #docid = D7"), is_training_data(b"-1 1:0.03 7:2"), is_training_data(b"1 9:30 train")
    (True, True, False)
    """
    grade, *fields = text[:HEAD_OF_FEATURES].partition(b"#")[0].split()[:MOST_FEATURES] or [b""]
    features = fields[1:] if fields and fields[0].startswith(b"qid:") else fields
    is_long = features != fields or len(fields) > 1
    return is_long and GRADE.fullmatch(grade) is not None and all(map(FEATURE.fullmatch, features))


def _names_the_six(text: bytes) -> bool:
    return HEADINGS.fullmatch(text) is not None and other_order(text) is None


def other_order(text: bytes) -> dict[str, int] | None:
    """The places, from 1, of the columns that a line names in another order than that of a run; None if it names none so.

    >>> other_order(b"docno qid rank score Q0 tag")
    {'topic': 2, 'docno': 1, 'rank': 3, 'score': 4, 'tag': 6}
    >>> other_order(b"qid Q0 docno rank score tag"), other_order(b"1 Q0 d1 1 2.5 bm25")
    (None, None)
    """
    fields = text.split()
    if len(fields) != 6 or text[:1].isspace():
        return None
    if HEADINGS.fullmatch(text):
        is_docno = [NAMES_OF_COLUMNS["docno"].fullmatch(field) is not None for field in fields[1:3]]
        if is_docno != [True, False] and not NO_TAG.fullmatch(fields[5]):
            return None
    places = named_columns(fields)
    is_named = {"topic", "docno"} <= places.keys() and not {"rank", "score"}.isdisjoint(places)
    return places if is_named and all(WORD_OF_HEADINGS.fullmatch(field) for field in fields) else None


def named_columns(fields: Sequence[bytes]) -> dict[str, int]:
    """The places, from 1, of the columns of a run among names of columns.

    A name of a number stands before a bare one (qid before query), then a query before a topic, docno before docid. Of
    two bare names the topic stands first: a query may be a text.

    >>> named_columns(b"qid docid docno rank score query".split())
    {'topic': 1, 'docno': 3, 'rank': 4, 'score': 5}
    >>> named_columns([b"query", b"topic"]), named_columns([b"topic_id", b"query_id"])
    ({'topic': 2}, {'topic': 2})
    """
    places: dict[str, int] = {}
    for column, pattern in NAMES_OF_COLUMNS.items():
        found = [place for place, field in enumerate(fields, start=1) if column and pattern.fullmatch(field)]
        if found:
            places[column] = min(found, key=lambda place: _rank_of_name(fields[place - 1].lower()))
    return places


def _rank_of_name(name: bytes) -> tuple[bool, bool, bool]:
    is_bare = not name.endswith((b"no", b"id", b"num", b"number"))
    return is_bare, name.startswith(b"topic") != is_bare, not name.endswith(b"no")


def is_json(text: bytes) -> bool:
    """Whether a line begins as JSON does.

    >>> is_json(b'{"1": {"d1": 2.5}}'), is_json(b"["), is_json(b"{1} Q0 d1 1 2.5 bm25")
    (True, True, False)
    """
    return JSON.match(text) is not None


def is_comment_line(text: bytes, topics: Collection[str] | None) -> bool:
    """Whether a line behind the head begins with # and its first field is no topic. Where none are known, no line is a comment.

    >>> is_comment_line(b"# 2 Q0 a 1 9", {"1"}), is_comment_line(b"#1 Q0 a 1 9 x", {"#1"}), is_comment_line(b"# a", None)
    (True, False, False)
    """
    if topics is None or not text.lstrip().startswith(b"#"):
        return False
    return text.split(None, 1)[0].decode(errors="replace") not in topics


def split_head(data: bytes, topics: Collection[str] | None = None) -> tuple[RunHead, int]:
    """Return the head of a text without a byte order mark, and its length in bytes."""
    head = RunHead(topics)
    after = next(head.skip(_placed_lines(data)), None)
    return head, len(data) if after is None else after[0]


def _placed_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines, each with the place of its first byte."""
    offset = 0
    while offset < len(data) and (line := HEAD_LINE.match(data, offset)):
        yield offset, line[1]
        offset = line.end()
