"""Measures of graded relevance: a document's grade is turned into a gain, discounted by its rank."""

import numpy as np

from evaluation.engine.arrays import (
    FloatArray,
    IntArray,
    accumulate_within_groups,
    positions_within_groups,
    ratio,
    sums_to_cutoffs,
)
from evaluation.engine.gains import (
    BASE,
    GAIN_MAP,
    Base,
    Gain,
    discounts,
    gaining_hits,
    graded_hits,
    ideal_cg,
    ideal_dcg,
    ideal_gains,
    ideal_ranking,
)
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.browsing import probability_of_reaching
from evaluation.engine.measures.declaration import UNBOUNDED, Definition
from evaluation.engine.measures.parameters import OPTIONAL_CUTOFF, Parameter
from evaluation.engine.ranked_run import RankedRun

GAIN = Parameter(
    "gain",
    str,
    "gain of a grade g: linear g, exponential 2^g - 1, or gains of single grades",
    default="linear",
    choices=("linear", "exponential"),
    pattern=GAIN_MAP,
    pattern_example="gains of grades, as 1:2;2:7.5",
)
LOG_BASE = Parameter(
    "base",
    str,
    "discount 1 / log_b(rank) that spares the ranks below b; without it the discount is 1 / log2(rank + 1)",
    pattern=BASE,
    pattern_example="a number above 1, or e",
)
MAX_REL = Parameter("max_rel", int, "highest grade of the scale", default=4, minimum=1, maximum=100)


def cumulative_gain(ranked: RankedRun, k: IntArray, gain: Gain = "linear") -> FloatArray:
    """Add up the gains of the documents down to rank k, whatever their order.

    Returns float64 (n_cutoffs, n_groups) in [0, inf): sum of gain over ranks <= k; negative grades and unjudged documents
    have gain 0. A sum below 0 needs gains below 0.
    """
    hits = gaining_hits(ranked, gain)
    return sums_to_cutoffs(hits.group, hits.rank, hits.gain, k, ranked.n_groups)


def dcg_to_cutoffs(ranked: RankedRun, k: IntArray, gain: Gain = "linear", base: Base = None) -> FloatArray:
    """Add up the gains of the documents down to rank k, each divided by a discount that grows with its rank.

    Returns float64 (n_cutoffs, n_groups) in [0, inf): sum of gain / log2(rank + 1) over ranks <= k; with a base b
    gain / max(1, log_b(rank)), so that ranks below b are not discounted. Negative grades and unjudged documents have
    gain 0. A sum below 0 needs gains below 0.
    """
    hits = gaining_hits(ranked, gain)
    return sums_to_cutoffs(hits.group, hits.rank, hits.gain * discounts(hits.rank, base), k, ranked.n_groups)


def normalised_cg(ranked: RankedRun, k: IntArray, gain: Gain = "linear") -> FloatArray:
    """Compare the cumulative gain with that of the ideal ranking of all judged documents.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: CG / ICG, CG = sum of gain over ranks <= k, ICG the same sum over the
    topic's judged documents sorted by gain; documents of negative gain count in CG only, and can take the value below 0.
    0 where no judged document has a positive gain.
    """
    return ratio(cumulative_gain(ranked, k, gain), ideal_cg(ranked.judgments, k, gain)[:, ranked.topic])


def normalised_dcg(ranked: RankedRun, k: IntArray, gain: Gain = "linear", base: Base = None) -> FloatArray:
    """Compare the discounted cumulative gain with that of the ideal ranking of all judged documents.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: DCG / IDCG, DCG = sum of gain / log2(rank + 1) over ranks <= k (with a
    base b: gain / max(1, log_b(rank))), IDCG the same sum over the topic's judged documents sorted by gain; negative
    grades and unjudged documents have gain 0. Documents of negative gain count in DCG only, and can take the value below
    0. There is no relevance level. 0 where no judged document has a positive gain.
    """
    return ratio(dcg_to_cutoffs(ranked, k, gain, base), ideal_dcg(ranked.judgments, k, gain, base)[:, ranked.topic])


def q_measure(ranked: RankedRun, k: IntArray, beta: float = 1.0, gain: Gain = "linear") -> FloatArray:
    """Average a precision that also counts gains over all relevant documents of the topic: graded average precision.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (1 / min(k, R)) * sum over the relevant documents of rank r <= k of
    (C(r) + beta * cg(r)) / (r + beta * icg(r)). Relevant is a document of positive gain, R counts those of the topic,
    C(r) and cg(r) count and add up the gains of those retrieved down to rank r, icg(r) those of the ideal ranking.
    beta = 0 makes it average precision. 0 where R = 0.
    """
    hits = gaining_hits(ranked, gain)
    relevant = slice(None) if hits.gain.min(initial=0.0) >= 0.0 else hits.gain > 0.0
    group, rank = hits.group[relevant], hits.rank[relevant]
    ordinal = positions_within_groups(group, ranked.n_groups)
    cumulated = accumulate_within_groups(np.add, group, hits.gain[relevant], ranked.n_groups)
    ideal = ideal_gains(ranked.judgments, gain)
    blended = (ordinal + beta * cumulated) / (rank + beta * ideal.down_to(rank, ranked.topic[group]))
    sums = sums_to_cutoffs(group, rank, blended, k, ranked.n_groups)
    return ratio(sums, np.minimum(ideal.count[ranked.topic], k[:, np.newaxis]))


