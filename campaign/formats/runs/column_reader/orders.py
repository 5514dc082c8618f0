"""Ranks against scores, and scores against each other, over all topics of a run at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from campaign.formats.runs.column_reader.batches import Mask
from campaign.formats.runs.column_reader.repeated_docnos import Places
from campaign.formats.runs.column_reader.topics import Scores, TopicLines
from campaign.formats.runs.line_reader.order import FIRST_PLACES, Ties
from campaign.formats.runs.line_reader.reader import REVERSED_FROM
from campaign.formats.runs.order import by_score
from campaign.formats.runs.order_setting import RELEASE_9, Ordering

Topics = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Rises:
    """`places`: the first rise in each topic that has one, ordered by topic; `rising` of `lines` rise in the whole file.

    `ends`: the places of the best and the worst rank of the topic that shows it, if scores rise throughout the file.
    """

    places: Places
    rising: int = 0
    lines: int = 0
    ends: tuple[int, int] | None = None


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
        return Rises(complete.place[:0])
    count = len(complete.place)
    is_unordered = np.zeros(len(lines.ends), bool)
    is_unordered[complete.topic[1:][unordered]] = True
    has_several = np.zeros(len(lines.ends), bool)
    has_several[complete.topic[1:][same]] = True
    if not is_unordered.all():
        complete = complete.of(is_unordered[complete.topic])
    complete = _by_rank(complete)
    all_unordered = bool((is_unordered == has_several).all())
    if all_unordered and _are_reversed(complete):
        return Rises(complete.place[:0], ends=_ends(lines, complete))
    rising = _rising(complete)
    first = rising[np.diff(complete.topic[rising], prepend=-1) != 0]
    return Rises(complete.place[first], len(rising), count)


def count_ties(lines: TopicLines, is_scored: Mask) -> Ties:
    """What `line_reader.order.count_ties` counts, but for `single`; only the lines where there are no ties."""
    topic, score = _with_score(lines, lines.compared, is_scored)
    topic, tied_with_next = _ties_in_order(topic, score, lines.ordering)
    if not tied_with_next.any():
        return Ties(lines=len(topic))
    tied = _tied(tied_with_next)
    starts = np.append(0, 1 + np.flatnonzero(topic[1:] != topic[:-1]))
    places, sizes = np.arange(FIRST_PLACES), np.diff(starts, append=len(topic))[:, np.newaxis]
    first = (starts[:, np.newaxis] + places)[places < sizes]
    return Ties(
        lines=len(topic),
        tied=int(tied.sum()),
        first=len(first),
        first_tied=int(tied[first].sum()),
        topics=int(np.logical_or.reduceat(tied, starts).sum()),
    )


def count_single(lines: TopicLines, is_scored: Mask, ties: Ties) -> int:
    """The lines that are tied, by `ties`, in single precision only."""
    if lines.ordering.reference != RELEASE_9 or not ties.tied:
        return 0
    _, tied_with_next = by_score(*_with_score(lines, lines.score.to_numpy(), is_scored))
    return ties.tied - int(_tied(tied_with_next).sum())


def _with_score(lines: TopicLines, scores: Scores, is_scored: Mask) -> tuple[Topics, Scores]:
    """Return topic and score of the lines that have a score, of the topics that are scored."""
    if not lines.score.null_count() and is_scored.all():
        return lines.topic, scores
    chosen = ~np.isnan(scores) & is_scored[lines.topic]
    return lines.topic[chosen], scores[chosen]


def _tied(with_next: Mask) -> Mask:
    """Whether a line is tied with the next one or the one before."""
    tied: Mask = np.append(with_next, False) | np.append(False, with_next)
    return tied


def _ties_in_order(topic: Topics, score: Scores, ordering: Ordering) -> tuple[Topics, NDArray[np.bool_]]:
    """Return the topics of the lines in the order by score, and of each line but the last whether the next one is tied."""
    same_topic = topic[1:] == topic[:-1]
    if ordering.reference != RELEASE_9 or not (same_topic & (score[1:] > score[:-1])).any():
        order, tied_with_next = by_score(topic, score)
        return topic if order is None else topic[order], tied_with_next
    # Sorting one whole number for topic and score takes a fraction of the time of sorting places by both.
    bits = (score + 0.0).astype(np.float32).view(np.uint32)
    descending = np.where(bits >> 31, bits, bits ^ 0x7FFFFFFF)
    keys = np.sort((topic.astype(np.uint64) << np.uint64(32)) | descending)
    return (keys >> np.uint64(32)).astype(np.uint32), keys[1:] == keys[:-1]


def repeated_ranks(lines: TopicLines) -> Places:
    """The places of the first line in each topic that has the rank of an earlier one."""
    with_rank = lines.rank.is_not_null().arg_true().to_numpy().astype(np.int64)
    topic, rank = lines.topic[with_rank], lines.rank.gather(with_rank)
    ranks = rank.to_numpy()
    if not ((topic[1:] == topic[:-1]) & (ranks[1:] <= ranks[:-1])).any():
        return with_rank[:0]
    pairs = pl.DataFrame({"topic": topic, "rank": rank})
    is_first = pairs.select(pl.struct("topic", "rank").is_first_distinct()).to_series().to_numpy()
    repeats = np.flatnonzero(~is_first)
    places: Places = with_rank[repeats[np.diff(topic[repeats], prepend=-1) != 0]]
    return places


def _complete(lines: TopicLines) -> _Lines:
    rank, score = lines.rank, lines.score
    if rank.null_count() or score.null_count():
        place = (rank.is_not_null() & score.is_not_null()).arg_true().to_numpy().astype(np.int64)
        rank, topic = rank.gather(place), lines.topic[place]
    else:
        place, topic = np.arange(len(rank)), lines.topic
    return _Lines(place, topic, rank.to_numpy(), lines.compared[place] + 0.0)  # -0.0 equals 0.0


def _by_rank(lines: _Lines) -> _Lines:
    """Sort each topic's lines by rank, then score, then line number."""
    same = lines.topic[1:] == lines.topic[:-1]
    rank, score = np.diff(lines.rank), lines.score
    if not (same & ((rank < 0) | ((rank == 0) & (score[1:] < score[:-1])))).any():
        return lines
    frame = pl.DataFrame({"topic": lines.topic, "rank": lines.rank, "score": score}).with_row_index("index")
    return lines.of(frame.sort("topic", "rank", "score", "index")["index"].to_numpy().astype(np.int64))


def _rising(lines: _Lines) -> Places:
    """Return the indices of the lines whose score is above one of a strictly better rank."""
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
    rising: Places = np.flatnonzero(lines.score > lowest_before)
    return rising


def _are_reversed(lines: _Lines) -> bool:
    same = lines.topic[1:] == lines.topic[:-1]
    starts = np.flatnonzero(np.diff(lines.topic, prepend=-1))
    if len(starts) < 2 or int(same.sum()) < REVERSED_FROM:
        return False
    last = np.append(starts[1:], len(lines.topic)) - 1
    is_wrong = same & ((lines.rank[1:] == lines.rank[:-1]) | (lines.score[1:] < lines.score[:-1]))
    return not is_wrong.any() and bool((lines.score[starts] < lines.score[last]).all())


def _ends(lines: TopicLines, by_rank: _Lines) -> tuple[int, int]:
    """The places of the best and the worst rank in the topic whose best rank stands first in the file, of those with several."""
    starts = np.flatnonzero(np.diff(by_rank.topic, prepend=-1))
    last = np.append(starts[1:], len(by_rank.topic)) - 1
    shown = int(np.argmin(lines.numbers(by_rank.place[starts])))
    return int(by_rank.place[starts[shown]]), int(by_rank.place[last[shown]])
