"""Graded measures that only trec_eval prints."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import (
    NO_CUTOFF,
    BoolArray,
    FloatArray,
    IntArray,
    accumulate_within_groups,
    group_counts,
    group_sums,
    ratio,
    sums_to_own_cutoffs,
)
from evaluation.engine.gains import Gain, gaining_hits, ideal_ranking, log2_discount
from evaluation.engine.gains import ideal_dcg as ideal_dcg_of_topics
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import UNBOUNDED, Definition
from evaluation.engine.measures.graded import GAIN
from evaluation.engine.measures.parameters import RELEVANCE_LEVEL
from evaluation.engine.ranked_run import RankedRun

SOURCE = "Buckley, 2008"


@dataclass(frozen=True, eq=False)
class IdealSums:
    """Sums over the documents of positive gain of each topic, best first.

    `size`: int64 (n_topics,), how many there are. `start`: int64 (n_topics,), where a topic's sums start in `sums`.
    """

    size: IntArray
    start: IntArray
    sums: FloatArray

    def to_rank(self, topic: IntArray, rank: IntArray) -> FloatArray:
        """Give the sum over the first `rank` documents of the ideal ranking, `rank` >= 0: float64 of their shape."""
        within = np.minimum(rank, self.size[topic])
        to_rank: FloatArray = self.sums[np.where(within > 0, self.start[topic] + within, 0)]
        return to_rank

    def in_all(self, topic: IntArray) -> FloatArray:
        return self.to_rank(topic, self.size[topic])


@dataclass(frozen=True, eq=False)
class GainBlocks:
    """The blocks of equal gain in the ideal ranking of each topic, positive gains only.

    `present`: bool (n_gains, n_topics), whether the topic has documents of the gain, best gain first.
    `ends`: int64 (n_gains, n_topics), the ideal rank at which its block ends.
    """

    present: BoolArray
    ends: IntArray


def normalised_gain(ranked: RankedRun, gain: Gain = "linear") -> FloatArray:
    """Discount each gain by how far the gain collected so far lags behind that of the ideal ranking.

    Returns float64 (n_groups,) in [0, 1]: sum of g / log2(2 + C - S) over the retrieved judged documents, divided by the
    sum of all positive gains in the qrels; g the gain, S the sum of the gains down to the document, C the sum over the
    same ranks of the ideal ranking's gain, or of 1 where that is less than 1 or there is none. With negative gains it
    can be negative. 0 where no judged document has a positive gain.
    """
    hits = gaining_hits(ranked, gain)
    topic = ranked.topic[hits.group]
    cost = _ideal_sums(ranked.judgments, gain, "cost", lambda ideal, rank: np.maximum(ideal, 1.0))
    expected = cost.to_rank(topic, hits.rank) + np.maximum(hits.rank - cost.size[topic], 0)
    behind = expected - accumulate_within_groups(np.add, hits.group, hits.gain, ranked.n_groups)
    discounted = group_sums(hits.group, hits.gain / np.log2(2.0 + behind), ranked.n_groups)
    return ratio(
        discounted, _ideal_sums(ranked.judgments, gain, "gain", lambda ideal, rank: ideal).in_all(ranked.topic)
    )


def ndcg_averaged_over_relevant(ranked: RankedRun, gain: Gain = "linear") -> FloatArray:
    """Average the nDCG at the ranks of the documents that have a gain.

    Returns float64 (n_groups,) in [0, 1]: the mean, over all judged documents of positive gain in the qrels, of
    DCG / IDCG down to the document's rank; one that is not retrieved counts the DCG of the whole ranking / IDCG of the
    whole ideal ranking. DCG is the sum of gain / log2(rank + 1), IDCG that of the positive gains in the ideal order.
    0 where the mean is negative, as negative gains can make it, and where no judged document has a positive gain.
    """
    hits, ideal = gaining_hits(ranked, gain), _ideal_dcg(ranked.judgments, gain)
    weights = hits.gain * log2_discount(hits.rank)
    dcg_here = accumulate_within_groups(np.add, hits.group, weights, ranked.n_groups)
    here = ratio(dcg_here, ideal.to_rank(ranked.topic[hits.group], hits.rank))
    positive = hits.gain > 0
    retrieved = group_sums(hits.group[positive], here[positive], ranked.n_groups)

    missed = ideal.size[ranked.topic] - group_counts(hits.group[positive], ranked.n_groups)
    at_end = ratio(group_sums(hits.group, weights, ranked.n_groups), ideal.in_all(ranked.topic))
    return ratio(np.maximum(retrieved + missed * at_end, 0.0), ideal.size[ranked.topic])


def ndcg_averaged_over_gain_levels(ranked: RankedRun, rel: int = 1, gain: Gain = "linear") -> FloatArray:
    """Average the nDCG at the ranks where the ideal ranking passes from one gain to the next.

    Returns float64 (n_groups,) in [0, 1]: the mean of DCG@c / IDCG@c over the ranks c at which a block of equal positive
    gain ends in the ideal ranking of the judged documents, and, where more than one document is retrieved beyond the
    last of them, of DCG of the whole ranking / IDCG. DCG@c is the sum of gain / log2(rank + 1) over ranks <= c. 0 where
    no judged document has a positive gain, and where none has a grade >= rel: `rel` has no other effect.
    """
    judgments, topic = ranked.judgments, ranked.topic
    blocks, ideal = _gain_blocks(judgments, gain), _ideal_dcg(judgments, gain)
    hits = gaining_hits(ranked, gain)
    weights = hits.gain * log2_discount(hits.rank)
    ends, present = blocks.ends[:, topic], blocks.present[:, topic]

    at_ends = ratio(
        sums_to_own_cutoffs(hits.group, hits.rank, weights, ends),
        ideal.to_rank(np.broadcast_to(topic, ends.shape), ends),
    )
    beyond = (ranked.num_ret > ideal.size[topic] + 1) & (ideal.size[topic] > 0)
    at_last = ratio(group_sums(hits.group, weights, ranked.n_groups), ideal.in_all(topic))
    total = np.cumsum([*(at_ends * present), at_last * beyond], axis=0)[-1]
    mean = ratio(total, present.sum(axis=0) + beyond)
    return np.where(ranked.num_rel(rel) > 0, mean, 0.0)


def ideal_dcg(ranked: RankedRun, gain: Gain = "linear") -> FloatArray:
    """Give the highest discounted cumulative gain that the topic's judged documents allow, also for a missed topic.

    Returns float64 (n_groups,) in [0, inf): sum of gain / log2(i + 1) over the judged documents of positive gain, sorted
    by gain, i = 1, 2, ... 0 where there are none.
    """
    of_topics: FloatArray = ideal_dcg_of_topics(ranked.judgments, np.array([NO_CUTOFF]), gain)[0]
    return of_topics[ranked.topic]


def _ideal_dcg(judgments: Judgments, gain: Gain) -> IdealSums:
    return _ideal_sums(judgments, gain, "dcg", lambda ideal, rank: ideal * log2_discount(rank))


def _ideal_sums(
    judgments: Judgments, gain: Gain, name: str, weight: Callable[[FloatArray, IntArray], FloatArray]
) -> IdealSums:
    def compute() -> IdealSums:
        topic, rank, gains = _positive_ideal_ranking(judgments, gain)
        size = group_counts(topic, judgments.n_topics)
        sums = accumulate_within_groups(np.add, topic, weight(gains, rank), judgments.n_topics)
        return IdealSums(size, np.cumsum(size) - size, np.concatenate(([0.0], sums)))

    return judgments.memo.get(("ideal sums", name, gain), compute)


def _gain_blocks(judgments: Judgments, gain: Gain) -> GainBlocks:
    def compute() -> GainBlocks:
        topic, _, gains = _positive_ideal_ranking(judgments, gain)
        levels, block = np.unique(-gains, return_inverse=True)
        shape = (len(levels), judgments.n_topics)
        sizes = group_counts(block * judgments.n_topics + topic, len(levels) * judgments.n_topics).reshape(shape)
        return GainBlocks(sizes > 0, np.cumsum(sizes, axis=0))

    return judgments.memo.get(("gain blocks", gain), compute)


def _positive_ideal_ranking(judgments: Judgments, gain: Gain) -> tuple[IntArray, IntArray, FloatArray]:
    topic, rank, gains = ideal_ranking(judgments, gain)
    positive = gains > 0
    return topic[positive], rank[positive], gains[positive]


MEASURES = (
    Definition("G", normalised_gain, "graded", SOURCE, (GAIN,), oracles=("trec_eval",), recall_base=True),
    Definition(
        "ndcg_rel", ndcg_averaged_over_relevant, "graded", SOURCE, (GAIN,), oracles=("trec_eval",), recall_base=True
    ),
    Definition(
        "Rndcg",
        ndcg_averaged_over_gain_levels,
        "graded",
        SOURCE,
        (RELEVANCE_LEVEL, GAIN),
        oracles=("trec_eval",),
        recall_base=True,
    ),
    Definition(
        "ideal_dcg",
        ideal_dcg,
        "graded",
        "Järvelin and Kekäläinen, 2002",
        (GAIN,),
        UNBOUNDED,
        oracles=("second implementation",),
        recall_base=True,
        missed="empty ranking",
    ),
)