def expected_reciprocal_rank(ranked: RankedRun, k: IntArray, max_rel: int = 4) -> FloatArray:
    """Expect the reciprocal of the rank at which a person stops who is satisfied the sooner, the higher the grades.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: sum over ranks r <= k of (1/r) * s(r) * product over the ranks i < r of
    (1 - s(i)), s = (2^g - 1) / 2^max_rel for the grade g; negative grades and unjudged documents have s = 0, a grade
    above max_rel counts as max_rel. 0 where nothing relevant is retrieved. The default divisor 2^4 is that of
    the web track's program gdeval.
    """
    hits = graded_hits(ranked)
    return _expected_reciprocal_rank(hits.group, hits.rank, hits.grade, k, max_rel, ranked.n_groups)


def normalised_err(ranked: RankedRun, k: IntArray, max_rel: int = 4) -> FloatArray:
    """Compare the expected reciprocal rank with that of the ideal ranking of all judged documents.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: ERR@k of the ranking / ERR@k of the topic's judged documents sorted by
    grade. 0 where the topic has no document of a grade above 0.
    """
    ideal = _ideal_err(ranked.judgments, k, max_rel)[:, ranked.topic]
    return ratio(expected_reciprocal_rank(ranked, k, max_rel), ideal)


def _ideal_err(judgments: Judgments, k: IntArray, max_rel: int) -> FloatArray:
    def compute() -> FloatArray:
        topic, rank, grade = ideal_ranking(judgments, "linear")
        return _expected_reciprocal_rank(topic, rank, grade, k, max_rel, judgments.n_topics)

    return judgments.memo.get(("ideal_err", max_rel, k.tobytes()), compute)


def _expected_reciprocal_rank(
    group: IntArray, rank: IntArray, grade: IntArray | FloatArray, k: IntArray, max_rel: int, n_groups: int
) -> FloatArray:
    stop = (np.exp2(np.minimum(grade, max_rel)) - 1.0) / np.exp2(max_rel)
    weights = stop * probability_of_reaching(group, stop, n_groups) / rank
    return sums_to_cutoffs(group, rank, weights, k, n_groups)


MEASURES = (
    Definition(
        "CG",
        cumulative_gain,
        "graded",
        "Järvelin and Kekäläinen, 2000",
        (GAIN, OPTIONAL_CUTOFF),
        range=UNBOUNDED,
        over="k",
        oracles=("second implementation", "worked example"),
    ),
    Definition(
        "DCG",
        dcg_to_cutoffs,
        "graded",
        "Järvelin and Kekäläinen, 2002; exponential gain: Burges et al., 2005",
        (GAIN, LOG_BASE, OPTIONAL_CUTOFF),
        range=UNBOUNDED,
        aliases=("dcg",),
        over="k",
        oracles=("second implementation", "worked example"),
    ),
    Definition(
        "nCG",
        normalised_cg,
        "graded",
        "Järvelin and Kekäläinen, 2002",
        (GAIN, OPTIONAL_CUTOFF),
        aliases=("NCG",),
        over="k",
        oracles=("second implementation",),
        recall_base=True,
    ),
    Definition(
        "nDCG",
        normalised_dcg,
        "graded",
        "Järvelin and Kekäläinen, 2002; exponential gain: Burges et al., 2005",
        (GAIN, LOG_BASE, OPTIONAL_CUTOFF),
        aliases=("ndcg", "ndcg_cut_{k}", "NDCG"),
        over="k",
        oracles=("trec_eval", "gdeval", "ntcireval", "second implementation", "worked example"),
        recall_base=True,
    ),
    Definition(
        "Q",
        q_measure,
        "graded",
        "Sakai, 2004; with a cut-off: Sakai and Song, 2011",
        (
            Parameter("beta", float, "how much gains count beside the number of documents", default=1.0, minimum=0),
            GAIN,
            OPTIONAL_CUTOFF,
        ),
        aliases=("Q-measure",),
        over="k",
        oracles=("ntcireval", "second implementation", "worked example"),
        recall_base=True,
    ),
    Definition(
        "ERR",
        expected_reciprocal_rank,
        "graded",
        "Chapelle et al., 2009",
        (MAX_REL, OPTIONAL_CUTOFF),
        over="k",
        oracles=("gdeval", "second implementation", "worked example"),
    ),
    Definition(
        "nERR",
        normalised_err,
        "graded",
        "Chapelle et al., 2009; normalised: Sakai and Song, 2011",
        (MAX_REL, OPTIONAL_CUTOFF),
        over="k",
        oracles=("second implementation",),
        recall_base=True,
    ),
)
