"""Measures of graded relevance: a document's grade is turned into a gain, discounted by its rank."""

from evaluation.arrays import FloatArray, IntArray, ratio, sums_to_cutoffs
from evaluation.gains import GAIN_MAP, Gain, gains_of, ideal_dcg, log2_discount
from evaluation.measures.declaration import OPTIONAL_CUTOFF, Definition, Parameter
from evaluation.ranked_run import RankedRun

GAIN = Parameter(
    "gain",
    str,
    "gain of a grade g: linear g, exponential 2^g - 1, or gains of single grades",
    default="linear",
    choices=("linear", "exponential"),
    pattern=GAIN_MAP,
    pattern_example="gains of grades, as 1:2;2:7.5",
)


def dcg_to_cutoffs(ranked: RankedRun, k: IntArray, gain: Gain) -> FloatArray:
    """Sum gain / log2(rank + 1) over the ranks <= k of each group: float64 (n_cutoffs, n_groups)."""
    weights = gains_of(ranked.grade, gain) * log2_discount(ranked.rank)
    return sums_to_cutoffs(ranked.group, ranked.rank, weights, k, ranked.n_groups)


def normalised_dcg(ranked: RankedRun, k: IntArray, gain: Gain = "linear") -> FloatArray:
    """Compare the discounted cumulative gain with that of the ideal ranking of all judged documents.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: DCG / IDCG, DCG = sum of gain / log2(rank + 1) over ranks <= k, IDCG
    the same sum over the topic's judged documents sorted by gain; negative grades and unjudged documents have gain 0.
    There is no relevance level. 0 where no judged document has a positive gain.
    """
    return ratio(dcg_to_cutoffs(ranked, k, gain), ideal_dcg(ranked.judgments, k, gain)[:, ranked.topic])


MEASURES = (
    Definition(
        "nDCG",
        normalised_dcg,
        "graded",
        "Järvelin and Kekäläinen, 2002; exponential gain: Burges et al., 2005",
        (GAIN, OPTIONAL_CUTOFF),
        aliases=("ndcg", "ndcg_cut_{k}", "NDCG"),
        over="k",
    ),
)
