"""What a ranking covers, subtopic by subtopic, and the greedy ranking that would have covered it best."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from evaluation.engine.arrays import (
    FloatArray,
    IntArray,
    accumulate_within_groups,
    by_number,
    group_counts,
    group_starts,
    group_sums,
    positions_within_groups,
    ranges,
    sums_to_cutoffs,
)
from evaluation.engine.judgments import Judgments
from evaluation.engine.ranked_run import RankedRun

Discount: TypeAlias = Callable[[FloatArray, IntArray], FloatArray]
"""Discounts gains by their ranks. It is part of the key of what is remembered: equal discounts must compare as equal.

Here and in the sums the operations are those of the web track's program, in its order. With its default parameters many
values lie in the middle between two of the six decimals that it prints, and the smallest error decides between them.
"""

SHALLOWEST_IDEAL = 64
"""Ideal rankings are made at least so deep, so that the usual cut-offs and NRBP share one."""

DEEPEST_IMAGINED = 1_000_000
"""Down to this rank an imagined ideal is summed; one number for each rank has to be held."""


def by_log_of_rank(gain: FloatArray, rank: IntArray) -> FloatArray:
    """Divide by log2(rank + 1)."""
    discount: FloatArray = by_number(lambda number: np.log(2.0) / np.log(number + 1.0), rank)
    return gain * discount


def by_rank(gain: FloatArray, rank: IntArray) -> FloatArray:
    return gain / rank


@dataclass(frozen=True)
class GeometricDecay:
    """Multiplies by beta^(rank - 1)."""

    beta: float

    def __call__(self, gain: FloatArray, rank: IntArray) -> FloatArray:
        return gain * powers(self.beta, int(rank.max(initial=1)))[rank - 1]

    @property
    def depth(self) -> int | None:
        """How many of the gains, which never grow, can change their sum in double precision; None if all can."""
        if self.beta == 1.0:
            return None
        return 1 if self.beta == 0.0 else int(np.ceil(54.0 / -np.log2(self.beta)))


def powers(factor: float, n: int, first: float = 1.0) -> FloatArray:
    """Give first, first * factor, first * factor^2, ... by repeated product: float64 (n,)."""
    products: FloatArray = np.cumprod(np.concatenate(([first], np.full(n - 1, factor))), dtype=np.float64)
    return products


@dataclass(frozen=True)
class RelevantPairs:
    """The (document, subtopic) pairs of grade >= level, ascending by document, then subtopic.

    `subtopic`: int64 (n_pairs,). `start`, `count`: int64 (n_documents,), each document's slice of the pairs.
    `num_rel`: int64 (n_subtopics,), the relevant documents of each subtopic.
    `num_subtopics`: int64 (n_topics,), the subtopics with a relevant document of each topic.
    """

    subtopic: IntArray
    start: IntArray
    count: IntArray
    num_rel: IntArray
    num_subtopics: IntArray

    def of(self, documents: IntArray) -> tuple[IntArray, IntArray]:
        """Spread documents into their pairs: the index into `documents` and the subtopic of each pair."""
        owner, place = ranges(self.start[documents], self.count[documents])
        return owner, self.subtopic[place]


def relevant_pairs(judgments: Judgments, level: int) -> RelevantPairs:
    def compute() -> RelevantPairs:
        relevant = (judgments.pair_grade >= level) & (judgments.pair_grade >= 0)
        document, n_documents = judgments.pair_document[relevant], len(judgments.topic)
        subtopic = judgments.pair_subtopic[relevant]
        num_rel = group_counts(subtopic, judgments.n_subtopics)
        return RelevantPairs(
            subtopic,
            group_starts(document, n_documents),
            group_counts(document, n_documents),
            num_rel,
            group_counts(judgments.subtopic_topic[num_rel > 0], judgments.n_topics),
        )

    return judgments.memo.get(("relevant_pairs", level), compute)


@dataclass(frozen=True)
class Coverage:
    """What the retrieved documents cover.

    `group`, `rank`: int64 (n_covering,), one element for each retrieved document that is relevant to a subtopic,
    ascending by group, then rank.
    `owner`, `slot`, `seen`: int64 (n_pairs,), one element for each subtopic of each of them: the document's index in
    `group` and `rank`, the slot of (group, subtopic), and how many documents above it cover the same subtopic.
    `slot_group`, `slot_subtopic`: int64 (n_slots,), ascending; each group has one slot for each subtopic of its topic.
    """

    group: IntArray
    rank: IntArray
    owner: IntArray
    slot: IntArray
    seen: IntArray
    slot_group: IntArray
    slot_subtopic: IntArray

    def novelty(self, alpha: float) -> FloatArray:
        """Sum (1 - alpha)^seen over the subtopics of each covering document: float64 (n_covering,)."""
        of_pair = powers(1.0 - alpha, int(self.seen.max(initial=0)) + 1)[self.seen]
        return group_sums(self.owner, of_pair, len(self.group))


def coverage(ranked: RankedRun, level: int) -> Coverage:
    return ranked.memo.get(("coverage", level), lambda: _coverage(ranked, level))


def _coverage(ranked: RankedRun, level: int) -> Coverage:
    pairs = relevant_pairs(ranked.judgments, level)
    covering = np.flatnonzero(pairs.count[ranked.document])
    group = ranked.group[covering]
    owner, subtopic = pairs.of(ranked.document[covering])

    of_topic = group_counts(ranked.judgments.subtopic_topic, ranked.judgments.n_topics)
    first_subtopic = (np.cumsum(of_topic) - of_topic)[ranked.topic]
    slots_before = np.cumsum(of_topic[ranked.topic]) - of_topic[ranked.topic]
    slot = (slots_before - first_subtopic)[group][owner] + subtopic
    slot_group = np.repeat(np.arange(ranked.n_groups), of_topic[ranked.topic])
    slot_subtopic = np.arange(len(slot_group)) + (first_subtopic - slots_before)[slot_group]
    seen = _times_before(slot, len(slot_group))
    return Coverage(group, ranked.rank[covering], owner, slot, seen, slot_group, slot_subtopic)


def _times_before(slot: IntArray, n_slots: int) -> IntArray:
    """Count how often each element's value occurs before it: int64 (n,)."""
    # Of 16-bit integers numpy makes a radix sort, several times as fast as its sort of longer ones.
    together = np.argsort(slot.astype(np.min_scalar_type(n_slots)), kind="stable")
    times = np.empty(len(slot), dtype=np.int64)
    times[together] = positions_within_groups(slot[together], n_slots) - 1
    return times


