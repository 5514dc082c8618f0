"""Estimates from judgments of a random sample of each stratum of the pool."""

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray, counts_so_far, group_sums, ratio, sums_to_cutoffs
from evaluation.engine.gains import Gain, gains_of, log2_discount
from evaluation.engine.judgment_kinds import STRATA
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import UNBOUNDED, Definition
from evaluation.engine.measures.graded import GAIN
from evaluation.engine.measures.parameters import CUTOFF, RELEVANCE_LEVEL, Parameter
from evaluation.engine.measures.strata import Strata, strata_of
from evaluation.engine.ranked_run import RankedRun

RELEVANT_PRIOR, SAMPLED_PRIOR = 0.00001, 0.00003
"""Added to the counts of relevant and of sampled documents: where none is sampled, the share of relevant is then 1/3."""

LIMIT = Parameter("limit", int, "most documents that a run may retrieve for a topic", default=1000, minimum=1)
NORMALISER = Parameter(
    "norm",
    str,
    "what the sum is divided by: R, the estimated number of relevant documents, or min, the smaller of it and the limit",
    default="min",
    choices=("R", "min"),
)
IDEAL = Parameter(
    "ideal",
    str,
    "estimated number of documents of each gain in the ideal ranking: rounded to a whole number, or exact",
    default="rounded",
    choices=("rounded", "exact"),
)

SOURCE = "Yilmaz, Kanoulas and Aslam, 2008"


def extended_inferred_ap(ranked: RankedRun, rel: int = 1, limit: int = 1000, norm: str = "min") -> FloatArray:
    """Estimate average precision from judgments of a random sample of each stratum of the pool.

    Returns float64 (n_groups,) in [0, inf): (1/min(R, limit)) * sum of (N_c/n_c) * precision over the relevant documents
    (grade >= rel) retrieved by rank `limit`; c is the document's stratum, N_c its documents in the qrels, n_c those
    sampled (grade >= 0); R is the sum of N_c/n_c over all relevant documents in the qrels. The precision is
    1/rank + (1/rank) * sum over all strata s of D_s * (r_s + 0.00001) / (m_s + 0.00003), where D_s documents of s stand
    above, m_s of them sampled, r_s of these relevant. Documents outside the qrels count as not relevant. norm=R divides
    by R also where it is above the limit.
    It is printed as infAP by sample_eval.pl: with norm=min in TRECVID's edition of 2012, with norm=R in TREC's of 2011.
    0 where R = 0. Judgments without strata, and a stratum without a sampled document, are errors.
    """
    strata, ranked = strata_of(ranked.judgments), ranked.first(limit)
    relevant = np.flatnonzero(_relevant(ranked.grade, rel))
    rank = ranked.rank[relevant]
    precision = (1.0 + _relevant_above(ranked, strata, rel)[relevant]) / rank
    weights = strata.weight[strata.of_document[ranked.document[relevant]]] * precision
    num_rel = _estimated_relevant(ranked.judgments, rel)[ranked.topic]
    divisor = np.minimum(num_rel, limit) if norm == "min" else num_rel
    return ratio(group_sums(ranked.group[relevant], weights, ranked.n_groups), divisor)


def inferred_ndcg(ranked: RankedRun, gain: Gain = "linear", limit: int = 1000, ideal: str = "rounded") -> FloatArray:
    """Estimate nDCG from judgments of a random sample of each stratum of the pool.

    Returns float64 (n_groups,) in [0, inf): DCG / IDCG. DCG = sum over strata c of D_c * G_c / m_c over ranks <= limit:
    D_c documents of c are retrieved, m_c of them sampled (grade >= 0), G_c is the sum of their gain / log2(rank + 1). IDCG
    is the sum of gain / log2(rank + 1) over an ideal ranking that holds, best gain first, the estimated number n of
    documents of each gain: the sum of N_c/n_c over the documents of that gain, N_c documents of c in the qrels and n_c
    sampled. n is rounded (half up), or with ideal=exact a gain takes the ranks s + 1, s + 2, ... up to s + n, s being
    the sum of the n of the better gains. A gain stops at the first rank from `limit` on. Gains of 0 and below count as 0.
    It is printed as infNDCG by sample_eval.pl: with ideal=rounded in TREC's edition of 2011, with ideal=exact in
    TRECVID's of 2012. 0 where IDCG = 0. Judgments without strata, and a stratum without a sampled document, are errors.
    """
    strata, ranked = strata_of(ranked.judgments), ranked.first(limit)
    gains = np.maximum(gains_of(ranked.grade, gain), 0.0) * log2_discount(ranked.rank)
    dcg = np.zeros(ranked.n_groups)
    for hits in strata.split(ranked.document):
        group = ranked.group[hits]
        retrieved = np.bincount(group, minlength=ranked.n_groups)
        sampled = np.bincount(group[ranked.grade[hits] >= 0], minlength=ranked.n_groups)
        dcg += ratio(retrieved * group_sums(group, gains[hits], ranked.n_groups), sampled)
    return ratio(dcg, _estimated_ideal_dcg(ranked.judgments, gain, limit, ideal)[ranked.topic])


