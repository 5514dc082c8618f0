"""The lines of a run as arrays: what is ordered and matched, whichever way the run was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from campaign.formats.runs.order import NO_RANK, Texts
from evaluation.engine.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:  # slow to load: a small run is scored without it
    import polars as pl


@dataclass(frozen=True, eq=False)
class RunLines:
    """The lines of a run in file order.

    `topics`: the topics as the run writes them, each once, in the order in which they come first. `topic`: int64 (n,),
    their places in `topics`. `docno`: texts (n,). `score`: float64 (n,). `rank`: int64 (n,), `NO_RANK` for a line that has
    none; None where the ranks were not read.
    """

    topics: tuple[str, ...]
    topic: IntArray
    docno: Texts
    score: FloatArray
    rank: IntArray | None = None

    def __len__(self) -> int:
        return len(self.topic)

    @classmethod
    def of_table(cls, table: pl.DataFrame) -> RunLines:
        """The lines of a table with the columns topic, docno (String), score (Float64), perhaps rank (Int64).

        >>> import polars as pl
        >>> lines = RunLines.of_table(pl.DataFrame({"topic": ["2", "2", "1"], "docno": ["a", "b", "a"], "score": 1.0}))
        >>> lines.topics, lines.topic.tolist()
        (('2', '1'), [0, 0, 1])
        """
        topics, topic = coded(table["topic"])
        rank = table["rank"].fill_null(NO_RANK).to_numpy() if "rank" in table.columns else None
        return cls(topics, topic, table["docno"], table["score"].to_numpy(), rank)

    @classmethod
    def of_lists(
        cls, topics: Sequence[str], docnos: Sequence[str], scores: Sequence[float], ranks: Sequence[int] | None = None
    ) -> RunLines:
        """The lines of a small run, from a list for each column."""
        names, topic = coded(topics)
        rank = None if ranks is None else np.array(ranks, dtype=np.int64)
        return cls(names, topic, np.array(docnos, dtype=object), np.array(scores, dtype=np.float64), rank)

    def with_topics(self, names: Mapping[str, str]) -> RunLines:
        """The lines with topics written in another way; two that are then written alike are one topic.

        >>> RunLines.of_lists(["a-1", "2", "1"], ["x", "x", "y"], [1.0, 1.0, 1.0]).with_topics({"a-1": "1"}).topic.tolist()
        [0, 1, 0]
        """
        topics, place = coded([names.get(topic, topic) for topic in self.topics])
        return replace(self, topics=topics, topic=place[self.topic])

    def where(self, kept: BoolArray) -> RunLines:
        """The lines that are kept: bool (n,)."""
        lines = np.flatnonzero(kept)
        rank = None if self.rank is None else self.rank[lines]
        return replace(self, topic=self.topic[lines], docno=self.docno[lines], score=self.score[lines], rank=rank)


def coded(column: pl.Series | Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Give the different texts of a column in the order in which they come first, and their places there: int64 (n,).

    >>> names, places = coded(["b", "b", "a", "b"])
    >>> names, places.tolist()
    (('b', 'a'), [0, 0, 1, 0])
    """
    known: dict[str, int] = {}
    if isinstance(column, Sequence):
        places = _places(column, known)
        return tuple(known), places
    # Lines of the same topic mostly stand together.
    begins = np.flatnonzero(changes(column))
    of_blocks = _places(column[begins].to_list(), known)
    return tuple(known), np.repeat(of_blocks, np.diff(begins, append=len(column)))


def _places(texts: Sequence[str], known: dict[str, int]) -> IntArray:
    """The places of texts among those known; a new one is added."""
    return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)


def changes(column: Texts) -> BoolArray:
    """Mark every element that differs from the one before it, and the first: bool (n,)."""
    differs = column[1:] != column[:-1]
    marks = differs if isinstance(differs, np.ndarray) else differs.to_numpy()
    return np.concatenate(([True], marks))[: len(column)].astype(np.bool_, copy=False)
