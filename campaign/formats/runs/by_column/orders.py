"""Ranks against scores, over all topics of a run at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from campaign.formats.runs.by_column.repeated_docnos import Places
from campaign.formats.runs.by_column.topics import Scores, TopicLines
from campaign.formats.runs.by_line.reader import REVERSED_FROM

Topics = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Rises:
    """`places`: the first rise in each topic that has one, ordered by topic. `is_reversed`: scores rise throughout the file."""

    places: Places
    is_reversed: bool


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines that have a rank and a score, those of a topic together."""

    place: Places
    topic: Topics
    rank: NDArray[np.int64]
    score: Scores

    def of(self, chosen: NDArray[np.bool_] | Places) -> _Lines:
        return _Lines(self.place[chosen], self.topic[chosen], self.rank[chosen], self.score[chosen])


def rises(lines: TopicLines) -> Rises:
    complete = _complete(lines)
    same = complete.topic[1:] == complete.topic[:-1]
    # In most files each topic's lines stand in rank order with falling scores: nothing can rise there.
    unordered = same & ((complete.rank[1:] < complete.rank[:-1]) | (complete.score[1:] > complete.score[:-1]))
    if not unordered.any():
        return Rises(complete.place[:0], is_reversed=False)
    is_unordered = np.zeros(len(lines.ends), bool)
    is_unordered[complete.topic[1:][unordered]] = True
    has_several = np.zeros(len(lines.ends), bool)
    has_several[complete.topic[1:][same]] = True
    if not is_unordered.all():
        complete = complete.of(is_unordered[complete.topic])
    complete = _by_rank(complete)
    all_unordered = bool((is_unordered == has_several).all())
    return Rises(_first_rises(complete), all_unordered and _are_reversed(complete))


def _complete(lines: TopicLines) -> _Lines:
    rank, score = lines.rank, lines.score
    if rank.null_count() or score.null_count():
        place = (rank.is_not_null() & score.is_not_null()).arg_true().to_numpy().astype(np.int64)
        rank, score, topic = rank.gather(place), score.gather(place), lines.topic[place]
    else:
        place, topic = np.arange(len(rank)), lines.topic
    return _Lines(place, topic, rank.to_numpy(), score.to_numpy() + 0.0)  # -0.0 equals 0.0


def _by_rank(lines: _Lines) -> _Lines:
    """Sort each topic's lines by rank, then score, then line number."""
    same = lines.topic[1:] == lines.topic[:-1]
    rank, score = np.diff(lines.rank), lines.score
    if not (same & ((rank < 0) | ((rank == 0) & (score[1:] < score[:-1])))).any():
        return lines
    frame = pl.DataFrame({"topic": lines.topic, "rank": lines.rank, "score": score}).with_row_index("index")
    return lines.of(frame.sort("topic", "rank", "score", "index")["index"].to_numpy().astype(np.int64))


def _first_rises(lines: _Lines) -> Places:
    """Return for each topic the place of the first line whose score is above one of a strictly better rank, if there is one."""
    new_topic = np.diff(lines.topic, prepend=-1) != 0
    new_rank = new_topic | (np.diff(lines.rank, prepend=0) != 0)
    first = np.flatnonzero(new_rank)
    # Lines of equal rank are sorted by score, so the first one has the lowest.
    lowest = pl.DataFrame({"topic": lines.topic[first], "score": lines.score[first]}).select(
        pl.col("score").cum_min().shift().over("topic").fill_null(np.inf)
    )
    lowest_before = lowest["score"].to_numpy()
    if len(first) < len(lines.place):
        lowest_before = lowest_before[np.cumsum(new_rank) - 1]
    rising = np.flatnonzero(lines.score > lowest_before)
    places: Places = lines.place[rising[np.diff(lines.topic[rising], prepend=-1) != 0]]
    return places


def _are_reversed(lines: _Lines) -> bool:
    same = lines.topic[1:] == lines.topic[:-1]
    starts = np.flatnonzero(np.diff(lines.topic, prepend=-1))
    if len(starts) < 2 or int(same.sum()) < REVERSED_FROM:
        return False
    last = np.append(starts[1:], len(lines.topic)) - 1
    is_wrong = same & ((lines.rank[1:] == lines.rank[:-1]) | (lines.score[1:] < lines.score[:-1]))
    return not is_wrong.any() and bool((lines.score[starts] < lines.score[last]).all())
