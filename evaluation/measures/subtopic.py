"""Measures of novelty and diversity: what a document adds to the subtopics that the ranking has covered before it."""

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import (
    FloatArray,
    IntArray,
    group_counts,
    group_starts,
    group_sums,
    positions_within_groups,
    ratio,
    sums_to_cutoffs,
)
from evaluation.gains import log2_discount
from evaluation.judgments import Judgments
from evaluation.measures.declaration import CUTOFF, RELEVANCE_LEVEL, Definition, Parameter
from evaluation.ranked_run import RankedRun

ALPHA = Parameter(
    "alpha",
    float,
    "share of its gain that a covered subtopic loses",
    default=0.5,
    minimum=0,
    maximum=1,
)


@dataclass(frozen=True)
class RelevantPairs:
    """The (document, subtopic) pairs of grade >= level, ascending by document, then subtopic.

    `subtopic`: int64 (n_pairs,). `start`, `count`: int64 (n_documents,), each document's slice of the pairs.
    """

    subtopic: IntArray
    start: IntArray
    count: IntArray

    def of(self, documents: IntArray) -> tuple[IntArray, IntArray]:
        """Spread documents into their pairs: the index into `documents` and the subtopic of each pair."""
        count = self.count[documents]
        owner = np.repeat(np.arange(len(documents)), count)
        first = np.cumsum(count) - count
        return owner, self.subtopic[(self.start[documents] - first)[owner] + np.arange(len(owner))]


def relevant_pairs(judgments: Judgments, level: int) -> RelevantPairs:
    def compute() -> RelevantPairs:
        relevant = judgments.pair_grade >= level
        document, n_documents = judgments.pair_document[relevant], len(judgments.topic)
        return RelevantPairs(
            judgments.pair_subtopic[relevant], group_starts(document, n_documents), group_counts(document, n_documents)
        )

    return judgments.memo.get(("relevant_pairs", level), compute)


def novelty_gains(alpha: float, most_seen: int) -> FloatArray:
    """Give the gain of a subtopic after it was seen 0, 1, ... most_seen times, (1 - alpha)^seen by repeated product."""
    gains: FloatArray = np.cumprod(np.concatenate(([1.0], np.full(most_seen, 1.0 - alpha))), dtype=np.float64)
    return gains


def alpha_dcg(ranked: RankedRun, k: IntArray, alpha: float, rel: int) -> FloatArray:
    """Sum the discounted gains of the subtopics that each document down to rank k covers.

    Returns float64 (n_cutoffs, n_groups).
    """
    above = ranked.rank <= k[-1]
    group, rank = ranked.group[above], ranked.rank[above]
    owner, subtopic = relevant_pairs(ranked.judgments, rel).of(ranked.document[above])
    together = np.lexsort((subtopic, group[owner]))
    owner, subtopic = owner[together], subtopic[together]
    another = (np.diff(subtopic, prepend=-1) != 0) | (np.diff(group[owner], prepend=-1) != 0)
    seen = positions_within_groups(np.cumsum(another) - 1, int(another.sum())) - 1
    gains = novelty_gains(alpha, int(seen.max(initial=0)))[seen] * log2_discount(rank[owner])
    return sums_to_cutoffs(group[owner], rank[owner], gains, k, ranked.n_groups)


def ideal_alpha_dcg(judgments: Judgments, k: IntArray, alpha: float, rel: int) -> FloatArray:
    """Sum the discounted gains of a greedy ranking of each topic's documents down to rank k.

    Returns float64 (n_cutoffs, n_topics). Each step takes the document of the highest gain, among equals the larger
    docno. All topics advance together, one rank at a time.
    """
    key = ("ideal_alpha_dcg", alpha, rel, int(k[-1]))
    by_rank = judgments.memo.get(key, lambda: _greedy_alpha_dcg(judgments, int(k[-1]), alpha, rel))
    return by_rank[np.minimum(k, len(by_rank) - 1)]


def _greedy_alpha_dcg(judgments: Judgments, k: int, alpha: float, rel: int) -> FloatArray:
    """Give the sum down to every rank from 0 to at most k, where all documents are taken: (n_ranks, n_topics)."""
    pairs = relevant_pairs(judgments, rel)
    waiting = np.flatnonzero(pairs.count)
    seen = np.zeros(judgments.n_subtopics, dtype=np.int64)
    most = int(group_counts(judgments.topic[waiting], judgments.n_topics).max(initial=0))
    gain_after = novelty_gains(alpha, most)
    by_rank = np.zeros((min(k, most) + 1, judgments.n_topics))
    for rank in range(1, len(by_rank)):
        topic = judgments.topic[waiting]
        owner, subtopic = pairs.of(waiting)
        gains = group_sums(owner, gain_after[seen[subtopic]], len(waiting))
        topics, first = np.unique(topic, return_index=True)
        best = np.maximum.reduceat(gains, first)
        by_rank[rank, topics] = best * log2_discount(np.array([rank]))
        taken = _last_of_the_best(gains, topic, topics, best)
        seen[pairs.of(waiting[taken])[1]] += 1
        waiting = np.delete(waiting, taken)
    sums: FloatArray = np.cumsum(by_rank, axis=0)
    return sums


def _last_of_the_best(gains: FloatArray, topic: IntArray, topics: IntArray, best: FloatArray) -> IntArray:
    """Find for each of `topics` the last index of the best gain: docnos ascend, so it is the largest docno."""
    place = np.searchsorted(topics, topic)
    candidates = np.flatnonzero(gains == best[place])
    chosen = np.empty(len(topics), dtype=np.int64)
    chosen[place[candidates]] = candidates
    return chosen


def alpha_ndcg(ranked: RankedRun, k: IntArray, alpha: float = 0.5, rel: int = 1) -> FloatArray:
    """Compare the discounted gain of new subtopics with that of a greedy ideal ranking.

    Returns float64 (n_cutoffs, n_groups), range [0, 1] but for the rare topic where the greedy ranking is not the best
    one: alpha-DCG@k / ideal alpha-DCG@k, alpha-DCG@k = sum over ranks i <= k of (1 / log2(i + 1)) * sum over the subtopics
    that the document covers (grade >= rel) of (1 - alpha)^(times the subtopic was covered above).
    Without subtopics every topic has one. 0 where no document is relevant to any subtopic.
    """
    return ratio(alpha_dcg(ranked, k, alpha, rel), ideal_alpha_dcg(ranked.judgments, k, alpha, rel)[:, ranked.topic])


MEASURES = (
    Definition(
        "alpha-nDCG",
        alpha_ndcg,
        "subtopic",
        "Clarke et al., 2008; greedy ideal and ties as the web track's program ndeval 4.5",
        (ALPHA, RELEVANCE_LEVEL, CUTOFF),
        aliases=("alpha_nDCG", "α-nDCG"),
        over="k",
    ),
)
