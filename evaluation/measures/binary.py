"""Measures of ranked binary relevance: a document of grade >= rel is relevant, every other one is not."""

import numpy as np

from evaluation.arrays import FloatArray, group_counts, group_sums, ratio
from evaluation.measures.declaration import CUTOFF, OPTIONAL_CUTOFF, RELEVANCE_LEVEL, Definition
from evaluation.ranking import RankedRun


def average_precision(ranked: RankedRun, rel: int = 1, k: int | None = None) -> FloatArray:
    """Average the precision at the ranks of the relevant documents over all relevant documents of the topic.

    Returns float64 (n_groups,) in [0, 1]: (1/R) * sum of j / rank_j over the relevant retrieved documents,
    j = 1, 2, ... by rank, rank_j <= k; R counts all relevant documents in the qrels, also with a cut-off.
    0 where R = 0 or nothing is retrieved.
    """
    hits = ranked.relevant(rel)
    precisions = hits.ordinal / hits.rank
    if k is not None:
        precisions[hits.rank > k] = 0.0
    return ratio(group_sums(hits.group, precisions, ranked.n_groups), ranked.num_rel(rel))


def precision(ranked: RankedRun, k: int, rel: int = 1) -> FloatArray:
    """Give the share of relevant documents among the first k ranks.

    Returns float64 (n_groups,) in [0, 1]: |relevant with rank <= k| / k; ranks beyond the end of a short ranking
    count as not relevant.
    """
    hits = ranked.relevant(rel)
    return group_counts(hits.group[hits.rank <= k], ranked.n_groups) / k


def recall(ranked: RankedRun, k: int, rel: int = 1) -> FloatArray:
    """Give the share of the topic's relevant documents that is found among the first k ranks.

    Returns float64 (n_groups,) in [0, 1]: |relevant with rank <= k| / R; 0 where R = 0.
    """
    hits = ranked.relevant(rel)
    return ratio(group_counts(hits.group[hits.rank <= k], ranked.n_groups), ranked.num_rel(rel))


def reciprocal_rank(ranked: RankedRun, rel: int = 1, k: int | None = None) -> FloatArray:
    """Give the reciprocal of the rank of the first relevant document.

    Returns float64 (n_groups,) in [0, 1]: 1 / rank_1; 0 where no relevant document is retrieved within rank k.
    """
    hits = ranked.relevant(rel)
    first = hits.ordinal == 1
    if k is not None:
        first &= hits.rank <= k
    values = np.zeros(ranked.n_groups)
    values[hits.group[first]] = 1.0 / hits.rank[first]
    return values


MEASURES = (
    Definition(
        "AP",
        average_precision,
        "binary",
        "Buckley and Voorhees, 2000",
        (RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        aliases=("map", "map_cut_{k}", "MAP"),
    ),
    Definition(
        "P",
        precision,
        "binary",
        "van Rijsbergen, 1979",
        (RELEVANCE_LEVEL, CUTOFF),
        aliases=("P_{k}", "Precision"),
    ),
    Definition(
        "R",
        recall,
        "binary",
        "van Rijsbergen, 1979",
        (RELEVANCE_LEVEL, CUTOFF),
        aliases=("recall_{k}", "recall", "Recall"),
    ),
    Definition(
        "RR",
        reciprocal_rank,
        "binary",
        "Kantor and Voorhees, 2000",
        (RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        aliases=("recip_rank", "MRR"),
    ),
)
