"""PURE: Parquet files by others, read only where they cannot become much larger than they are.

Their library allocates what page headers say. These are read first, as far as the format's specification goes:
https://parquet.apache.org/docs/file-format/metadata/.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import polars as pl

MARK = b"PAR1"
MOST_RATIO, RATIO_FLOOR = 400, 1 << 20
"""LZ4, in which the site writes its own, never packs more than 255 bytes into one, nor the topics and docnos of 200 rows."""
MOST_BYTES, MOST_ROWS = 1 << 30, 20_000_000
MOST_PARTS = 100_000
"""Row groups, columns and pages of a file."""
DEEPEST = 20
DELTA_BYTE_ARRAY = 7
"""An encoding in which one long text stands in thousands of rows and is stored once; nothing here writes it."""
FOOTER, COLUMNS, ROW_GROUPS = 8, 1, 4
UNREADABLE = "This is no Parquet file, or a damaged one."


def read_parquet_table(content: bytes, schema: pl.Schema) -> pl.DataFrame:
    """The table of a file with exactly these columns and no nulls; ValueError for any other file, before much is built.

    >>> buffer = BytesIO()
    >>> pl.DataFrame({"topic": ["1"]}).write_parquet(buffer)
    >>> read_parquet_table(buffer.getvalue(), pl.Schema({"topic": pl.String})).rows()
    [('1',)]
    >>> read_parquet_table(b"PAR1", pl.Schema({"topic": pl.String}))
    Traceback (most recent call last):
    ValueError: This is no Parquet file, or a damaged one.
    """
    try:
        _require_modest(content)
        table = pl.read_parquet(BytesIO(content)).match_to_schema(schema)
    except (
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
        LookupError,
        TypeError,
        AttributeError,
        OSError,
    ) as problem:
        raise ValueError(UNREADABLE) from problem
    if sum(table.null_count().row(0)):
        raise ValueError("Cells of the Parquet file are empty.")
    return table


def _require_modest(content: bytes) -> None:
    most = RATIO_FLOOR + MOST_RATIO * len(content)
    most_rows, most_bytes = min(most // 2, MOST_ROWS), min(most, MOST_BYTES)
    unpacked, rows = 0, Counter[str]()
    for parts, (place, values, size, encoding) in enumerate(_pages(content)):
        rows[place] += values
        unpacked += size
        if encoding == DELTA_BYTE_ARRAY:
            raise ValueError("The Parquet file is encoded in a way that this site does not read.")
        if parts > MOST_PARTS or size < 0 or unpacked > most_bytes or not 0 <= rows[place] <= most_rows:
            raise ValueError("The Parquet file unpacks to much more than its size.")


def _pages(content: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Of each page what it is part of, its values, unpacked bytes and encoding; the same of groups and of their columns."""
    if len(content) < 2 * FOOTER or not content.startswith(MARK) or not content.endswith(MARK):
        raise ValueError(UNREADABLE)
    [length] = struct.unpack("<I", content[-FOOTER:-4])
    footer = _Thrift(content, len(content) - FOOTER - length).struct()
    for group in footer.get(ROW_GROUPS, []):
        yield "groups", group.get(3, 0), 0, 0
        for number, column in enumerate(group[COLUMNS]):
            about = column[3]
            yield f"column {number}", about.get(5, 0), 0, 0
            at = min(about[9], about.get(11) or about[9])
            end = at + about[7]
            while at < end:
                reader = _Thrift(content, at)
                header = reader.struct()
                data = header.get(5) or header.get(8) or {}
                yield f"pages {number}", data.get(1, 0), header[2], data.get(2 if 5 in header else 4, 0)
                if header[3] < 0:
                    raise ValueError(UNREADABLE)
                at = reader.at + header[3]


class _Thrift:
    """Structures of Thrift's compact protocol as dicts by the numbers of their fields."""

    def __init__(self, content: bytes, at: int) -> None:
        if not 0 <= at < len(content):
            raise ValueError(UNREADABLE)
        self.content = content
        self.at = at

    def struct(self, depth: int = 0) -> dict[int, Any]:
        if depth > DEEPEST:
            raise ValueError(UNREADABLE)
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            found[number] = self._value(head & 15, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._whole()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            return self._list(depth + 1)
        if kind == 12:
            return self.struct(depth + 1)
        raise ValueError(UNREADABLE)  # maps, which Parquet has none of

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        if depth > DEEPEST or size > MOST_PARTS:
            raise ValueError(UNREADABLE)
        kind = head & 15
        return [self._byte() == 1 if kind in (1, 2) else self._value(kind, depth) for _ in range(size)]

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self.content):
            raise ValueError(UNREADABLE)
        return self.content[self.at - size : self.at]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError(UNREADABLE)

    def _whole(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
