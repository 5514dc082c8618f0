"""The lines of a run in the order in which they are pooled, scored and cut: the one function for all of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from campaign.formats.runs.order_setting import BY_LINE, BY_RANK, RELEASE_9, Ordering

if TYPE_CHECKING:  # slow to load: few lines are put in order without it
    import polars as pl

Codes = NDArray[np.integer]
Scores = NDArray[np.float64]
Places = NDArray[np.int64]
Steps = NDArray[np.bool_]
Texts: TypeAlias = "pl.Series | NDArray[np.object_]"
"""A column of texts: a String series, or an array of str where there are few."""
Ranks: TypeAlias = "pl.Series | Places | None"

FEW_TIES = 2000
"""So many lines are sorted sooner in plain Python than a data frame is made."""
NO_RANK = int(np.iinfo(np.int64).max)
"""The rank, in an array, of a line that has none."""


def comparable_scores(scores: Scores, ordering: Ordering) -> Scores:
    """Return the scores as they are compared: float64, with `reference` 9 rounded to single precision.

    What is too large for single precision becomes infinite, what is too small 0, as in trec_eval 9.

    >>> comparable_scores(np.array([16777217.0, 1e39]), Ordering()).tolist()
    [16777216.0, inf]
    """
    if ordering.reference != RELEASE_9:
        return scores
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def order_of_lines(topic: Codes, docno: Texts, score: Scores, rank: Ranks, ordering: Ordering) -> Places | None:
    """Return the permutation, int64 (n,), that puts topics ascending and the lines of each in the order of `Ordering`.

    `topic`: codes (n,). `docno`: texts (n,). `score`: float64 (n,), as `comparable_scores` gives them, none NaN.
    `rank`: Int64 (n,), null where a line has none, or int64 (n,) with `NO_RANK` there; used by the order "rank" only. No
    (topic, docno) may come twice. None where the lines stand in that order already.

    >>> import polars as pl
    >>> topic, docno, score = np.array([0, 0, 0]), pl.Series(["a", "b", "c"]), np.array([1.0, 2.0, 1.0])
    >>> order_of_lines(topic, docno, score, None, Ordering()).tolist()
    [1, 2, 0]
    >>> order_of_lines(topic, docno, score, pl.Series([3, 2, 1]), Ordering("rank")).tolist()
    [2, 1, 0]
    >>> order_of_lines(topic, docno, score, None, Ordering("line")) is None
    True
    """
    order, tied, scores_of_ties = _before_ties(topic, score, rank, ordering)
    if not tied.any():
        return order
    return _break_ties(np.arange(len(topic)) if order is None else order, tied, docno, scores_of_ties)


def first_lines(topic: Codes, docno: Texts, score: Scores, rank: Ranks, ordering: Ordering, depth: int) -> Places:
    """Return of that permutation what the first `depth` lines of each topic are, int64; docnos of later lines are not read.

    The arguments are those of `order_of_lines`.

    >>> import polars as pl
    >>> topic, docno, score = np.array([0, 0, 0]), pl.Series(["a", "b", "c"]), np.array([1.0, 2.0, 1.0])
    >>> first_lines(topic, docno, score, None, Ordering(), depth=2).tolist()
    [1, 2]
    """
    lines, tied, scores_of_ties = _before_ties(topic, score, rank, ordering)
    starts, lengths = _blocks(topic if lines is None else topic[lines])
    joined = np.append(tied, False)[: len(topic)]
    held, place = _first_of_each(starts, _with_ties_across(starts, lengths, joined, depth))
    chosen = held if lines is None else lines[held]
    if joined[held].any():
        chosen = _break_ties(chosen, joined[held][:-1], docno, scores_of_ties)
    return chosen[place < depth]


def _with_ties_across(starts: Places, lengths: Places, joined: Steps, depth: int) -> Places:
    """How many first places of each topic are within `depth` or tied, through their neighbours, with one that is."""
    counts = np.minimum(lengths, depth)
    last = starts + counts - 1
    across = joined[last]
    if across.any():
        ends = np.flatnonzero(~joined)
        counts[across] = ends[np.searchsorted(ends, last[across])] - starts[across] + 1
    return counts


def _first_of_each(starts: Places, counts: Places) -> tuple[Places, Places]:
    """Return so many places from each start on, and the place of each of them within its topic, from 0."""
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(starts, counts) + place, place


def _blocks(topic: Codes) -> tuple[Places, Places]:
    """Return where each topic starts and how many lines it has; `topic` must be sorted."""
    starts = np.flatnonzero(np.append(True, topic[1:] != topic[:-1])[: len(topic)])
    return starts, np.diff(starts, append=len(topic))


def place_in_topic(topic: Codes) -> Places:
    """Return the place of each line, from 0, among those of its topic, int64 (n,); `topic` must be sorted.

    >>> place_in_topic(np.array([3, 3, 5])).tolist()
    [0, 1, 0]
    """
    return _first_of_each(*_blocks(topic))[1]


def _before_ties(
    topic: Codes, score: Scores, rank: Ranks, ordering: Ordering
) -> tuple[Places | None, Steps, Scores | None]:
    """The permutation before ties are broken, its ties as `by_score` gives them, and the scores that break them first."""
    grouped = stably_by_topic(topic) if (topic[1:] < topic[:-1]).any() else None
    if ordering.run_order == BY_LINE:
        return grouped, np.zeros(max(len(topic) - 1, 0), dtype=bool), None
    if ordering.run_order == BY_RANK:
        if rank is None:
            raise ValueError("The order by rank needs the ranks.")
        ranks = rank if isinstance(rank, np.ndarray) else rank.fill_null(NO_RANK).to_numpy()
        return *_descending(topic, -ranks, grouped), score
    return *_descending(topic, score, grouped), None


def by_score(topic: Codes, score: Scores) -> tuple[Places | None, Steps]:
    """Return the permutation by topic, then score descending; and of each place but the last, whether it is tied with the next.

    The order of tied lines is any. `score` as `comparable_scores` gives them; None where the lines stand so already.

    >>> order, tied = by_score(np.array([0, 0, 0]), np.array([1.0, 2.0, 2.0]))
    >>> sorted(order[:2].tolist()), tied.tolist()
    ([1, 2], [True, False])
    """
    return _descending(topic, score, stably_by_topic(topic) if (topic[1:] < topic[:-1]).any() else None)


def stably_by_topic(topic: Codes) -> Places:
    """Return the permutation that sorts by topic and keeps the order within each."""
    few = not len(topic) or topic.max() <= np.iinfo(np.uint16).max
    # A stable sort of small integers is a radix sort, which costs little.
    return np.argsort(topic.astype(np.uint16 if few else np.int64), kind="stable")


def _descending(topic: Codes, key: Scores | Places, grouped: Places | None) -> tuple[Places | None, Steps]:
    rises, tied = _steps(topic, key, grouped)
    if not rises.any():
        return grouped, tied
    largest_first = np.argsort(-key)
    order = largest_first[stably_by_topic(topic[largest_first])]
    return order, _steps(topic, key, order)[1]


def _steps(topic: Codes, key: Scores | Places, order: Places | None) -> tuple[Steps, Steps]:
    """Say of each line, in this order, whether the next one of the same topic has a higher key, or an equal one."""
    if order is not None:
        topic, key = topic[order], key[order]
    same_topic = topic[1:] == topic[:-1]
    return same_topic & (key[1:] > key[:-1]), same_topic & (key[1:] == key[:-1])


def _break_ties(order: Places, tied: Steps, docno: Texts, score: Scores | None) -> Places:
    """Order each block of ties by score, if given, and docno, both descending; `tied[i]` joins places i and i + 1."""
    with_next, with_previous = np.append(tied, False), np.append(False, tied)
    places = np.flatnonzero(with_next | with_previous)
    block = np.cumsum(~with_previous[places])
    lines = order[places]
    docnos = docno[lines]
    scores = None if score is None else score[lines] + 0.0  # -0.0 equals 0.0
    settled = order.copy()
    if isinstance(docnos, np.ndarray) or len(lines) <= FEW_TIES:
        settled[places] = lines[_few_settled(block, docnos, scores)]
    else:
        settled[places] = lines[_settled(block, docnos, scores)]
    return settled


def _few_settled(block: Places, docno: Texts, score: Scores | None) -> Places:
    """The permutation by block, score and docno, without a data frame."""
    texts = docno.tolist() if isinstance(docno, np.ndarray) else docno.to_list()
    # Code points stand in the order of their UTF-8 bytes.
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__, reverse=True))
    if score is not None:
        order = order[np.argsort(-score[order], kind="stable")]
    return order[np.argsort(block[order], kind="stable")]


def _settled(block: Places, docno: pl.Series, score: Scores | None) -> Places:
    """The same permutation of many lines."""
    import polars as pl

    ties = pl.DataFrame({"block": block, **({} if score is None else {"score": score}), "docno": docno})
    ties = ties.with_row_index("line")
    keys = ties.columns[1:]
    descending = [key != "block" for key in keys]
    return ties.sort(keys, descending=descending)["line"].to_numpy().astype(np.int64)
