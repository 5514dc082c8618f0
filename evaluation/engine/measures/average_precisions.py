"""Relatives of average precision: by grades, over what is retrieved, and the best balance of precision and recall on the way."""

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, group_maxima, ratio, sums_to_cutoffs
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.parameters import OPTIONAL_CUTOFF, RELEVANCE_LEVEL
from evaluation.engine.measures.sets import BETA
from evaluation.engine.ranked_run import RankedRun


def graded_average_precision(ranked: RankedRun, k: IntArray) -> FloatArray:
    """Expect the average precision for persons of whom each grade is the lowest that satisfies equally many.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: sum over thresholds t of S_t / sum over t of R_t, t = 1, 2, ... up to the
    highest grade of the qrels; S_t = sum of the precisions at the ranks <= k of the documents of grade >= t, precision of such
    documents; R_t the documents of grade >= t in the qrels. With one positive grade of 1 it is AP. 0 where no document has a
    positive grade.
    """
    grades = np.unique(ranked.judgments.grade[ranked.judgments.grade > 0])
    sums, wanted = np.zeros((len(k), ranked.n_groups)), np.zeros(ranked.n_groups)
    for grade, thresholds in zip(grades.tolist(), np.diff(grades, prepend=0).tolist(), strict=True):
        hits = ranked.relevant(grade)
        sums += thresholds * sums_to_cutoffs(hits.group, hits.rank, hits.ordinal / hits.rank, k, ranked.n_groups)
        wanted += thresholds * ranked.num_rel(grade)
    return ratio(sums, wanted)


def average_precision_of_retrieved(ranked: RankedRun, k: IntArray, rel: int = 1) -> FloatArray:
    """Average the precision at the ranks of the relevant documents over those that are retrieved.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (1/r) * sum of j / rank_j over the r relevant documents with rank <= k,
    j = 1, 2, ... by rank. What is not retrieved costs nothing: a run that returns one relevant document has 1. AP divides by all
    relevant documents instead. 0 where no relevant document is retrieved.
    """
    hits = ranked.relevant(rel)
    sums = sums_to_cutoffs(hits.group, hits.rank, hits.ordinal / hits.rank, k, ranked.n_groups)
    return ratio(sums, ranked.relevant_to_cutoffs(rel, k))


def maximal_f(ranked: RankedRun, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """Give the best balance of precision and recall that any rank of the ranking reaches.

    Returns float64 (n_groups,) in [0, 1]: the maximum over ranks of (1 + beta^2) * P * R / (beta^2 * P + R), P and R precision
    and recall at the rank, which is (1 + beta^2) * j / (beta^2 * R + rank_j) at the j-th relevant document, R now their number in
    the qrels. 0 where no relevant document is retrieved.
    """
    hits = ranked.relevant(rel)
    weight = beta**2
    values = (1.0 + weight) * hits.ordinal / (weight * ranked.num_rel(rel)[hits.group] + hits.rank)
    return group_maxima(hits.group, values, ranked.n_groups)


MEASURES = (
    Definition(
        "GAP",
        graded_average_precision,
        "graded",
        "Robertson, Kanoulas and Yilmaz, 2010",
        (OPTIONAL_CUTOFF,),
        over="k",
        oracles=("second implementation",),
        recall_base=True,
    ),
    Definition(
        "APret",
        average_precision_of_retrieved,
        "binary",
        "Buckley and Voorhees, 2000",
        (RELEVANCE_LEVEL, OPTIONAL_CUTOFF),
        over="k",
        oracles=("second implementation", "worked example"),
    ),
    Definition(
        "MaxF",
        maximal_f,
        "binary",
        "van Rijsbergen, 1979",
        (RELEVANCE_LEVEL, BETA),
        oracles=("second implementation",),
        recall_base=True,
    ),
)