def novelty_sums(ranked: RankedRun, k: IntArray, alpha: float, level: int, discount: Discount) -> FloatArray:
    """Sum the discounted novelty of the documents of rank <= k: float64 (n_cutoffs, n_groups)."""
    covered = coverage(ranked, level)
    novelty = ranked.memo.get(("novelty", level, alpha), lambda: covered.novelty(alpha))
    above = covered.rank <= k[-1]
    group, rank = covered.group[above], covered.rank[above]
    return _sums_in_order(group, rank, discount(novelty[above], rank), k, ranked.n_groups)


def ideal_novelty_sums(judgments: Judgments, k: IntArray, alpha: float, level: int, discount: Discount) -> FloatArray:
    """Sum the discounted novelty of the greedy ranking's documents of rank <= k: float64 (n_cutoffs, n_topics)."""

    def compute() -> FloatArray:
        ideal = greedy_ranking(judgments, int(k[-1]), alpha, level)
        return _sums_in_order(ideal.topic, ideal.rank, discount(ideal.novelty, ideal.rank), k, judgments.n_topics)

    return judgments.memo.get(("ideal_novelty_sums", k.tobytes(), alpha, level, discount), compute)


def imagined_novelty_sums(
    judgments: Judgments, k: IntArray, alpha: float, level: int, discount: Discount
) -> FloatArray:
    """Sum the discounted novelty of imagined documents on every subtopic at every rank: float64 (n_cutoffs, n_topics).

    1 at the cut-offs that are not divided by it: 1, as in the web track's program, and those beyond the deepest.
    """

    def compute() -> FloatArray:
        divided = (k > 1) & (k <= DEEPEST_IMAGINED)
        rank = np.arange(1, int(k[divided].max(initial=1)) + 1)
        number, number_of_topic = np.unique(relevant_pairs(judgments, level).num_subtopics, return_inverse=True)
        gains = (powers(1.0 - alpha, len(rank), first) for first in number.tolist())
        sums = [np.cumsum(discount(gain, rank))[np.minimum(k, len(rank)) - 1] for gain in gains]
        by_number_of_subtopics = np.array(sums).reshape(len(number), len(k))
        return np.where(divided[:, np.newaxis], by_number_of_subtopics[number_of_topic].T, 1.0)

    return judgments.memo.get(("imagined_novelty_sums", k.tobytes(), alpha, level, discount), compute)


