"""Measures of ranked binary relevance: a document of grade >= rel is relevant, every other one is not."""

import numpy as np

from evaluation.engine.arrays import NO_CUTOFF, FloatArray, IntArray, ratio, sums_to_cutoffs, sums_to_own_cutoffs
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.parameters import CUTOFF, OPTIONAL_CUTOFF, RELEVANCE_LEVEL, Parameter
from evaluation.engine.ranked_run import RankedRun

NORMALISER = Parameter(
    "norm",
    str,
    "what the sum is divided by: R, all relevant documents, or min, the smaller of R and the cut-off",
    default="R",
    choices=("R", "min"),
)
MULTIPLE_OF_R = Parameter("mult", float, "the cut-off, as a multiple of R", default=1.0, minimum=0.0, maximum=1e6)


def average_precision(ranked: RankedRun, k: IntArray, rel: int = 1, norm: str = "R") -> FloatArray:
    """Average the precision at the ranks of the relevant documents over all relevant documents of the topic.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (1/R) * sum of j / rank_j over the relevant retrieved documents,
    j = 1, 2, ... by rank, rank_j <= k; R counts all relevant documents in the qrels, also with a cut-off, unless
    norm=min asks for min(k, R) in its place. 0 where R = 0 or nothing is retrieved.
    """
    hits = ranked.relevant(rel)
    sums = sums_to_cutoffs(hits.group, hits.rank, hits.ordinal / hits.rank, k, ranked.n_groups)
    num_rel = ranked.num_rel(rel)
    return ratio(sums, np.minimum(num_rel, k[:, np.newaxis]) if norm == "min" else num_rel)


def precision(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the share of relevant documents among the first k ranks.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: |relevant with rank <= k| / k; ranks beyond the end of a short
    ranking count as not relevant.
    """
    return ranked.relevant_to_cutoffs(rel, k) / k[:, np.newaxis]


def recall(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the share of the topic's relevant documents that is retrieved among the first k ranks.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: |relevant with rank <= k| / R; 0 where R = 0.
    """
    return ratio(ranked.relevant_to_cutoffs(rel, k), ranked.num_rel(rel))


def reciprocal_rank(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Give the reciprocal of the rank of the first relevant document.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: 1 / rank_1; 0 where no relevant document is retrieved within
    rank k.
    """
    first = first_relevant_rank(ranked, rel)
    return np.where((first <= k[:, np.newaxis]) & (first < NO_CUTOFF), 1.0 / first, 0.0)


def first_relevant_rank(ranked: RankedRun, rel: int) -> IntArray:
    """Give the rank of the first relevant document: int64 (n_groups,), NO_CUTOFF where none is retrieved."""

    def compute() -> IntArray:
        hits = ranked.relevant(rel)
        first = hits.ordinal == 1
        ranks = np.full(ranked.n_groups, NO_CUTOFF)
        ranks[hits.group[first]] = hits.rank[first]
        return ranks

    return ranked.memo.get(("first_relevant_rank", rel), compute)


def average_precision_for_gmap(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Give the average precision of the topic, of which a run's GMAP is the geometric mean over topics.

    Returns float64 (n_groups,) in [0, 1]: AP = (1/R) * sum of j / rank_j over the relevant retrieved documents. Over
    topics exp(mean of log(max(AP, 0.00001))), so that one topic of value 0 does not make it 0. 0 where R = 0 or nothing
    is retrieved.
    """
    value: FloatArray = average_precision(ranked, np.array([NO_CUTOFF]), rel)[0]
    return value


def r_precision(ranked: RankedRun, mult: FloatArray, rel: int = 1) -> FloatArray:
    """Give the precision at rank R, the number of the topic's relevant documents, or at a multiple of R.

    Returns float64 (n_multiples, n_groups) in [0, 1]: |relevant with rank <= c| / c, c = trunc(mult * R + 0.9) in double
    precision; ranks beyond the end of a short ranking count as not relevant. At mult = 1 it equals recall at R. 0 where
    c = 0.
    """
    cutoffs = np.trunc(mult[:, np.newaxis] * ranked.num_rel(rel) + 0.9).astype(np.int64)
    hits = ranked.relevant(rel)
    return ratio(sums_to_own_cutoffs(hits.group, hits.rank, None, cutoffs), cutoffs)


def relative_precision(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Compare the precision among the first k ranks with the highest that is possible there.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: |relevant with rank <= k| / min(k, R), which is P@k up to R and R@k
    beyond it. 0 where R = 0.
    """
    return ratio(ranked.relevant_to_cutoffs(rel, k), np.minimum(k[:, np.newaxis], ranked.num_rel(rel)))


def success(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Say whether a relevant document stands among the first k ranks.

    Returns float64 (n_cutoffs, n_groups), 0 or 1: 1 where the first relevant document has a rank <= k, 0 elsewhere.
    """
    return (first_relevant_rank(ranked, rel) <= np.minimum(k, NO_CUTOFF - 1)[:, np.newaxis]).astype(np.float64)


MEASURES = (
    Definition(
        "AP",
        average_precision,
        "binary",
        "Buckley and Voorhees, 2000",
        (RELEVANCE_LEVEL, NORMALISER, OPTIONAL_CUTOFF),
        aliases=("map", "map_cut_{k}", "MAP"),
        over="k",
        oracles=("trec_eval", "ntcireval", "worked example"),
        recall_base=True,
    ),
    Definition(
        "P",
        precision,
        "binary",
        "van Rijsbergen, 1979",
        (RELEVANCE_LEVEL, CUTOFF),
        aliases=("P_{k}", "Precision"),
        over="k",
        oracles=("trec_eval", "worked example"),
    ),
    Definition(
        "R",
        recall,
        "binary",
        "van Rijsbergen, 1979",
        (RELEVANCE_LEVEL, CUTOFF),
        aliases=("recall_{k}", "recall", "Recall"),
        over="k",
        oracles=("trec_eval", "worked example"),
        recall_base=True,
    ),
    Definition(
        "RR",
        reciprocal_rank,
        "binary",
        "Kantor and Voorhees, 2000",
        (RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        aliases=("recip_rank", "MRR"),
        over="k",
        oracles=("trec_eval", "ntcireval", "worked example"),
    ),
    Definition(
        "GMAP",
        average_precision_for_gmap,
        "binary",
        "Robertson, 2006",
        (RELEVANCE_LEVEL,),
        aliases=("gm_map", "gMAP"),
        summary="geometric mean",
        oracles=("trec_eval",),
        recall_base=True,
    ),
    Definition(
        "Rprec",
        r_precision,
        "binary",
        "Buckley and Voorhees, 2005",
        (RELEVANCE_LEVEL, MULTIPLE_OF_R),
        aliases=("Rprec_mult_{mult}", "RPrec", "BEP"),
        over="mult",
        oracles=("trec_eval", "worked example"),
        recall_base=True,
    ),
    Definition(
        "RelP",
        relative_precision,
        "binary",
        "Buckley, 2008",
        (RELEVANCE_LEVEL, CUTOFF),
        aliases=("relative_P_{k}", "relative_P"),
        over="k",
        oracles=("trec_eval",),
        recall_base=True,
    ),
    Definition(
        "Success",
        success,
        "binary",
        "Tomlinson, 2006",
        (RELEVANCE_LEVEL, CUTOFF),
        aliases=("success_{k}", "success"),
        over="k",
        oracles=("trec_eval",),
    ),
)
