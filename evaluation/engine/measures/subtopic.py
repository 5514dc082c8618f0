"""Measures of novelty and diversity: what a document adds to the subtopics that the ranking has covered before it.

Where no subtopics are judged every topic has one, which all its judgments belong to.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, group_sums, ratio, sums_to_cutoffs
from evaluation.engine.judgment_kinds import SUBTOPICS
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import UNBOUNDED, Definition
from evaluation.engine.measures.novelty import (
    DEEPEST_IMAGINED,
    Coverage,
    Discount,
    GeometricDecay,
    by_log_of_rank,
    by_rank,
    coverage,
    ideal_novelty_sums,
    imagined_novelty_sums,
    novelty_sums,
    relevant_pairs,
)
from evaluation.engine.measures.parameters import CUTOFF, OPTIONAL_CUTOFF, RELEVANCE_LEVEL, Parameter
from evaluation.engine.ranked_run import RankedRun

ALPHA = Parameter(
    "alpha",
    float,
    "share of its gain that a covered subtopic loses",
    default=0.5,
    minimum=0,
    maximum=1,
)
BETA = Parameter(
    "beta",
    float,
    "probability that the reader goes on to the next document",
    default=0.5,
    minimum=0,
    maximum=1,
)
SUMMED_CUTOFF = replace(CUTOFF, maximum=DEEPEST_IMAGINED)
"""For measures that are divided by a sum over all ranks down to the cut-off, retrieved or not."""


def alpha_dcg(ranked: RankedRun, k: IntArray, alpha: float = 0.5, rel: int = 1) -> FloatArray:
    """Sum the discounted gains of the subtopics covered down to rank k, in which a covered subtopic counts less and less.

    Returns float64 (n_cutoffs, n_groups): (sum over ranks i <= k of g_i / log2(i + 1)) divided, for k >= 2, by
    S * (sum over ranks i <= k of (1 - alpha)^(i - 1) / log2(i + 1)), which a document on every subtopic at every rank
    would reach; g_i = sum over the subtopics that document i covers (grade >= rel) of (1 - alpha)^(times the subtopic
    was covered above), S the subtopics that have a relevant document. In [0, 1] for k >= 2; at k = 1 the sum is not
    divided, as in the web track's program, so that it counts the subtopics of the first document: in [0, S].
    0 where no document is relevant to any subtopic.
    """
    return _over_imagined_ideal(ranked, k, alpha, rel, by_log_of_rank)


def alpha_ndcg(ranked: RankedRun, k: IntArray, alpha: float = 0.5, rel: int = 1) -> FloatArray:
    """Compare the discounted gain of new subtopics with that of a greedy ideal ranking.

    Returns float64 (n_cutoffs, n_groups), range [0, 1] but for the rare topic where the greedy ranking is not the best
    one: (sum over ranks i <= k of g_i / log2(i + 1)) / (the same sum for the ideal ranking), g_i = sum over the
    subtopics that document i covers (grade >= rel) of (1 - alpha)^(times the subtopic was covered above). The ideal
    ranking takes the judged document of the highest g_i at each rank, among equals the one of larger docno.
    0 where no document is relevant to any subtopic.
    """
    return _over_greedy_ideal(ranked, k, alpha, rel, by_log_of_rank)


def err_ia(ranked: RankedRun, k: IntArray, alpha: float = 0.5, rel: int = 1) -> FloatArray:
    """Give the expected reciprocal of the rank at which the reader is satisfied, summed over the subtopics.

    Returns float64 (n_cutoffs, n_groups): (sum over ranks i <= k of g_i / i) divided, for k >= 2, by
    S * (sum over ranks i <= k of (1 - alpha)^(i - 1) / i), which a document on every subtopic at every rank would reach;
    g_i = sum over the subtopics that document i covers (grade >= rel) of (1 - alpha)^(times the subtopic was covered
    above), alpha the probability that a document on the reader's subtopic satisfies, S the subtopics that have a relevant
    document. In [0, 1] for k >= 2; at k = 1 the sum is not divided, as in the web track's program, so that it counts
    the subtopics of the first document: in [0, S]. 0 where no document is relevant to any subtopic.
    """
    return _over_imagined_ideal(ranked, k, alpha, rel, by_rank)


def normalised_err_ia(ranked: RankedRun, k: IntArray, alpha: float = 0.5, rel: int = 1) -> FloatArray:
    """Compare the intent-aware expected reciprocal rank with that of a greedy ideal ranking.

    Returns float64 (n_cutoffs, n_groups), range [0, 1] but for the rare topic where the greedy ranking is not the best
    one: (sum over ranks i <= k of g_i / i) / (the same sum for the ideal ranking), g_i = sum over the subtopics that
    document i covers (grade >= rel) of (1 - alpha)^(times the subtopic was covered above). The ideal ranking takes the
    judged document of the highest g_i at each rank, among equals the one of larger docno.
    0 where no document is relevant to any subtopic.
    """
    return _over_greedy_ideal(ranked, k, alpha, rel, by_rank)


def nrbp(ranked: RankedRun, k: IntArray, alpha: float = 0.5, beta: float = 0.5, rel: int = 1) -> FloatArray:
    """Give the novelty that a reader meets who goes on to the next document with probability beta.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (1 - (1 - alpha) * beta) / S * sum over ranks i <= k of
    g_i * beta^(i - 1), g_i = sum over the subtopics that document i covers (grade >= rel) of (1 - alpha)^(times the
    subtopic was covered above), S the subtopics that have a relevant document. 0 where no document is relevant to any
    subtopic, and wherever alpha = 0 and beta = 1.
    """
    share = _share_of_a_subtopic(ranked.judgments, alpha, beta, rel)[ranked.topic]
    return novelty_sums(ranked, k, alpha, rel, GeometricDecay(beta)) * share


def normalised_nrbp(ranked: RankedRun, k: IntArray, alpha: float = 0.5, beta: float = 0.5, rel: int = 1) -> FloatArray:
    """Compare the novelty- and rank-biased precision with that of a greedy ideal ranking.

    Returns float64 (n_cutoffs, n_groups), range [0, 1] but for the rare topic where the greedy ranking is not the best
    one: NRBP / NRBP of the ideal ranking, NRBP = (1 - (1 - alpha) * beta) / S * sum over ranks i <= k of
    g_i * beta^(i - 1), g_i = sum over the subtopics that document i covers (grade >= rel) of (1 - alpha)^(times the
    subtopic was covered above), S the subtopics that have a relevant document. The ideal ranking takes the judged document
    of the highest g_i at each rank, among equals the one of larger docno; its sum ends where the terms are too small to
    change it. 0 where no document is relevant to any subtopic, and wherever alpha = 0 and beta = 1: the web track's
    program divides 0 by 0 in both cases.
    """
    decay = GeometricDecay(beta)
    deep_enough = k if decay.depth is None else np.minimum(k, decay.depth)
    share = _share_of_a_subtopic(ranked.judgments, alpha, beta, rel)
    ideal = ideal_novelty_sums(ranked.judgments, deep_enough, alpha, rel, decay) * share
    return ratio(nrbp(ranked, k, alpha, beta, rel), ideal[:, ranked.topic])


def average_precision_ia(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Average the average precision over the subtopics of the topic.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (1/S) * sum over the subtopics s of (1/R_s) * sum of j / rank_j over
    the retrieved documents that cover s (grade >= rel), j = 1, 2, ... by rank, rank_j <= k; R_s counts the documents in
    the qrels that cover s, S the subtopics with R_s > 0. 0 where no document is relevant to any subtopic.
    """
    covered, pairs = coverage(ranked, rel), relevant_pairs(ranked.judgments, rel)
    rank = covered.rank[covered.owner]
    sums = sums_to_cutoffs(covered.slot, rank, (covered.seen + 1) / rank, k, len(covered.slot_group))
    by_subtopic = ratio(sums, pairs.num_rel[covered.slot_subtopic])
    total = np.array([group_sums(covered.slot_group, row, ranked.n_groups) for row in by_subtopic])
    return ratio(total, pairs.num_subtopics[ranked.topic])


