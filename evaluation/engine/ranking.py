"""From a run's lines to the ranks of its judged documents: the scoring order, computed once for all measures."""

import numpy as np
import polars as pl

from campaign.formats.runs.order import comparable_scores, order_of_lines
from campaign.ordering import BY_RANK, BY_SCORE, Ordering
from evaluation.engine.arrays import FloatArray, IntArray, group_counts
from evaluation.engine.judgments import Judgments
from evaluation.engine.matching import DocumentIndex
from evaluation.engine.ranked_run import DEFAULT_REFERENCE, RankedRun, Reference


class RankingError(ValueError):
    """A run that has no defined order or names a document twice."""


def rank_run(
    table: pl.DataFrame, judgments: Judgments, reference: Reference = DEFAULT_REFERENCE, run_order: str = BY_SCORE
) -> RankedRun:
    """Order a run for scoring by `Ordering(run_order, reference)`, as it is ordered for pooling.

    `table` has the columns topic, docno (String), score (Float64), by rank also rank (Int64), no (topic, docno) twice.
    Lines of topics without judgments are left out; a topic that the run misses is a group with nothing retrieved.
    A score that is not a number, and a judged document retrieved twice, raise RankingError.

    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> ranked = rank_run(run, judgments)
    >>> ranked.rank.tolist(), ranked.grade.tolist(), ranked.num_ret.tolist()
    ([1, 3], [3, 0], [3])
    """
    table, topic = _judged_topics_only(table, judgments)
    order = _order(table, topic, Ordering(run_order, reference))
    num_ret = group_counts(topic, judgments.n_topics)

    line, document = DocumentIndex.of(judgments).find(table["docno"], topic)
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


def _judged_topics_only(table: pl.DataFrame, judgments: Judgments) -> tuple[pl.DataFrame, IntArray]:
    topic = judgments.topic_codes(table["topic"])
    judged = topic >= 0
    if judged.all():
        return table, topic
    return table.filter(pl.Series(judged)), topic[judged]


def _order(table: pl.DataFrame, topic: IntArray, ordering: Ordering) -> IntArray | None:
    scores: FloatArray = table["score"].to_numpy()
    undefined = np.isnan(scores)
    if undefined.any():
        topic, docno = table.select("topic", "docno").row(int(np.argmax(undefined)))
        raise RankingError(f"Topic {topic}: the score of document {docno} is not a number. Give every line a number.")
    ranks = table["rank"] if ordering.run_order == BY_RANK else None
    return order_of_lines(topic, table["docno"], comparable_scores(scores, ordering), ranks, ordering)


def _inverse(order: IntArray) -> IntArray:
    """Give the place in scoring order, from 0 over all topics, of every line."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def _refuse_duplicates(document: IntArray, judgments: Judgments) -> None:
    times = np.bincount(document, minlength=1)
    if times.max() > 1:
        topic, docno = judgments.documents.row(int(np.argmax(times)))
        raise RankingError(f"Topic {topic}: document {docno} is retrieved more than once. Keep one line of each.")