def inferred_precision(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Estimate precision at rank k from judgments of a random sample of each stratum of the pool.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (1/k) * sum over strata s of D_s * (r_s + 0.00001) / (m_s + 0.00003),
    where D_s documents of s have rank <= k, m_s of them are sampled (grade >= 0), r_s of these relevant (grade >= rel);
    a stratum without a sampled document by rank k counts a third of its documents. Ranks beyond the end of a short
    ranking count as not relevant. It is printed as iP10, iP100, ... by sample_eval.pl. Judgments without strata, and a
    stratum without a sampled document in the qrels, are errors.
    """
    estimated = np.zeros((len(k), ranked.n_groups))
    for hits in strata_of(ranked.judgments).split(ranked.document):
        group, rank, grade = ranked.group[hits], ranked.rank[hits], ranked.grade[hits]
        pooled, sampled, relevant = (
            sums_to_cutoffs(group[marked], rank[marked], None, k, ranked.n_groups)
            for marked in (np.full(len(hits), True), grade >= 0, _relevant(grade, rel))
        )
        estimated += pooled * (relevant + RELEVANT_PRIOR) / (sampled + SAMPLED_PRIOR)
    return estimated / k[:, np.newaxis]


def _relevant(grade: IntArray, rel: int) -> BoolArray:
    relevant: BoolArray = (grade >= rel) & (grade >= 0)
    return relevant


def _relevant_above(ranked: RankedRun, strata: Strata, rel: int) -> FloatArray:
    """Estimate how many relevant documents stand above each hit: float64 (n_hits,)."""
    above = np.zeros(len(ranked.group))
    marks = ranked.grade >= 0, _relevant(ranked.grade, rel)
    for hits in strata.split(ranked.document):
        of_stratum = np.zeros(len(above), dtype=np.bool_)
        of_stratum[hits] = True
        pooled, sampled, relevant = (
            counts_so_far(ranked.group, marked, ranked.n_groups) - marked
            for marked in (of_stratum, *(of_stratum & mark for mark in marks))
        )
        above += pooled * (relevant + RELEVANT_PRIOR) / (sampled + SAMPLED_PRIOR)
    return above


def _estimated_relevant(judgments: Judgments, rel: int) -> FloatArray:
    """Estimate the number of relevant documents of each topic: float64 (n_topics,)."""

    def compute() -> FloatArray:
        strata = strata_of(judgments)
        return group_sums(strata.topic, strata.estimate(_relevant(judgments.grade, rel)), judgments.n_topics)

    return judgments.memo.get(("estimated relevant", rel), compute)


def _estimated_ideal_dcg(judgments: Judgments, gain: Gain, limit: int, ideal: str) -> FloatArray:
    """Give the DCG of the estimated ideal ranking of each topic: float64 (n_topics,)."""

    def compute() -> FloatArray:
        strata = strata_of(judgments)
        gains = np.where(judgments.grade >= 0, gains_of(judgments.grade, gain), 0.0)
        best_first = np.unique(gains[gains > 0.0])[::-1]
        of_gain = [
            group_sums(strata.topic, strata.estimate(gains == value), judgments.n_topics) for value in best_first
        ]
        counts = np.array(of_gain).reshape(len(best_first), judgments.n_topics)
        last = np.cumsum(np.floor(counts + 0.5) if ideal == "rounded" else counts, axis=0)
        first = np.vstack((np.zeros(judgments.n_topics), last))[:-1] + 1.0
        discounts = _discounts_between(first.ravel(), last.ravel(), limit).reshape(last.shape)
        dcg: FloatArray = best_first @ discounts
        return dcg

    return judgments.memo.get(("estimated ideal DCG", gain, limit, ideal), compute)


def _discounts_between(first: FloatArray, last: FloatArray, limit: int) -> FloatArray:
    """Sum 1 / log2(rank + 1) over rank = first, first + 1, ... <= last, each time to the first rank from `limit` on."""
    sums = np.zeros(len(first))
    going = np.flatnonzero(first <= last)
    rank = first[going]
    while len(going):
        sums[going] += 1.0 / np.log2(rank + 1.0)
        goes_on = (rank < limit) & (rank + 1.0 <= last[going])
        going, rank = going[goes_on], rank[goes_on] + 1.0
    return sums


MEASURES = (
    Definition(
        "xinfAP",
        extended_inferred_ap,
        "binary",
        SOURCE,
        (RELEVANCE_LEVEL, LIMIT, NORMALISER),
        UNBOUNDED,
        judgments=STRATA,
        oracles=("sample_eval", "second implementation", "worked example"),
        recall_base=True,
    ),
    Definition(
        "infNDCG",
        inferred_ndcg,
        "graded",
        SOURCE,
        (GAIN, LIMIT, IDEAL),
        UNBOUNDED,
        aliases=("infnDCG",),
        judgments=STRATA,
        oracles=("sample_eval", "second implementation", "worked example"),
        recall_base=True,
    ),
    Definition(
        "infP",
        inferred_precision,
        "binary",
        SOURCE,
        (RELEVANCE_LEVEL, CUTOFF),
        aliases=("iP{k}",),
        over="k",
        judgments=STRATA,
        oracles=("sample_eval", "second implementation", "worked example"),
    ),
)
