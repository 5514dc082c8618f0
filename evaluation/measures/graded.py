"""Measures of graded relevance: a document's grade is turned into a gain, discounted by its rank."""

from evaluation.arrays import FloatArray, ratio
from evaluation.gains import GAIN_MAP, Gain, discounted_gain_sums, gains_of, ideal_dcg
from evaluation.measures.declaration import OPTIONAL_CUTOFF, Definition, Parameter
from evaluation.ranking import RankedRun

GAIN = Parameter(
    "gain",
    str,
    "gain of a grade g: linear g, exponential 2^g - 1, or gains of single grades",
    default="linear",
    choices=("linear", "exponential"),
    pattern=GAIN_MAP,
    pattern_example="gains of grades, as 1:2;2:7.5",
)


def normalised_dcg(ranked: RankedRun, gain: Gain = "linear", k: int | None = None) -> FloatArray:
    """Compare the discounted cumulative gain with that of the ideal ranking of all judged documents.

    Returns float64 (n_groups,) in [0, 1]: DCG / IDCG, DCG = sum of gain / log2(rank + 1) over ranks <= k, IDCG the same
    sum over the topic's judged documents sorted by gain; negative grades and unjudged documents have gain 0.
    There is no relevance level. 0 where no judged document has a positive gain.
    """
    dcg = discounted_gain_sums(ranked.group, ranked.rank, gains_of(ranked.grade, gain), ranked.n_groups, k)
    return ratio(dcg, ideal_dcg(ranked.judgments, gain, k)[ranked.topic])


MEASURES = (
    Definition(
        "nDCG",
        normalised_dcg,
        "graded",
        "Järvelin and Kekäläinen, 2002; exponential gain: Burges et al., 2005",
        (GAIN, OPTIONAL_CUTOFF),
        aliases=("ndcg", "ndcg_cut_{k}", "NDCG"),
    ),
)
