"""From a run's lines to the ranks of its judged documents: the scoring order, computed once for all measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from campaign.formats.runs.order import comparable_scores, order_of_lines
from campaign.formats.runs.order_setting import BY_RANK, BY_SCORE, Ordering
from evaluation.engine.arrays import IntArray, group_counts
from evaluation.engine.judgments import Judgments
from evaluation.engine.matching import DocumentIndex
from evaluation.engine.ranked_run import DEFAULT_REFERENCE, RankedRun, Reference
from evaluation.engine.run_lines import RunLines

if TYPE_CHECKING:  # slow to load: a small run is ranked without it
    import polars as pl


class RankingError(ValueError):
    """A run that has no defined order or names a document twice."""


def rank_run(
    table: pl.DataFrame, judgments: Judgments, reference: Reference = DEFAULT_REFERENCE, run_order: str = BY_SCORE
) -> RankedRun:
    """Order a run for scoring by `Ordering(run_order, reference)`, as it is ordered for pooling.

    `table` has the columns topic, docno (String), score (Float64), by rank also rank (Int64), no (topic, docno) twice.
    Lines of topics without judgments are left out; a topic that the run misses is a group with nothing retrieved.
    A score that is not a number, and a judged document retrieved twice, raise RankingError.

    >>> import polars as pl
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> ranked = rank_run(run, judgments)
    >>> ranked.rank.tolist(), ranked.grade.tolist(), ranked.num_ret.tolist()
    ([1, 3], [3, 0], [3])
    """
    return rank_lines(RunLines.of_table(table), judgments, reference, run_order)


def rank_lines(
    lines: RunLines, judgments: Judgments, reference: Reference = DEFAULT_REFERENCE, run_order: str = BY_SCORE
) -> RankedRun:
    """Order the lines of a run for scoring, as `rank_run` does those of a table; by rank they need their ranks.

    >>> judgments = Judgments.from_lists(["1", "1"], ["0", "0"], ["a", "b"], [3, 0])
    >>> ranked = rank_lines(RunLines.of_lists(["1", "1", "1"], ["a", "x", "b"], [3.0, 2.0, 1.0]), judgments)
    >>> ranked.rank.tolist(), ranked.grade.tolist(), ranked.num_ret.tolist()
    ([1, 3], [3, 0], [3])
    """
    lines, topic = _judged_topics_only(lines, judgments)
    order = _order(lines, topic, Ordering(run_order, reference))
    num_ret = group_counts(topic, judgments.n_topics)

    index = DocumentIndex.of(judgments, few=isinstance(lines.docno, np.ndarray))
    line, document = index.find(lines.docno, topic)
    place = line
    if order is not None:
        place = _inverse(order)[line]
        by_place = np.argsort(place, kind="stable")
        line, document, place = line[by_place], document[by_place], place[by_place]
    _refuse_duplicates(document, judgments)
    group = topic[line]
    return RankedRun(
        judgments=judgments,
        topic=np.arange(judgments.n_topics),
        num_ret=num_ret,
        group=group,
        rank=place - (np.cumsum(num_ret) - num_ret)[group] + 1,
        grade=judgments.grade[document],
        document=document,
        reference=reference,
    )


def _judged_topics_only(lines: RunLines, judgments: Judgments) -> tuple[RunLines, IntArray]:
    topic = judgments.topic_codes(lines.topics)[lines.topic]
    judged = topic >= 0
    if judged.all():
        return lines, topic
    return lines.where(judged), topic[judged]


def _order(lines: RunLines, topic: IntArray, ordering: Ordering) -> IntArray | None:
    undefined = np.isnan(lines.score)
    if undefined.any():
        line = int(np.argmax(undefined))
        told = f"Topic {lines.topics[lines.topic[line]]}: the score of document {lines.docno[line]} is not a number."
        raise RankingError(f"{told} Give every line a number.")
    ranks = lines.rank if ordering.run_order == BY_RANK else None
    return order_of_lines(topic, lines.docno, comparable_scores(lines.score, ordering), ranks, ordering)


def _inverse(order: IntArray) -> IntArray:
    """Give the place in scoring order, from 0 over all topics, of every line."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def _refuse_duplicates(document: IntArray, judgments: Judgments) -> None:
    times = np.bincount(document, minlength=1)
    if times.max() > 1:
        topic, docno = judgments.named(int(np.argmax(times)))
        raise RankingError(f"Topic {topic}: document {docno} is retrieved more than once. Keep one line of each.")
