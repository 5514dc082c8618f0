"""From a run's lines to the ranks of its judged documents: the scoring order, computed once for all measures."""

import numpy as np
import polars as pl

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray, group_counts
from evaluation.engine.judgments import Judgments
from evaluation.engine.matching import DocumentIndex
from evaluation.engine.ranked_run import DEFAULT_REFERENCE, RankedRun, Reference

FEW_TIES = 2000
"""So many lines are sorted sooner in plain Python than a data frame is made."""


class RankingError(ValueError):
    """A run that has no defined order or names a document twice."""


def rank_run(table: pl.DataFrame, judgments: Judgments, reference: Reference = DEFAULT_REFERENCE) -> RankedRun:
    """Order a run for scoring: score descending, then docno descending by UTF-8 bytes; a rank column is ignored.

    `table` has the columns topic, docno (String) and score (Float64), lines in any order, no (topic, docno) twice.
    Lines of topics without judgments are left out; a topic that the run misses is a group with nothing retrieved.
    A score that is not a number, and a judged document retrieved twice, raise RankingError.

    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> ranked = rank_run(run, judgments)
    >>> ranked.rank.tolist(), ranked.grade.tolist(), ranked.num_ret.tolist()
    ([1, 3], [3, 0], [3])
    """
    table, topic = _judged_topics_only(table, judgments)
    scores = _comparable_scores(table, reference)
    order = _scoring_order(table["docno"], topic, scores)
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


def _comparable_scores(table: pl.DataFrame, reference: Reference) -> FloatArray:
    scores: FloatArray = table["score"].to_numpy()
    undefined = np.isnan(scores)
    if undefined.any():
        topic, docno = table.select("topic", "docno").row(int(np.argmax(undefined)))
        raise RankingError(f"Topic {topic}: the score of document {docno} is not a number. Give every line a number.")
    if reference == "10":
        return scores
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _scoring_order(docno: pl.Series, topic: IntArray, scores: FloatArray) -> IntArray | None:
    """Give the permutation of the lines that puts them in scoring order; None when they already are."""
    order = _stably_by_topic(topic) if (topic[1:] < topic[:-1]).any() else None
    rises, tied = _steps(topic, scores, order)
    if rises.any():
        best_first = np.argsort(-scores)
        order = best_first[_stably_by_topic(topic[best_first])]
        _, tied = _steps(topic, scores, order)
    if not tied.any():
        return order
    return _break_ties(np.arange(len(topic)) if order is None else order, tied, docno)


def _steps(topic: IntArray, scores: FloatArray, order: IntArray | None) -> tuple[BoolArray, BoolArray]:
    """Say of each line, in this order, whether the next one of the same topic has a higher score, or an equal one."""
    if order is not None:
        topic, scores = topic[order], scores[order]
    same_topic = topic[1:] == topic[:-1]
    return same_topic & (scores[1:] > scores[:-1]), same_topic & (scores[1:] == scores[:-1])


def _stably_by_topic(topic: IntArray) -> IntArray:
    """Give the permutation that sorts by topic and keeps the order within each."""
    few = not len(topic) or topic.max() <= np.iinfo(np.uint16).max
    # A stable sort of small integers is a radix sort, which costs little.
    return np.argsort(topic.astype(np.uint16 if few else np.int64), kind="stable")


def _break_ties(order: IntArray, tied: BoolArray, docno: pl.Series) -> IntArray:
    """Order the lines of each block of equal scores by docno descending; `tied[i]` joins places i and i + 1."""
    in_block = np.concatenate((tied, [False])) | np.concatenate(([False], tied))
    block = np.cumsum(np.concatenate(([True], ~tied)))
    places = np.flatnonzero(in_block)
    lines = order[places]
    docnos = docno.gather(lines)
    if len(lines) <= FEW_TIES:
        texts = docnos.to_list()
        # Code points stand in the order of their UTF-8 bytes.
        descending = np.array(sorted(range(len(texts)), key=texts.__getitem__, reverse=True))
        lines = lines[descending[np.argsort(block[places][descending], kind="stable")]]
    else:
        tied_lines = pl.DataFrame({"block": block[places], "docno": docnos, "line": lines})
        lines = tied_lines.sort("block", "docno", descending=[False, True])["line"].to_numpy()
    settled = order.copy()
    settled[places] = lines
    return settled


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
