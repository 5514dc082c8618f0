"""The lines of qrels or a pool while they are read: held in columns, since an object for each would take many times the bytes."""

from __future__ import annotations

from array import array
from typing import Any, TypeAlias

import polars as pl

Key: TypeAlias = tuple[str, ...]
Values: TypeAlias = tuple[int | float | None, ...]
ROWS_AT_ONCE = 1 << 16
FIRST_SLOTS = 1 << 10


class JudgmentRows:
    """The first line of each key with its values, and the table of them in file order.

    `keys`: how many columns of the schema are the key; qrels have topic, subtopic and docno.
    Keys are found by open addressing: `_slots` holds row + 1, or 0 where it is free, and at least a third of it is free.

    >>> rows = JudgmentRows(pl.Schema({"topic": pl.String, "subtopic": pl.String, "docno": pl.String, "grade": pl.Int32}))
    >>> rows.row(("1", "0", "a"), 1)
    >>> rows.add_values((2,))
    >>> rows.row(("1", "0", "a"), 7), rows.values(0)
    (0, (2,))
    >>> rows.change(0, 7, (3,))
    >>> rows.table().rows(), list(rows.line_numbers)
    ([('1', '0', 'a', 3)], [7])
    """

    def __init__(self, schema: pl.Schema, keys: int = 3) -> None:
        self.line_numbers = array("I")
        self._schema = schema
        self._keys = keys
        self._parts: list[pl.DataFrame] = []
        self._newest: list[list[str | int | float | None]] = [[] for _ in schema]
        self._hashes = array("q")
        self._slots = array("I", bytes(4 * FIRST_SLOTS))
        self._changed: dict[int, Values] = {}

    def row(self, key: Key, number: int) -> int | None:
        """The row of a key that came before; None for a new one, which `add_values` is to follow."""
        hashed, mask = hash(key), len(self._slots) - 1
        slot = hashed & mask
        while found := self._slots[slot]:
            if self._hashes[found - 1] == hashed and self._key(found - 1) == key:
                return found - 1
            slot = (slot + 1) & mask
        self._hashes.append(hashed)
        self.line_numbers.append(number)
        self._slots[slot] = len(self._hashes)
        if 3 * len(self._hashes) > 2 * len(self._slots):
            self._double_slots()
        for column, value in zip(self._newest, key, strict=False):
            column.append(value)
        return None

    def add_values(self, values: Values) -> None:
        """The values of the newest key, in the order of the columns behind the key."""
        for column, value in zip(self._newest[self._keys :], values, strict=True):
            column.append(value)
        if len(self._newest[0]) == ROWS_AT_ONCE:
            self._parts.append(self._newest_part())
            self._newest = [[] for _ in self._schema]

    def values(self, row: int) -> Values:
        """The values of a row, in the order of the columns behind the key."""
        return self._changed.get(row) or self._whole(row)[self._keys :]

    def change(self, row: int, line: int, values: Values) -> None:
        """Let the values of another line of the same key stand for the row."""
        self._changed[row] = values
        self.line_numbers[row] = line

    def table(self) -> pl.DataFrame:
        table = pl.concat([*self._parts, self._newest_part()])
        if not self._changed:
            return table
        names, rows = list(self._schema)[self._keys :], list(self._changed)
        return table.with_columns(
            table[name].scatter(rows, pl.Series(values, dtype=self._schema[name]))
            for name, values in zip(names, map(list, zip(*self._changed.values(), strict=True)), strict=True)
        )

    def _newest_part(self) -> pl.DataFrame:
        return pl.DataFrame(self._newest, schema=self._schema, orient="col")

    def _key(self, row: int) -> tuple[object, ...]:
        return self._whole(row)[: self._keys]

    def _whole(self, row: int) -> tuple[Any, ...]:
        part, place = divmod(row, ROWS_AT_ONCE)
        if part == len(self._parts):
            return tuple(column[place] for column in self._newest)
        return self._parts[part].row(place)

    def _double_slots(self) -> None:
        self._slots = array("I", bytes(8 * len(self._slots)))
        mask = len(self._slots) - 1
        for row, hashed in enumerate(self._hashes, start=1):
            slot = hashed & mask
            while self._slots[slot]:
                slot = (slot + 1) & mask
            self._slots[slot] = row
