"""Measures for incomplete judgments: unjudged documents are left out of the comparison, or counted."""

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, group_counts, group_starts, group_sums, ratio
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.parameters import CUTOFF, RELEVANCE_LEVEL, Parameter
from evaluation.engine.ranked_run import RankedRun

INFERENCE_SMOOTHING = 1e-5
"""What is added to the counts of judged documents above, so that the first relevant document has a precision there."""

PERSISTENCE = Parameter(
    "p", float, "how likely the reader goes on to the next rank", default=0.9, minimum=0.0, maximum=1.0
)


def binary_preference(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Measure how seldom judged non-relevant documents stand above relevant ones.

    Returns float64 (n_groups,) in [0, 1]: (1/R) * sum over the relevant retrieved documents of
    1 - min(n, R) / min(N, R), n the judged non-relevant documents (0 <= grade < rel) ranked above, N those in the qrels;
    the term is 1 where n = 0. Documents outside the qrels or of negative grade are passed over. 0 where R = 0.
    """
    return ranked.memo.get(("bpref", rel), lambda: _binary_preference(ranked, rel))


def _binary_preference(ranked: RankedRun, rel: int) -> FloatArray:
    group = ranked.relevant(rel).group
    num_rel = ranked.num_rel(rel)
    most = np.minimum(ranked.judgments.num_nonrel(rel)[ranked.topic], num_rel)
    _, nonrelevant = _standing_above(ranked, rel)
    terms = 1.0 - ratio(np.minimum(nonrelevant, num_rel[group]), most[group])
    return ratio(group_sums(group, terms, ranked.n_groups), num_rel)


def _standing_above(ranked: RankedRun, rel: int) -> tuple[IntArray, IntArray]:
    """Count the documents above each relevant one retrieved: those in the qrels, and the judged non-relevant of them."""

    def compute() -> tuple[IntArray, IntArray]:
        hits = ranked.relevant(rel)
        place = np.flatnonzero((ranked.grade >= rel) & (ranked.grade >= 0))
        start = group_starts(ranked.group, ranked.n_groups)[hits.group]
        unjudged = np.flatnonzero(ranked.grade < 0)
        unjudged_above = np.searchsorted(unjudged, place) - np.searchsorted(unjudged, start)
        return place - start, place - start - unjudged_above - (hits.ordinal - 1)

    return ranked.memo.get(("standing above", rel), compute)


def binary_preference_for_geometric_mean(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Give the bpref of the topic, averaged over topics by the geometric mean.

    Returns float64 (n_groups,) in [0, 1]: the bpref of the topic; over topics exp(mean of log(max(bpref, 0.00001))), so
    that one topic of value 0 does not make it 0. 0 where R = 0.
    """
    return binary_preference(ranked, rel)


def inferred_average_precision(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Estimate average precision from judgments of a random sample of the pool.

    Returns float64 (n_groups,) in [0, 1]: (1/R) * sum over the relevant retrieved documents of
    1/r + (a/r) * (m + e) / (m + n + 2e), r the rank, and above it: a the documents in the qrels, those of negative grade
    (pooled, but not in the sample) included, m the relevant and n the judged non-relevant (0 <= grade < rel) ones;
    e = 0.00001. Documents outside the qrels count in r only. 0 where R = 0. The sample must be uniform: judgments of
    strata, or of documents that were drawn with probabilities, need xinfAP or statAP.
    """
    hits = ranked.relevant(rel)
    pooled, nonrelevant = _standing_above(ranked, rel)
    relevant_above, nonrelevant_above = hits.ordinal - 1 + INFERENCE_SMOOTHING, nonrelevant + INFERENCE_SMOOTHING
    terms = (1.0 + pooled * relevant_above / (relevant_above + nonrelevant_above)) / hits.rank
    return ratio(group_sums(hits.group, terms, ranked.n_groups), ranked.num_rel(rel))


def unjudged_share(ranked: RankedRun, k: IntArray) -> FloatArray:
    """Give the share of unjudged documents among the first k ranks; lower is better.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: |retrieved with rank <= k, outside the qrels or grade < 0| / k;
    ranks beyond the end of a short ranking count as judged. 0 where nothing is retrieved.
    """
    retrieved = np.minimum(ranked.num_ret, k[:, np.newaxis])
    return (retrieved - ranked.relevant_to_cutoffs(0, k)) / k[:, np.newaxis]


def residual_of_rank_biased_precision(ranked: RankedRun, p: float = 0.9) -> FloatArray:
    """Give how much rank-biased precision can rise through unjudged documents; lower is better.

    Returns float64 (n_groups,) in [0, 1]: (1 - p) * sum of p^(rank - 1) over the retrieved documents that are unjudged
    (outside the qrels or grade < 0), plus p^n for what may follow the n retrieved ones. 0 where no unjudged document is
    retrieved: p^n is then left out too, as release 10.0 of trec_eval has it.
    """
    judged = ranked.grade >= 0
    group = ranked.group[judged]
    seen = (1.0 - p) * group_sums(group, np.power(p, ranked.rank[judged] - 1.0), ranked.n_groups)
    return np.where(group_counts(group, ranked.n_groups) < ranked.num_ret, 1.0 - seen, 0.0)


def judged_share(ranked: RankedRun, k: IntArray) -> FloatArray:
    """Give the share of judged documents among the first k retrieved.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: |grade >= 0 with rank <= k| / min(k, number retrieved); a short
    ranking is measured over its own length. 0 where nothing is retrieved.
    """
    return ratio(ranked.relevant_to_cutoffs(0, k), np.minimum(ranked.num_ret, k[:, np.newaxis]))


MEASURES = (
    Definition(
        "bpref",
        binary_preference,
        "binary",
        "Buckley and Voorhees, 2004; corrected in trec_eval 8.0 (its file bpref_bug, 2005)",
        (RELEVANCE_LEVEL,),
        aliases=("Bpref", "BPref"),
        oracles=("trec_eval",),
        recall_base=True,
    ),
    Definition(
        "gm_bpref",
        binary_preference_for_geometric_mean,
        "binary",
        "Buckley, 2008",
        (RELEVANCE_LEVEL,),
        summary="geometric mean",
        oracles=("trec_eval",),
        recall_base=True,
    ),
    Definition(
        "infAP",
        inferred_average_precision,
        "binary",
        "Yilmaz and Aslam, 2006",
        (RELEVANCE_LEVEL,),
        oracles=("trec_eval", "worked example"),
        recall_base=True,
        takes_uniform_sample=True,
    ),
    Definition(
        "Judged",
        judged_share,
        "set",
        "practice of TREC overviews; no single source",
        (CUTOFF,),
        over="k",
        oracles=("ir_measures",),
        tells="judged",
        missed="left out",
    ),
    Definition(
        "unj",
        unjudged_share,
        "set",
        "Soboroff, 2023",
        (CUTOFF,),
        aliases=("unj_{k}",),
        over="k",
        lower_is_better=True,
        oracles=("second implementation",),
        tells="judged",
        missed="left out",
    ),
    Definition(
        "rbp_resid",
        residual_of_rank_biased_precision,
        "graded",
        "Moffat and Zobel, 2008",
        (PERSISTENCE,),
        lower_is_better=True,
        oracles=("second implementation",),
        tells="judged",
        missed="left out",
    ),
)
