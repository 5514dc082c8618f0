"""Estimates from judgments of documents that were drawn with known probabilities."""

import numpy as np

from evaluation.engine.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    accumulate_within_groups,
    group_sums,
    ratio,
    sums_to_cutoffs,
)
from evaluation.engine.gains import Gain, gains_of, log2_discount
from evaluation.engine.judgment_kinds import PROBABILITIES
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.declaration import UNBOUNDED, Definition
from evaluation.engine.measures.graded import GAIN
from evaluation.engine.measures.parameters import CUTOFF, OPTIONAL_CUTOFF, RELEVANCE_LEVEL
from evaluation.engine.ranked_run import RankedRun


def statistical_ap(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Estimate average precision from judgments of documents that were drawn with known probabilities.

    Returns float64 (n_groups,) in [0, inf): (1/R) * sum of (1/p) * (1 + W) / rank over the relevant documents retrieved
    (grade >= rel); p is the document's probability, W the sum of 1/p over the relevant documents above it, R the sum of
    1/p over all relevant documents in the qrels. The document itself counts 1 in its own precision, and every pair of
    documents is taken as drawn independently. A document without a probability was not drawn: it counts nowhere.
    The sum is unbiased if documents are drawn independently, and so is R; their ratio is not quite.
    Equals AP in the output of the Million Query tracks' statAP_MQ_eval.pl, which leaves the order of ties to chance.
    0 where R = 0. Judgments without probabilities are an error.
    """
    hits, weights = _drawn_relevant(ranked, rel)
    group, rank = ranked.group[hits], ranked.rank[hits]
    above = accumulate_within_groups(np.add, group, weights, ranked.n_groups) - weights
    sums = group_sums(group, weights * (1.0 + above) / rank, ranked.n_groups)
    return ratio(sums, _drawn_in_all(ranked.judgments, rel)[ranked.topic])


def statistical_precision(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Estimate precision at rank k, without bias, from documents that were drawn with known probabilities.

    Returns float64 (n_cutoffs, n_groups) in [0, inf): (1/k) * sum of 1/p over the relevant documents (grade >= rel) with
    rank <= k, p the document's probability (Horvitz and Thompson, 1952); ranks beyond the end of a short ranking count as
    not relevant. A document without a probability counts nowhere. Judgments without probabilities are an error.
    """
    return _drawn_to_cutoffs(ranked, k, rel) / k[:, np.newaxis]


def statistical_recall(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Estimate recall at rank k from documents that were drawn with known probabilities.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: sum of 1/p over the relevant documents (grade >= rel) with rank <= k,
    p the document's probability, divided by the same sum over all relevant documents in the qrels; a ratio of two
    unbiased estimates. A document without a probability counts nowhere. 0 where no relevant document has a probability.
    Judgments without probabilities are an error.
    """
    return ratio(_drawn_to_cutoffs(ranked, k, rel), _drawn_in_all(ranked.judgments, rel)[ranked.topic])


def statistical_r_precision(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Estimate R-precision from documents that were drawn with known probabilities.

    Returns float64 (n_groups,) in [0, inf): (1/r) * sum of 1/p over the relevant documents (grade >= rel) with rank <= r,
    p the document's probability, r = floor(R + 0.5), R the sum of 1/p over all relevant documents in the qrels; divided
    by R in place of r where the ranking is shorter than r. A document without a probability counts nowhere. Equals R-prec
    in the output of statAP_MQ_eval.pl. 0 where R = 0. Judgments without probabilities are an error.
    """
    num_rel = _drawn_in_all(ranked.judgments, rel)[ranked.topic]
    cutoff = np.floor(num_rel + 0.5)
    hits, weights = _drawn_relevant(ranked, rel)
    group = ranked.group[hits]
    sums = group_sums(group, np.where(ranked.rank[hits] <= cutoff[group], weights, 0.0), ranked.n_groups)
    return ratio(sums, np.where(ranked.num_ret < cutoff, num_rel, cutoff))


def statistical_dcg(ranked: RankedRun, k: IntArray, gain: Gain = "linear") -> FloatArray:
    """Estimate discounted cumulative gain, without bias, from documents that were drawn with known probabilities.

    Returns float64 (n_cutoffs, n_groups) in [0, inf): sum of (1/p) * gain / log2(rank + 1) over ranks <= k, p the
    document's probability (Horvitz and Thompson, 1952). Negative grades, and documents without a grade or a probability,
    count nowhere; a sum below 0 needs gains below 0. Judgments without probabilities are an error.
    """
    weights = _inverse_probability(ranked.judgments)[ranked.document]
    weights = weights * gains_of(ranked.grade, gain) * log2_discount(ranked.rank)
    return sums_to_cutoffs(ranked.group, ranked.rank, weights, k, ranked.n_groups)


def _relevant(grade: IntArray, rel: int) -> BoolArray:
    relevant: BoolArray = (grade >= rel) & (grade >= 0)
    return relevant


def _inverse_probability(judgments: Judgments) -> FloatArray:
    """Give 1 / probability of each document, 0 for those that were not drawn: float64 (n_documents,)."""
    return judgments.memo.get("inverse probability", lambda: _inverse(judgments))


def _inverse(judgments: Judgments) -> FloatArray:
    probability = judgments.probability
    if probability is None:
        raise JudgmentError(
            "These judgments have no probabilities. Give qrels of five columns: topic, 0, docno, grade and the "
            "probability with which the document was drawn; or prels: topic, docno, grade, method and probability."
        )
    drawn = ~np.isnan(probability) & (judgments.grade >= 0)
    wrong = drawn & ~((probability > 0.0) & (probability <= 1.0))
    if wrong.any():
        document = int(np.argmax(wrong))
        topic, docno = judgments.named(document)
        raise JudgmentError(
            f"Topic {topic}: the probability of document {docno} is {probability[document]:g}. "
            "A document that was drawn has a probability above 0 and up to 1."
        )
    return ratio(np.ones(len(probability)), np.where(drawn, probability, 0.0))


def _drawn_relevant(ranked: RankedRun, rel: int) -> tuple[IntArray, FloatArray]:
    """Give the indices of the relevant hits, int64 (n,), and 1 / probability of each, float64 (n,)."""
    hits = np.flatnonzero(_relevant(ranked.grade, rel))
    return hits, _inverse_probability(ranked.judgments)[ranked.document[hits]]


def _drawn_to_cutoffs(ranked: RankedRun, k: IntArray, rel: int) -> FloatArray:
    hits, weights = _drawn_relevant(ranked, rel)
    return sums_to_cutoffs(ranked.group[hits], ranked.rank[hits], weights, k, ranked.n_groups)


def _drawn_in_all(judgments: Judgments, rel: int) -> FloatArray:
    """Estimate the number of relevant documents of each topic: float64 (n_topics,)."""

    def compute() -> FloatArray:
        weights = np.where(_relevant(judgments.grade, rel), _inverse_probability(judgments), 0.0)
        return group_sums(judgments.topic, weights, judgments.n_topics)

    return judgments.memo.get(("drawn relevant", rel), compute)


ASLAM = "Aslam and Pavlu, 2007"
HORVITZ = "Horvitz and Thompson, 1952; Aslam and Pavlu, 2007"

MEASURES = (
    Definition(
        "statAP",
        statistical_ap,
        "binary",
        ASLAM,
        (RELEVANCE_LEVEL,),
        UNBOUNDED,
        aliases=("statMAP",),
        judgments=PROBABILITIES,
        oracles=("statAP_MQ_eval", "second implementation", "worked example"),
        recall_base=True,
    ),
    Definition(
        "statP",
        statistical_precision,
        "binary",
        HORVITZ,
        (RELEVANCE_LEVEL, CUTOFF),
        UNBOUNDED,
        over="k",
        judgments=PROBABILITIES,
        oracles=("statAP_MQ_eval", "second implementation", "worked example"),
    ),
    Definition(
        "statR",
        statistical_recall,
        "binary",
        HORVITZ,
        (RELEVANCE_LEVEL, CUTOFF),
        over="k",
        judgments=PROBABILITIES,
        oracles=("second implementation", "worked example"),
        recall_base=True,
    ),
    Definition(
        "statRprec",
        statistical_r_precision,
        "binary",
        ASLAM,
        (RELEVANCE_LEVEL,),
        UNBOUNDED,
        judgments=PROBABILITIES,
        oracles=("statAP_MQ_eval", "second implementation", "worked example"),
        recall_base=True,
    ),
    Definition(
        "statDCG",
        statistical_dcg,
        "graded",
        HORVITZ,
        (GAIN, OPTIONAL_CUTOFF),
        UNBOUNDED,
        over="k",
        judgments=PROBABILITIES,
        oracles=("second implementation", "worked example"),
    ),
)
