"""The document numbers of a collection as sorted hashes, in a file mapped into memory, to look up which docnos are known.

The hashes stand in ascending order with gaps, each near the place that is proportional to its value, so that a look-up
reads one or two neighbouring entries for any number of documents.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Self, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]

MAGIC = b"runpool docnos 2"
HEADER = np.dtype([("magic", "S16"), ("count", "<u8"), ("homes", "<u8"), ("slots", "<u8"), ("checksum", "<u8")])
ENTRY = np.dtype("<u8")
EMPTY = 0
SAMPLES = [
    "",
    "a",
    "NEWS-0001",
    "é",
    "clueweb12-0000tw-00-00000",
    *("x" * size for size in (12, 13, 16, 17, 33, 129, 257)),
]


class DocnoHashes:
    """A set of docnos that looks up a whole column at once. With 20 million docnos, its false-positive rate is about 1e-12."""

    def __init__(self, table: Hashes, homes: int, count: int, checksum: int | None = None) -> None:
        self.count = count
        self._checksum = checksum
        self._table = table
        self._homes = homes

    @classmethod
    def of(cls, columns: Iterable[pl.Series]) -> Self:
        hashes = np.concatenate([np.empty(0, ENTRY), *(hashes_of(docnos) for docnos in columns)])
        hashes.sort()
        count = len(hashes)
        homes = count * 5 // 3 + 1
        # Each entry stands at its home, or after the entry before it if that is further on.
        places = np.maximum.accumulate(_home(hashes, homes) - np.arange(count)) + np.arange(count)
        # The last slot stays empty, where every search ends.
        table = np.full(max(homes, int(places[-1]) + 1 if count else 0) + 1, EMPTY, ENTRY)
        table[places] = hashes
        return cls(table, homes, count)

    def write(self, out: BinaryIO) -> None:
        header = (MAGIC, self.count, self._homes, len(self._table), _checksum(self._table))
        out.write(np.array([header], HEADER).tobytes())
        out.write(self._table.data.cast("B"))

    @classmethod
    def mapped(cls, path: Path) -> Self | None:
        """Map a file into memory, so that only the pages in use are read; None if it is not a complete index.

        Whether its entries are those that were written is another question, which needs all pages: `is_intact`.
        """
        if path.stat().st_size < HEADER.itemsize:
            return None
        return cls._of_bytes(np.memmap(path, np.uint8, mode="r"))

    @classmethod
    def _of_bytes(cls, data: NDArray[np.uint8]) -> Self | None:
        magic, count, homes, slots, checksum = data[: HEADER.itemsize].view(HEADER)[0]
        if magic != MAGIC or len(data) != HEADER.itemsize + int(slots) * ENTRY.itemsize:
            return None
        return cls(np.asarray(data[HEADER.itemsize :]).view(ENTRY), int(homes), int(count), int(checksum))

    def is_intact(self) -> bool:
        """Whether the entries have the checksum that was written with them."""
        return self._checksum is None or self._checksum == _checksum(self._table)

    def known(self, docnos: pl.Series) -> pl.Series:
        """Return for each docno whether it is in the set."""
        hashes = hashes_of(docnos)
        # Sorted hashes are looked up from one end of the table to the other, which is faster than random access.
        in_order = self._contains(np.sort(hashes))
        if in_order.all():  # the usual case
            return pl.repeat(True, len(docnos), dtype=pl.Boolean, eager=True)
        is_known = np.empty_like(in_order)
        is_known[np.argsort(hashes)] = in_order
        return pl.Series(is_known, dtype=pl.Boolean)

    def missing(self, docnos: Iterable[str]) -> set[str]:
        asked = pl.Series(list(docnos), dtype=pl.String)
        return set(asked.filter(~self.known(asked)))

    def _contains(self, hashes: Hashes) -> NDArray[np.bool_]:
        place = _home(hashes, self._homes)
        entry = self._table[place]
        is_known: NDArray[np.bool_] = entry == hashes
        line = np.flatnonzero((entry < hashes) & (entry != EMPTY))
        place = place[line]
        while len(line):
            place += 1
            entry, wanted = self._table[place], hashes[line]
            is_known[line[entry == wanted]] = True
            goes_on = np.flatnonzero((entry < wanted) & (entry != EMPTY))
            line, place = line[goes_on], place[goes_on]
        return is_known


def hashing_key() -> str:
    """Identify polars' hash function: hashes compare only under equal keys."""
    samples = hashes_of(pl.Series(SAMPLES)).tobytes()
    return hashlib.sha256(pl.__version__.encode() + samples).hexdigest()[:16]


def _checksum(table: Hashes) -> int:
    return zlib.crc32(np.ascontiguousarray(table).data.cast("B"))


def hashes_of(docnos: pl.Series) -> Hashes:
    hashes: Hashes = np.maximum(docnos.hash().to_numpy(), np.uint64(EMPTY + 1))
    return hashes


def _home(hashes: Hashes, homes: int) -> NDArray[np.int64]:
    # The same share of the table as the hash is of the largest one.
    return (((hashes >> np.uint64(32)) * np.uint64(homes)) >> np.uint64(32)).astype(np.int64)
