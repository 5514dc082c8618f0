"""Measures of the order alone: where the first relevant document stands, and how many pairs stand the right way."""

import numpy as np

from evaluation.engine.arrays import NO_CUTOFF, FloatArray, IntArray, group_sums, ratio, sums_to_cutoffs
from evaluation.engine.measures.binary import first_relevant_rank
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.parameters import OPTIONAL_CUTOFF, RELEVANCE_LEVEL, Parameter
from evaluation.engine.measures.sets import COLLECTION_SIZE, outcomes
from evaluation.engine.ranked_run import RankedRun

SEARCHED = Parameter(
    "k", int, "ranks that are searched; one more is the rank of what is not found", 1000, minimum=1, follows_at=True
)


def rank_of_first_relevant(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the rank of the first relevant document; lower is better. Over topics: the median rank.

    Returns float64 (n_cutoffs, n_groups) in [1, k + 1]: the rank of the first document of grade >= rel; k + 1 where
    none is retrieved within rank k, also for a topic that the run misses, so that a short ranking gains nothing.
    """
    first = first_relevant_rank(ranked, rel)
    ranks: FloatArray = np.minimum(first, k[:, np.newaxis] + 1.0)
    return ranks


def mean_rank_of_first_relevant(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the rank of the first relevant document; lower is better. Over topics: the mean rank.

    Returns float64 (n_cutoffs, n_groups) in [1, k + 1], the values of RankFirstRel. One topic without a relevant document
    moves the mean by up to k / topics: the median of RankFirstRel says what is usual.
    """
    return rank_of_first_relevant(ranked, k, rel)


def pair_accuracy(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the share of the retrieved pairs of a relevant and another document in which the relevant one stands first.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: 1 - (1 / (r * n)) * sum over the r relevant documents within rank k
    of the others above, n the others within rank k (unjudged ones too). Documents that are not retrieved play no part.
    1 where all documents retrieved are relevant: none stands below another one; there ir_measures fails. 0 where no
    relevant document is retrieved; such topics ir_measures leaves out.
    """
    hits = ranked.relevant(rel)
    above = (hits.rank - hits.ordinal).astype(np.float64)
    wrong = sums_to_cutoffs(hits.group, hits.rank, above, k, ranked.n_groups)
    relevant_retrieved = ranked.relevant_to_cutoffs(rel, k)
    others = np.minimum(ranked.num_ret, k[:, np.newaxis]) - relevant_retrieved
    return np.where(relevant_retrieved > 0, 1.0 - ratio(wrong, relevant_retrieved * others), 0.0)


def area_under_roc(ranked: RankedRun, N: int, rel: int = 1) -> FloatArray:  # noqa: N803 (the parameter's name)
    """Give the probability that a relevant document stands above a non-relevant one, drawn from the whole collection.

    Returns float64 (n_groups,) in [0, 1]: the area under the ROC curve, which is Mann and Whitney's U / (R * M). U sums
    over the relevant retrieved documents the M - n non-relevant ones (unjudged ones too) that do not stand above, n the
    number above; each of the R - r relevant documents not retrieved adds (M - m) / 2, m the non-relevant documents
    retrieved: what is not retrieved is tied at the end, and a tie is half right. M = max(m, N - R).
    0.5 where nothing is retrieved; 0 where R = 0 or M = 0.
    """
    cells = outcomes(ranked, np.array([NO_CUTOFF]), N, rel)
    non_relevant = (cells.false_positives + cells.true_negatives)[0]
    hits = ranked.relevant(rel)
    not_above = non_relevant[hits.group] - (hits.rank - hits.ordinal)
    tied = (cells.false_negatives * cells.true_negatives)[0]
    right = group_sums(hits.group, not_above, ranked.n_groups) + 0.5 * tied
    return ratio(right, ranked.num_rel(rel) * non_relevant)


MEASURES = (
    Definition(
        "RankFirstRel",
        rank_of_first_relevant,
        "binary",
        "Kantor and Voorhees, 2000",
        (RELEVANCE_LEVEL, SEARCHED),
        range=(1.0, float("inf")),
        summary="median",
        over="k",
        lower_is_better=True,
        oracles=("second implementation",),
        missed="empty ranking",
    ),
    Definition(
        "MeanRankFirstRel",
        mean_rank_of_first_relevant,
        "binary",
        "Kantor and Voorhees, 2000",
        (RELEVANCE_LEVEL, SEARCHED),
        range=(1.0, float("inf")),
        over="k",
        lower_is_better=True,
        oracles=("second implementation",),
        missed="empty ranking",
    ),
    Definition(
        "Accuracy",
        pair_accuracy,
        "binary",
        "MacAvaney, Macdonald and Ounis, 2022",
        (RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        over="k",
        oracles=("ir_measures", "worked example"),
    ),
    Definition(
        "AUC",
        area_under_roc,
        "binary",
        "Hanley and McNeil, 1982",
        (COLLECTION_SIZE, RELEVANCE_LEVEL),
        oracles=("scipy", "worked example"),
        recall_base=True,
    ),
)
