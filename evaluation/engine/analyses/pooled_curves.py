"""Curves of a run over all its topics as if they were one: micro averages, which topics with many documents decide."""

import numpy as np

from evaluation.engine.analyses.curves import RECALL_LEVELS
from evaluation.engine.arrays import FloatArray, IntArray, ratio
from evaluation.engine.measures.interpolated import ROUNDING_ERROR
from evaluation.engine.ranked_run import RankedRun


def pooled_recall_precision(ranked: RankedRun, rel: int = 1) -> tuple[FloatArray, FloatArray]:
    """Give micro recall and micro precision of the first k ranks of all topics, at each k that brings a relevant document.

    Returns two float64 (n_points,) in [0, 1], ascending by k: sum of tp / sum of R, and sum of tp / sum of min(k, retrieved),
    over all groups; tp the relevant documents with rank <= k, R those in the qrels. `ranked` holds one run. They equal the
    measures micro_R@k and micro_P@k. No point where nothing relevant is retrieved. (van Rijsbergen, 1979, chapter 7.)
    """
    rank, found_there = np.unique(ranked.relevant(rel).rank, return_counts=True)
    found = np.cumsum(found_there)
    recall = ratio(found, np.full(len(found), ranked.num_rel(rel).sum()))
    return recall, ratio(found, retrieved_to(ranked, rank))


def pooled_interpolated_curve(ranked: RankedRun, rel: int = 1, recall: FloatArray = RECALL_LEVELS) -> FloatArray:
    """Give the best micro precision that the first k ranks of all topics have at a micro recall of a level or beyond.

    Returns float64 (n_levels,) in [0, 1] for ascending recall levels, by default 0, 0.1, ..., 1: the maximum over the points of
    `pooled_recall_precision` whose recall is no less than the level. 0 where the run does not reach it.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> qrels = pl.DataFrame({"topic": ["1", "1", "2"], "subtopic": "0", "docno": ["a", "b", "c"], "grade": [1, 1, 1]})
    >>> run = pl.DataFrame({"topic": ["1", "1", "2"], "docno": ["a", "b", "x"], "score": [2.0, 1.0, 1.0]})
    >>> pooled_interpolated_curve(rank_run(run, Judgments.from_table(qrels)), recall=np.array([0.0, 0.5, 1.0])).round(3).tolist()
    [0.667, 0.667, 0.0]
    """
    at, precision = pooled_recall_precision(ranked, rel)
    best_from_here = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    curve: FloatArray = best_from_here[np.searchsorted(at, recall - ROUNDING_ERROR)]
    return curve


def pooled_f(ranked: RankedRun, ranks: IntArray, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """Give F of the first k ranks of all topics together, for ascending k: the values of micro_F@k.

    Returns float64 (n_ranks,) in [0, 1]: (1 + beta^2) * sum of tp / (sum of min(k, retrieved) + beta^2 * sum of R).
    0 where nothing relevant is retrieved.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "b"], "score": [3.0, 2.0]})
    >>> pooled_f(rank_run(run, judgments), np.array([1, 2])).round(3).tolist()
    [1.0, 0.667]
    """
    found = ranked.relevant_to_cutoffs(rel, ranks).sum(axis=1)
    return ratio((1.0 + beta**2) * found, retrieved_to(ranked, ranks) + beta**2 * ranked.num_rel(rel).sum())


def retrieved_to(ranked: RankedRun, ranks: IntArray) -> IntArray:
    """Count the documents that all groups together retrieve with rank <= k, for each k: int64 (n_ranks,)."""
    ascending = np.sort(ranked.num_ret)
    shorter = np.searchsorted(ascending, ranks)
    counts: IntArray = np.append(0, np.cumsum(ascending))[shorter] + ranks * (ranked.n_groups - shorter)
    return counts
