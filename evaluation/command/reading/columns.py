"""The fast readers of what scoring needs of runs and qrels: whole columns at a time, of files without a problem only.

Files of unusual layout (several blanks, tabs among blanks, CRLF, blank lines) are brought into the usual one first. What
cannot be read so is left to the tolerant readers, which say what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl

from campaign.formats.qrels.layouts import NO_SUBTOPIC
from campaign.formats.qrels.table import QRELS_SCHEMA
from campaign.formats.runs.column_reader.batches import FILE_SCHEMA
from campaign.formats.runs.column_reader.repeated_docnos import (
    COMPARED_AT_ONCE,
    HASH_STEP,
    HASHED_AT_ONCE,
    Hashes,
    equal_within,
    pieces,
)
from evaluation.command.reading.lines import without_marks

TOPIC, DOCNO, RANK, SCORE, TAG = 0, 2, 3, 4, 5
Schema: TypeAlias = Mapping[str, pl.DataType | type[pl.DataType]]
RUN_COLUMNS: Schema = FILE_SCHEMA
LARGEST_GRADE = 999_999_999
BLANKS = bytes.maketrans(b"\t\v\f\r", b"   \n")
COMMENT_LINE = re.compile(rb"^#.*\n?", re.MULTILINE)
HIGHEST_BLANK = ord(" ")
BLOCK = 1 << 17


@dataclass(frozen=True, slots=True)
class _Text:
    """A text whose columns stand apart by single separators; `lines` is what is known of their number."""

    data: bytes
    separator: str
    lines: int | None = None


def read_scores(data: bytes, *, with_rank: bool = False, comments: bool = False) -> pl.DataFrame | None:
    """The columns topic, docno, score, and rank if asked, of the lines of a run in file order; `None` if it is not clean.

    `comments` says that lines beginning with # are passed over; otherwise no file is clean that has one.
    """
    for text in _plain_texts(data, comments):
        frame = _run_columns(text, with_rank)
        if frame is not None and not _has_comment(text, frame) and not holds_twice(frame):
            return frame
    return None


def read_grades(data: bytes, *, subtopics: bool = False, comments: bool = False) -> pl.DataFrame | None:
    """The columns of `QRELS_SCHEMA` of the lines of four-column qrels; `None` if they are not clean.

    Without `subtopics` the second column is passed over. What is judged twice is not looked for.
    """
    for text in _plain_texts(data, comments):
        frame = _csv(text, QRELS_SCHEMA, None)
        if frame is None or _has_comment(text, frame):
            continue
        if (frame["grade"].abs() <= LARGEST_GRADE).all():
            return frame if subtopics else frame.with_columns(subtopic=pl.lit(NO_SUBTOPIC))
    return None


def _plain_texts(data: bytes, comments: bool) -> Iterator[_Text]:
    """Give the text as it is, if that may do, then evened, then also without comments if allowed."""
    data = without_marks(data)
    if text := _as_it_is(data):
        yield text
    if b"\0" in data:
        return
    data = _evened(data)
    yield _Text(data, " ")
    if comments and b"#" in data:
        yield _Text(COMMENT_LINE.sub(b"", data), " ")


def _as_it_is(data: bytes) -> _Text | None:
    """The text with its separator; `None` if separators are doubled.

    Other blanks and control characters need no search: they are counted as ends of lines that will not be found.
    Leading and trailing separators, and blank lines, come back as nulls.
    """
    separator = b"\t" if b"\t" in data[: data.find(b"\n")] else b" "
    text = np.frombuffer(data, np.uint8)
    n_others = 0
    for start in range(0, len(text), BLOCK):
        block = text[start : start + BLOCK + 1]
        separates = block == separator[0]
        if (separates[1:] & separates[:-1]).any():
            return None
        n_others += int(np.count_nonzero(block[:BLOCK] <= HIGHEST_BLANK) - np.count_nonzero(separates[:BLOCK]))
    return _Text(data, separator.decode(), n_others + (not data.endswith(b"\n")))


def _evened(data: bytes) -> bytes:
    """The same lines with single blanks between the columns and LF as line end, without blank lines."""
    data = data.translate(BLANKS)
    for doubled, single in ((b"  ", b" "), (b" \n", b"\n"), (b"\n ", b"\n"), (b"\n\n", b"\n")):
        while doubled in data:
            data = data.replace(doubled, single)
    return data.strip(b" \n")


def _run_columns(text: _Text, with_rank: bool) -> pl.DataFrame | None:
    first_line = text.data[: text.data.find(b"\n")]
    surplus = first_line.count(text.separator.encode()) + 1 - len(RUN_COLUMNS)
    schema = {**RUN_COLUMNS} | {f"surplus {number}": pl.String for number in range(surplus)}
    columns = [TOPIC, DOCNO, *([RANK] if with_rank else []), SCORE, TAG]
    frame = _csv(text, schema, columns)
    if frame is None or frame["score"].is_nan().any():
        return None
    return frame.drop("tag")


def _csv(text: _Text, schema: Schema, columns: list[int] | None) -> pl.DataFrame | None:
    """Read at least these columns; `None` if one of them is missing in a line."""
    try:
        frame = pl.read_csv(
            text.data, has_header=False, separator=text.separator, quote_char=None, schema=schema, columns=columns
        )
    except pl.exceptions.PolarsError:
        return None
    if not frame.height or any(frame.null_count().row(0)):
        return None
    return frame if text.lines in (None, frame.height) else None


def _has_comment(text: _Text, frame: pl.DataFrame) -> bool:
    return b"#" in text.data and bool(frame["topic"].str.starts_with("#").any())


def holds_twice(frame: pl.DataFrame) -> bool:
    """Whether a (topic, docno) occurs more than once."""
    return any(map(_holds_twice, _cut_between_topics(frame.select("topic", "docno"))))


def _cut_between_topics(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Cut a long run into pieces of whole topics, so that little memory is needed at a time."""
    if frame.height <= HASHED_AT_ONCE:
        yield frame
        return
    blocks = frame["topic"].rle().struct
    if blocks.field("value").is_duplicated().any():
        yield frame
        return
    for start, end in pieces(np.cumsum(blocks.field("len").to_numpy(), dtype=np.int64), HASHED_AT_ONCE):
        yield frame[start:end]


def _holds_twice(lines: pl.DataFrame) -> bool:
    topics: Hashes = lines["topic"].hash().to_numpy()
    hashes: Hashes = lines["docno"].hash().to_numpy() * HASH_STEP
    hashes ^= topics
    starts = np.flatnonzero(np.diff(topics, prepend=~topics[:1]))
    ends = np.append(starts[1:], len(topics))
    if len(np.unique(topics[starts])) < len(starts):
        ends = ends[-1:]
    # Equal hashes of unequal pairs are possible: they only ask for a closer look.
    if not any(equal_within(hashes[start:end]) for start, end in pieces(ends, COMPARED_AT_ONCE)):
        return False
    return bool(lines.is_duplicated().any())
