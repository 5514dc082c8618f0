"""The runs' lists of one topic, as policies walk along them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

NO_DOCUMENT = -1


@dataclass(frozen=True)
class TopicLists:
    """One topic's lists as arrays, made once by `choosing.topic_lists` and never changed.

    docnos: the documents, ascending; a document is its index here. rankings: int32 (runs, length of the longest list), the
    document at each position of each run, -1 behind its last. The runs are those of `Candidates.runs`, in their order.
    """

    topic: str
    docnos: tuple[str, ...]
    rankings: npt.NDArray[np.int32]

    @cached_property
    def index_of(self) -> dict[str, int]:
        return {docno: index for index, docno in enumerate(self.docnos)}

    @cached_property
    def rows(self) -> list[list[int]]:
        """The documents of each run in their order, without the filling."""
        lengths = (self.rankings != NO_DOCUMENT).sum(axis=1)
        return [row[:length].tolist() for row, length in zip(self.rankings, lengths, strict=True)]

    @cached_property
    def reachable(self) -> list[int]:
        """The documents that a run holds: all, but in lists that were cut (`within`)."""
        return [int(document) for document in np.unique(self.rankings[self.rankings != NO_DOCUMENT])]

    def indexes(self, docnos: list[str]) -> list[int]:
        """Raises ValueError for a document that none of the runs holds."""
        unknown = [docno for docno in docnos if docno not in self.index_of]
        if unknown:
            raise ValueError(
                f"Topic {self.topic}: no run holds the document {unknown[0]} within the candidates. "
                "Take the runs and parameters that the pool was drawn with."
            )
        return [self.index_of[docno] for docno in docnos]

    def within(self, depth: int) -> Self:
        """With the first `depth` documents of each run only; the documents keep their indexes."""
        if self.rankings.shape[1] <= depth:
            return self
        return type(self)(self.topic, self.docnos, np.ascontiguousarray(self.rankings[:, :depth]))


@dataclass
class Remaining:
    """The documents of a topic that can still be chosen: those that a run holds and that are not taken.

    taken: a byte per document, 0 for those that remain.
    """

    lists: TopicLists
    taken: bytearray = field(init=False)

    def __post_init__(self) -> None:
        self.taken = bytearray(b"\1") * len(self.lists.docnos)
        for document in self.lists.reachable:
            self.taken[document] = 0
        self._rows = self.lists.rows
        self._at = [0] * len(self._rows)

    def take(self, document: int) -> None:
        self.taken[document] = 1

    def next_of(self, run: int) -> int:
        """The first document of this run that can be chosen; -1 where none is left."""
        row, at, taken = self._rows[run], self._at[run], self.taken
        while at < len(row) and taken[row[at]]:
            at += 1
        self._at[run] = at
        return row[at] if at < len(row) else NO_DOCUMENT
