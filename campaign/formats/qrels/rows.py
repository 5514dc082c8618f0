"""The judgments of a file while it is read: held in columns, since a Python object for each would take many times the bytes."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TypeAlias

import polars as pl

Key: TypeAlias = tuple[str, str, str]
ROWS_AT_ONCE = 1 << 16
FIRST_SLOTS = 1 << 10


class JudgmentRows:
    """The first line of each key (topic, subtopic, docno) with its values, and the table of them in file order.

    Keys are found by open addressing: `_slots` holds row + 1, or 0 where it is free, and at least a third of it is free.

    >>> rows = JudgmentRows(pl.Schema({"topic": pl.String, "subtopic": pl.String, "docno": pl.String, "grade": pl.Int32}))
    >>> rows.first_line(("1", "0", "a"), 1)
    1
    >>> rows.add_values([2])
    >>> rows.first_line(("1", "0", "a"), 7), rows.table().rows(), list(rows.line_numbers)
    (1, [('1', '0', 'a', 2)], [1])
    """

    def __init__(self, schema: pl.Schema) -> None:
        self.line_numbers = array("I")
        self._schema = schema
        self._parts: list[pl.DataFrame] = []
        self._newest: list[list[str | int | float | None]] = [[] for _ in schema]
        self._hashes = array("q")
        self._slots = array("I", bytes(4 * FIRST_SLOTS))

    def first_line(self, key: Key, number: int) -> int:
        """The line on which the key came first: `number`, if it is new. Then `add_values` is to follow."""
        hashed, mask = hash(key), len(self._slots) - 1
        slot = hashed & mask
        while found := self._slots[slot]:
            if self._hashes[found - 1] == hashed and self._key(found - 1) == key:
                return self.line_numbers[found - 1]
            slot = (slot + 1) & mask
        self._hashes.append(hashed)
        self.line_numbers.append(number)
        self._slots[slot] = len(self._hashes)
        if 3 * len(self._hashes) > 2 * len(self._slots):
            self._double_slots()
        for column, value in zip(self._newest, key, strict=False):
            column.append(value)
        return number

    def add_values(self, values: Sequence[int | float | None]) -> None:
        """The values of the newest key, in the order of the columns behind the key."""
        for column, value in zip(self._newest[3:], values, strict=True):
            column.append(value)
        if len(self._newest[0]) == ROWS_AT_ONCE:
            self._parts.append(self._newest_part())
            self._newest = [[] for _ in self._schema]

    def table(self) -> pl.DataFrame:
        return pl.concat([*self._parts, self._newest_part()])

    def _newest_part(self) -> pl.DataFrame:
        return pl.DataFrame(self._newest, schema=self._schema, orient="col")

    def _key(self, row: int) -> tuple[object, ...]:
        part, place = divmod(row, ROWS_AT_ONCE)
        if part == len(self._parts):
            return tuple(column[place] for column in self._newest[:3])
        return self._parts[part].row(place)[:3]

    def _double_slots(self) -> None:
        self._slots = array("I", bytes(8 * len(self._slots)))
        mask = len(self._slots) - 1
        for row, hashed in enumerate(self._hashes, start=1):
            slot = hashed & mask
            while self._slots[slot]:
                slot = (slot + 1) & mask
            self._slots[slot] = row