def precision_ia(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Average the precision among the first k ranks over the subtopics of the topic.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: sum over the documents of rank <= k of the subtopics that each covers
    (grade >= rel), divided by k * S, S the subtopics that have a relevant document; ranks beyond the end of a short
    ranking cover nothing. 0 where no document is relevant to any subtopic.
    """
    covered = coverage(ranked, rel)
    n_covered = sums_to_cutoffs(
        covered.group, covered.rank, _counts(covered, np.ones(len(covered.owner))), k, ranked.n_groups
    )
    num_subtopics = relevant_pairs(ranked.judgments, rel).num_subtopics[ranked.topic]
    return ratio(n_covered, k[:, np.newaxis].astype(np.float64) * num_subtopics)


def subtopic_recall(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the share of the topic's subtopics that the first k documents cover.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: |subtopics that a document of rank <= k covers (grade >= rel)| / S,
    S the subtopics that have a relevant document. 0 where no document is relevant to any subtopic.
    """
    covered = coverage(ranked, rel)
    new = _counts(covered, (covered.seen == 0).astype(np.float64))
    n_covered = sums_to_cutoffs(covered.group, covered.rank, new, k, ranked.n_groups)
    return ratio(n_covered, relevant_pairs(ranked.judgments, rel).num_subtopics[ranked.topic])


def _counts(covered: Coverage, of_pair: FloatArray) -> FloatArray:
    return group_sums(covered.owner, of_pair, len(covered.group))


def _share_of_a_subtopic(judgments: Judgments, alpha: float, beta: float, rel: int) -> FloatArray:
    """Give what makes NRBP of the best imaginable ranking 1: float64 (n_topics,)."""
    num_subtopics = relevant_pairs(judgments, rel).num_subtopics
    return ratio(np.full(len(num_subtopics), 1.0 - (1.0 - alpha) * beta), num_subtopics)


def _over_greedy_ideal(ranked: RankedRun, k: IntArray, alpha: float, rel: int, discount: Discount) -> FloatArray:
    # Both are divided by the imagined ideal first, as in the web track's program: rounding errors are then the same.
    imagined = imagined_novelty_sums(ranked.judgments, k, alpha, rel, discount)
    ideal = ratio(ideal_novelty_sums(ranked.judgments, k, alpha, rel, discount), imagined)
    return ratio(
        ratio(novelty_sums(ranked, k, alpha, rel, discount), imagined[:, ranked.topic]), ideal[:, ranked.topic]
    )


def _over_imagined_ideal(ranked: RankedRun, k: IntArray, alpha: float, rel: int, discount: Discount) -> FloatArray:
    imagined = imagined_novelty_sums(ranked.judgments, k, alpha, rel, discount)[:, ranked.topic]
    return ratio(novelty_sums(ranked, k, alpha, rel, discount), imagined)


_GREEDY = "; greedy ideal and ties as the web track's program ndeval 4.5"
_IMAGINED = "; divided as in the web track's program ndeval 4.5"
_ERR_IA = "Chapelle et al., 2009; intent-aware: Agrawal et al., 2009"

_definition = partial(
    Definition,
    relevance="binary",
    over="k",
    judgments=SUBTOPICS,
    oracles=("ndeval", "second implementation", "worked example"),
)

MEASURES = (
    _definition(
        "alpha-DCG",
        alpha_dcg,
        source="Clarke et al., 2008" + _IMAGINED,
        own_parameters=(ALPHA, RELEVANCE_LEVEL, SUMMED_CUTOFF),
        range=UNBOUNDED,
        aliases=("alpha_DCG", "α-DCG", "α_DCG"),
    ),
    _definition(
        "alpha-nDCG",
        alpha_ndcg,
        source="Clarke et al., 2008" + _GREEDY,
        own_parameters=(ALPHA, RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        aliases=("alpha_nDCG", "α-nDCG", "α_nDCG"),
        recall_base=True,
    ),
    _definition(
        "ERR-IA",
        err_ia,
        source=_ERR_IA + _IMAGINED,
        own_parameters=(ALPHA, RELEVANCE_LEVEL, SUMMED_CUTOFF),
        range=UNBOUNDED,
        aliases=("ERR_IA",),
    ),
    _definition(
        "nERR-IA",
        normalised_err_ia,
        source=_ERR_IA + _GREEDY,
        own_parameters=(ALPHA, RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        aliases=("nERR_IA",),
        recall_base=True,
    ),
    _definition(
        "NRBP",
        nrbp,
        source="Clarke et al., 2009",
        own_parameters=(ALPHA, BETA, RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
    ),
    _definition(
        "nNRBP",
        normalised_nrbp,
        source="Clarke et al., 2009" + _GREEDY,
        own_parameters=(ALPHA, BETA, RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        recall_base=True,
    ),
    _definition(
        "AP-IA",
        average_precision_ia,
        source="Agrawal et al., 2009",
        own_parameters=(RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        aliases=("AP_IA", "MAP-IA", "MAP_IA"),
        recall_base=True,
    ),
    _definition(
        "P-IA",
        precision_ia,
        source="Agrawal et al., 2009",
        own_parameters=(RELEVANCE_LEVEL, CUTOFF),
        aliases=("P_IA",),
    ),
    _definition(
        "StRecall",
        subtopic_recall,
        source="Zhai et al., 2003",
        own_parameters=(RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        aliases=("strec",),
        recall_base=True,
    ),
)
