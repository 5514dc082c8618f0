"""The lines of a run grouped by topic, its distinct documents and the best of them, computed on arrays without loops."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from campaign.formats.runs.column_reader.batches import Mask, Numbers
from campaign.formats.runs.column_reader.repeated_docnos import Places, repeated
from campaign.formats.runs.order import comparable_scores, order_of_lines
from campaign.formats.runs.order_setting import BY_SCORE, Ordering

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Neighbouring lines of one topic. `topic`: its code; codes are given in order of appearance."""

    topic: Places
    start: Places
    size: Places


class TopicLines:
    """All lines of six columns, grouped by topic and in file order within a topic.

    A place is an index into this order; `number(place)` is the line's number in the file. `ends`: the place after each
    topic's last line.
    """

    def __init__(
        self, names: pl.Series, blocks: Blocks, frame: pl.DataFrame, numbers: Numbers, ordering: Ordering
    ) -> None:
        self.names = names
        self.ordering = ordering
        self.blocks = blocks
        self.ends = np.cumsum(np.bincount(blocks.topic, blocks.size, len(names)).astype(np.int64))
        self.is_grouped = len(blocks.topic) == len(names)
        self.order = None if self.is_grouped else np.argsort(self.codes_in_file(), kind="stable")
        grouped = frame if self.order is None else frame[self.order]
        self.docno, self.rank, self.score = grouped["docno"], grouped["rank"], grouped["score"]
        self._numbers = numbers

    def codes_in_file(self) -> NDArray[np.uint32]:
        return np.repeat(self.blocks.topic.astype(np.uint32), self.blocks.size)

    @cached_property
    def starts(self) -> Places:
        return self.ends - np.diff(self.ends, prepend=0)

    @cached_property
    def topic(self) -> NDArray[np.uint32]:
        return np.repeat(np.arange(len(self.ends), dtype=np.uint32), self.ends - self.starts)

    @cached_property
    def compared(self) -> Scores:
        """The scores as the task compares them; NaN where a line has none."""
        scores = self.score.fill_null(np.nan) if self.score.null_count() else self.score
        return comparable_scores(scores.to_numpy(), self.ordering)

    def number(self, place: int) -> int:
        return int(self._numbers[place if self.order is None else self.order[place]])

    def number_in_file(self, index: int) -> int:
        """Return the number of the line with this index in file order."""
        return int(self._numbers[index])

    def numbers(self, places: Places) -> Numbers:
        return self._numbers[places if self.order is None else self.order[places]]

    @cached_property
    def repeated(self) -> Places:
        """The places of lines that repeat a document of their topic."""
        return repeated(self.docno, self.ends)

    @cached_property
    def distinct(self) -> Places | None:
        """The places of the first line of each document; None for all places."""
        if not len(self.repeated):
            return None
        is_first = np.ones(len(self.docno), bool)
        is_first[self.repeated] = False
        return np.flatnonzero(is_first)

    @cached_property
    def document_ends(self) -> Places:
        """The end of each topic within `distinct`."""
        return self.ends if self.distinct is None else np.searchsorted(self.distinct, self.ends)

    @cached_property
    def documents(self) -> Places:
        """The number of distinct documents of each topic."""
        return np.diff(self.document_ends, prepend=0)


def topic_blocks(topics: list[pl.DataFrame]) -> tuple[pl.Series, Blocks]:
    """Return the topics in order of appearance and the blocks of their lines, from each batch's topics with their lengths."""
    lengths = pl.concat(topics)
    values, size = lengths["value"], lengths["len"].to_numpy().astype(np.int64)
    if len(topics) > 1:  # a batch may go on with the topic of the one before it
        first = np.flatnonzero((values != values.shift()).fill_null(value=True).to_numpy())
        values, size = values.gather(first), np.add.reduceat(size, first)
    if values.n_unique() == len(values):
        names, code = values, np.arange(len(values))
    else:
        names = values.unique(maintain_order=True)
        code = values.replace_strict(names, pl.int_range(len(names), eager=True), return_dtype=pl.Int64).to_numpy()
    return names, Blocks(code, np.cumsum(size) - size, size)


@dataclass(frozen=True, slots=True)
class TiesAtCut:
    """Places of first documents beyond the maximum that have the score of the last one within, and places of the latter."""

    first_out: Places
    last_in: Places

    def last_in_of(self, first_out: int) -> int:
        return int(self.last_in[np.flatnonzero(self.first_out == first_out)[0]])


@dataclass(frozen=True, slots=True)
class Best:
    """Which documents count in topics with more readable documents than the maximum.

    `surplus`: the places of documents that do not count. `ties`: none unless scores decide.
    """

    surplus: Places
    ties: TiesAtCut


def best(lines: TopicLines, is_asked: Mask, is_long: Mask | None, limit: int) -> Best:
    """Choose the best readable documents of the asked topics, in the order of the task."""
    is_deep = is_asked & (lines.documents > limit)
    if not is_deep.any():
        return _none_beyond(lines)
    readable = _readable(lines, is_deep, is_long)
    counts = np.bincount(lines.topic[readable], minlength=len(lines.ends))
    readable = readable[(counts > limit)[lines.topic[readable]]]
    if not len(readable):
        return _none_beyond(lines)
    topic = lines.topic[readable]
    starts = np.flatnonzero(np.diff(topic, prepend=-1))
    is_surplus = np.arange(len(topic)) - np.repeat(starts, np.diff(starts, append=len(topic))) >= limit
    ranking = _ranking(lines, readable)
    if lines.ordering.run_order != BY_SCORE:
        return Best(ranking[is_surplus], _none_beyond(lines).ties)
    score, first_out = lines.compared[ranking], starts + limit
    tied = first_out[score[first_out] == score[first_out - 1]]
    return Best(ranking[is_surplus], TiesAtCut(ranking[tied], ranking[tied - 1]))


def _none_beyond(lines: TopicLines) -> Best:
    none = lines.repeated[:0]
    return Best(none, TiesAtCut(none, none))


def _ranking(lines: TopicLines, places: Places) -> Places:
    """Return the places, which are grouped by topic, in the order of the task."""
    docno, rank = lines.docno.gather(places), lines.rank.gather(places)
    order = order_of_lines(lines.topic[places], docno, lines.compared[places], rank, lines.ordering)
    return places if order is None else places[order]


def _readable(lines: TopicLines, is_asked: Mask, is_long: Mask | None) -> Places:
    chosen = np.repeat(is_asked, lines.ends - lines.starts)
    chosen[lines.repeated] = False
    if lines.score.null_count():
        chosen &= lines.score.is_not_null().to_numpy()
    if is_long is not None:
        chosen &= ~is_long
    return np.flatnonzero(chosen)
