"""The fast reader of the lines of runs: a batch of lines, of any layout, as columns.

Lines of the usual layout become columns at once. Others are evened first: single blanks, LF, none but lines of six columns
of UTF-8. Numbers that polars does not take, or may take otherwise than `line_reader` does, are read by its rules.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from campaign.formats.encodings import UTF8_MARK
from campaign.formats.runs.column_reader.text import Batch
from campaign.formats.runs.header import is_comment_line
from campaign.formats.runs.line_reader.wrong_columns import INTEGER, NUMBER

FILE_SCHEMA = {
    "topic": pl.String,
    "q0": pl.String,
    "docno": pl.String,
    "rank": pl.Int64,
    "score": pl.Float64,
    "tag": pl.String,
}
TEXT_SCHEMA = dict.fromkeys(FILE_SCHEMA, pl.String)
MAY_BE_COMMENT = re.compile(rb"(?:^|[\r\n])[ \t\v\f]*#")
UNUSUAL = (b"\r", b"\x0b", b"\x0c")
BLANKS = bytes.maketrans(b"\t\v\f", b"   ")
BLANK, LINE_END = ord(" "), ord("\n")
# A whole number of more than 18 digits is no rank. A small number has that many digits only with this many leading zeros.
SMALL_RANK, ZEROS = 10**6, b"0" * 12
FIRST_SURROGATE, LAST_SURROGATE = 0xDC80, 0xDCFF

Numbers = NDArray[np.uint32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RunBatch:
    """`frame`: the lines of six columns in UTF-8, with null for a rank or score that cannot be read.

    `numbers`: the line numbers of `frame`. `not_utf8`, `wrong_columns`: those of all other lines that are not blank.
    """

    frame: pl.DataFrame
    numbers: Numbers
    not_utf8: Numbers
    wrong_columns: Numbers

    @property
    def lines(self) -> int:
        return len(self.numbers) + len(self.not_utf8) + len(self.wrong_columns)


def without_comments(batch: Batch, topics: Collection[str] | None) -> tuple[Batch, Numbers]:
    """The batch with empty lines in place of its comments, and the numbers of these."""
    if topics is None or b"#" not in batch.text or not MAY_BE_COMMENT.search(batch.text):
        return batch, np.empty(0, np.uint32)
    lines = batch.text.splitlines()
    found = [place for place, line in enumerate(lines) if is_comment_line(line, topics)]
    for place in found:
        lines[place] = b""
    text = b"\n".join([*lines, b""])
    return replace(batch, text=text), np.array(found, dtype=np.uint32) + np.uint32(batch.first_line)


def read_usual_batch(batch: Batch) -> RunBatch | None:
    """Read a batch whose lines all have the usual layout; return None for any other."""
    separator = _single_separator(batch.text)
    frame = _typed(batch.text, separator, batch.lines) if separator else None
    if frame is None:
        return None
    none = np.empty(0, np.uint32)
    numbers = np.arange(batch.first_line, batch.first_line + batch.lines, dtype=np.uint32)
    return RunBatch(frame, numbers, none, none)


def read_batch(batch: Batch) -> RunBatch:
    """Read a batch of any layout."""
    return read_usual_batch(batch) or _read_unusual(batch.text, batch.first_line)


def _single_separator(text: bytes) -> str | None:
    # Doubled, leading and trailing separators need no search here: they come back as nulls or as extra columns.
    first_line = text[: text.find(b"\n") + 1] or text
    separator, other = ("\t", b" ") if b"\t" in first_line else (" ", b"\t")
    return None if any(byte in text for byte in (other, *UNUSUAL)) else separator


def _typed(text: bytes, separator: str, lines: int) -> pl.DataFrame | None:
    if not lines:
        return None
    try:
        frame = _csv(text, separator, FILE_SCHEMA)
    except pl.exceptions.PolarsError:
        return None
    if frame.height != lines or any(column.null_count() for column in frame):
        return None
    ranks, scores = frame["rank"].to_numpy(), frame["score"].to_numpy()
    are_small = ranks.min() > -SMALL_RANK and ranks.max() < SMALL_RANK
    return frame if are_small and np.isfinite(scores).all() and ZEROS not in text else None


def _csv(text: bytes, separator: str, schema: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    if text.startswith(UTF8_MARK):  # polars strips one mark; this one belongs to the topic
        text = UTF8_MARK + text
    return pl.read_csv(
        text, has_header=False, separator=separator, quote_char=None, schema=schema, extra_columns="raise"
    )


def _read_unusual(text: bytes, first_line: int) -> RunBatch:
    even = _even(text)
    if not even:
        none = np.empty(0, np.uint32)
        return RunBatch(pl.DataFrame(schema=FILE_SCHEMA), none, none, none)
    data = np.frombuffer(even, np.uint8)
    ends = np.flatnonzero(data == LINE_END)
    starts = np.concatenate([[0], ends[:-1] + 1])
    columns = np.add.reduceat(data == BLANK, starts, dtype=np.int32) + 1
    is_line = ends > starts
    is_broken = _broken(even, len(ends)) & is_line
    is_whole = is_line & ~is_broken & (columns == len(FILE_SCHEMA))
    if not is_whole.all():
        even = data[np.repeat(is_whole, ends - starts + 1)].tobytes()
    numbers = np.arange(first_line, first_line + len(ends), dtype=np.uint32)
    is_short = is_line & ~is_broken & ~is_whole
    return RunBatch(_fields(even, int(is_whole.sum())), numbers[is_whole], numbers[is_broken], numbers[is_short])


def _even(text: bytes) -> bytes:
    """Return the same lines, each ended by LF, with single blanks between the columns; blank lines are empty."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = text.translate(BLANKS)
    if not text.endswith(b"\n"):
        text += b"\n"
    for doubled, single in ((b"  ", b" "), (b" \n", b"\n"), (b"\n ", b"\n")):
        while doubled in text:
            text = text.replace(doubled, single)
    return text.removeprefix(b" ")


