"""Which keys of a file are given twice, without holding the keys: eight bytes of each are kept.

A first reading finds the repeats of keys that stand close together, and the hashes that come twice. Where there are such,
a second reading names the keys: hashes alone would take two keys for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from campaign.formats.docno_hashes import Hashes, hashes_of

BLOCK = 50_000
MOST_NAMED = 100_000
"""Keys of which a second reading holds the text: a file of more repeats than that is told how many there are."""

Key: TypeAlias = tuple[str, int]


class SeenKeys:
    """The keys of a file so far: the newest as they are, the others as hashes."""

    def __init__(self) -> None:
        self._newest: dict[str, int] = {}
        self._hashes: list[Hashes] = []

    def add(self, key: str, line: int) -> int | None:
        """Add a key; return the line on which it stood before if that was not long ago."""
        if (before := self._newest.get(key)) is not None:
            return before
        self._newest[key] = line
        self._end_full_block()
        return None

    def add_all(self, keys: Sequence[str], line: int) -> bool:
        """Add the keys of consecutive lines from `line` on, or none of them where one may have stood shortly before; whether
        they were added.

        >>> seen = SeenKeys()
        >>> seen.add_all(["a", "b"], 1), seen.add_all(["c", "b"], 3), seen.add("c", 3), seen.add("b", 4)
        (True, False, None, 2)
        """
        if len(set(keys)) < len(keys) or not self._newest.keys().isdisjoint(keys):
            return False
        place = 0
        while place < len(keys):
            end = place + BLOCK - len(self._newest)
            self._newest.update(zip(keys[place:end], count(line + place), strict=False))
            self._end_full_block()
            place = end
        return True

    def _end_full_block(self) -> None:
        if len(self._newest) >= BLOCK:
            self._hashes.append(hashes_of(pl.Series(list(self._newest))))
            self._newest = {}

    def repeats(self) -> Repeats:
        """The hashes of the keys that come in two blocks."""
        if not self._hashes:
            return Repeats(np.empty(0, np.uint64), 0)
        hashes = np.concatenate([*self._hashes, hashes_of(pl.Series(list(self._newest), dtype=pl.String))])
        hashes.sort()
        again = hashes[1:][hashes[1:] == hashes[:-1]]
        return Repeats(np.unique(again), len(again))


class Repeats:
    """`count`: how often a hash came again. `are_cut`: there are more than are named."""

    def __init__(self, hashes: Hashes, count: int) -> None:
        self._hashes = hashes[:MOST_NAMED]
        self.count = count
        self.are_cut = len(hashes) > MOST_NAMED

    def named(self, keys: Iterable[Key]) -> Iterator[tuple[str, int, int]]:
        """Read the file's keys once more, in the same order: the key, its line and that of the first of each repeat."""
        first_lines: dict[str, int] = {}
        for block in _blocks(keys):
            docnos = list(block)
            asked = self._asked(hashes_of(pl.Series(docnos)))
            for place in np.flatnonzero(asked).tolist():
                key = docnos[place]
                if key in first_lines:
                    yield key, block[key], first_lines[key]
                else:
                    first_lines[key] = block[key]

    def _asked(self, hashes: Hashes) -> NDArray[np.bool_]:
        place = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        found: NDArray[np.bool_] = self._hashes[place] == hashes
        return found


def _blocks(keys: Iterable[Key]) -> Iterator[dict[str, int]]:
    """As `SeenKeys` cuts them: repeats within a block have been told already."""
    block: dict[str, int] = {}
    for key, line in keys:
        block.setdefault(key, line)
        if len(block) >= BLOCK:
            yield block
            block = {}
    if block:
        yield block
