"""Tables that wait on the disk, so that memory holds only those that are worked on."""

from __future__ import annotations

from io import BytesIO
from typing import BinaryIO

import polars as pl


class Spool:
    """Tables in one file, which belongs to the spool alone, each read again by the number under which it was put there."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._ends = [file.seek(0)]

    def put(self, table: pl.DataFrame) -> int:
        """Write the table behind the others; return its number.

        >>> spool = Spool(BytesIO())
        >>> number = spool.put(pl.DataFrame({"docno": ["a", "b"]}))
        >>> spool.get(number)["docno"].to_list()
        ['a', 'b']
        """
        self._file.seek(self._ends[-1])
        table.write_parquet(self._file, compression="lz4", statistics=False)
        self._ends.append(self._file.tell())
        return len(self._ends) - 2

    def get(self, number: int) -> pl.DataFrame:
        """The table of this number, in its order."""
        start, end = self._ends[number : number + 2]
        self._file.seek(start)
        return pl.read_parquet(BytesIO(self._file.read(end - start)))