def _sums_in_order(group: IntArray, rank: IntArray, weights: FloatArray, k: IntArray, n_groups: int) -> FloatArray:
    """Sum as `sums_to_cutoffs` does, but one term after another from the first rank to every cut-off."""
    if len(k) == 1 or not len(group):
        return sums_to_cutoffs(group, rank, weights, k, n_groups)
    so_far = accumulate_within_groups(np.add, group, weights, n_groups)
    count = sums_to_cutoffs(group, rank, None, k, n_groups).astype(np.int64)
    return np.where(count > 0, so_far[group_starts(group, n_groups) + count - 1], 0.0)


@dataclass(frozen=True)
class GreedyRanking:
    """The ranking that takes the document of the highest novelty at each step, among equals the one of larger docno.

    `topic`, `rank`: int64 (n,), ascending by topic, then rank. `novelty`: float64 (n,), what the document adds.
    """

    topic: IntArray
    rank: IntArray
    novelty: FloatArray


def greedy_ranking(judgments: Judgments, depth: int, alpha: float, level: int) -> GreedyRanking:
    """Rank the relevant documents of every topic greedily, down to `depth` or somewhat deeper."""
    alike = _alike_documents(judgments, level)
    steps = min(max(SHALLOWEST_IDEAL, 1 << (depth - 1).bit_length()), alike.longest)
    key = ("greedy_ranking", steps, alpha, level)
    return judgments.memo.get(key, lambda: _greedy_ranking(judgments, steps, alpha, level))


def _greedy_ranking(judgments: Judgments, steps: int, alpha: float, level: int) -> GreedyRanking:
    """Advance all topics together, one rank at a time.

    Sums and products are made in the order of the web track's program: novelty is compared for equality.
    """
    alike, pairs = _alike_documents(judgments, level), relevant_pairs(judgments, level)
    owner, subtopic = pairs.of(alike.document[alike.start])
    gain = np.ones(judgments.n_subtopics)
    waiting = alike.count.copy()
    topics, first = np.unique(judgments.topic[alike.document[alike.start]], return_index=True)
    place = np.repeat(np.arange(len(topics)), np.diff(first, append=len(waiting)))
    novelties = np.empty((steps, len(topics)))
    for step in range(steps):
        novelty = np.where(waiting > 0, group_sums(owner, gain[subtopic], len(waiting)), -1.0)
        novelties[step] = best = np.maximum.reduceat(novelty, first)
        largest_docno = alike.document[alike.start + waiting - 1]
        chosen = np.maximum.reduceat(np.where(novelty == best[place], largest_docno, -1), first)[best >= 0.0]
        waiting[alike.kind[chosen]] -= 1
        gain[pairs.of(chosen)[1]] *= 1.0 - alpha
    topic_of, step_of = np.nonzero(novelties.T >= 0.0)
    return GreedyRanking(topics[topic_of], step_of + 1, novelties[step_of, topic_of])


@dataclass(frozen=True)
class AlikeDocuments:
    """The documents that are relevant to a subtopic, by kind: those of one kind cover the same subtopics of one topic.

    `kind`: int64 (n_documents,), -1 for a document that covers none; kinds ascend by topic.
    `document`: int64 (n_covering,), ascending by kind, then docno. `start`, `count`: int64 (n_kinds,), the kinds' slices.
    `longest`: the most documents that a topic has.
    """

    kind: IntArray
    document: IntArray
    start: IntArray
    count: IntArray
    longest: int


def _alike_documents(judgments: Judgments, level: int) -> AlikeDocuments:
    return judgments.memo.get(("alike_documents", level), lambda: _sort_into_kinds(judgments, level))


def _sort_into_kinds(judgments: Judgments, level: int) -> AlikeDocuments:
    pairs = relevant_pairs(judgments, level)
    covering = np.flatnonzero(pairs.count)
    topic, count = judgments.topic[covering], pairs.count[covering]
    kind, n_kinds = topic, 0
    for place in range(int(count.max(initial=0))):
        last = len(pairs.subtopic) - 1
        subtopic = np.where(count > place, pairs.subtopic[np.minimum(pairs.start[covering] + place, last)], -1)
        kinds, kind = np.unique(kind * (judgments.n_subtopics + 1) + subtopic + 1, return_inverse=True)
        n_kinds = len(kinds)
    of_document = np.full(len(judgments.topic), -1)
    of_document[covering] = kind
    return AlikeDocuments(
        of_document,
        covering[np.argsort(kind, kind="stable")],
        group_starts(kind, n_kinds),
        group_counts(kind, n_kinds),
        int(group_counts(topic, judgments.n_topics).max(initial=0)),
    )