def _broken(text: bytes, lines: int) -> Mask:
    """Return a mask of the lines that are not UTF-8."""
    broken = np.zeros(lines, bool)
    try:
        if not text.isascii():
            text.decode()
    except UnicodeDecodeError:
        # Every byte that cannot be decoded becomes a surrogate, which nothing else does.
        escaped = text.decode(errors="surrogateescape").encode("utf-32-le", errors="surrogatepass")
        characters = np.frombuffer(escaped, np.uint32)
        places = np.flatnonzero((characters >= FIRST_SURROGATE) & (characters <= LAST_SURROGATE))
        broken[np.searchsorted(np.flatnonzero(characters == LINE_END), places)] = True
    return broken


def _fields(even: bytes, lines: int) -> pl.DataFrame:
    if not lines:
        return pl.DataFrame(schema=FILE_SCHEMA)
    frame = _typed(even, " ", lines)
    if frame is not None:
        return frame
    frame = _csv(even, " ", TEXT_SCHEMA)
    if frame.height != lines:
        raise AssertionError(f"{frame.height} rows were read of {lines} lines.")
    return frame.with_columns(_ranks(frame["rank"]), _scores(frame["score"]))


def _ranks(texts: pl.Series) -> pl.Series:
    is_rank = texts.str.contains(f"^(?:{INTEGER.pattern.decode()})$")
    ranks = texts.str.strip_prefix("+").cast(pl.Int64, strict=False)
    return ranks.zip_with(is_rank, pl.Series([None], dtype=pl.Int64))


def _scores(texts: pl.Series) -> pl.Series:
    is_number = texts.str.contains(f"^(?:{NUMBER.pattern.decode()})$")
    scores = texts.cast(pl.Float64, strict=False)
    unread = (is_number & scores.is_null()).arg_true()
    if len(unread):
        scores = scores.scatter(unread, [float(text) for text in texts.gather(unread)])
    is_finite = is_number & scores.is_finite().fill_null(value=False)
    return scores.zip_with(is_finite, pl.Series([None], dtype=pl.Float64))
