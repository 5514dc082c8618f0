"""Measures for incomplete judgments: unjudged documents are left out of the comparison, or counted."""

import numpy as np

from evaluation.arrays import FloatArray, IntArray, counts_so_far, group_sums, ratio
from evaluation.measures.declaration import CUTOFF, RELEVANCE_LEVEL, Definition
from evaluation.ranked_run import RankedRun


def binary_preference(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Measure how seldom judged non-relevant documents stand above relevant ones.

    Returns float64 (n_groups,) in [0, 1]: (1/R) * sum over the relevant retrieved documents of
    1 - min(n, R) / min(N, R), n the judged non-relevant documents (0 <= grade < rel) ranked above, N those in the qrels;
    the term is 1 where n = 0. Documents outside the qrels or of negative grade are passed over. 0 where R = 0.
    """
    judged = ranked.judged_only()
    relevant = judged.grade >= rel
    above = counts_so_far(judged.group, ~relevant, ranked.n_groups)[relevant]
    group = judged.group[relevant]

    num_rel = ranked.num_rel(rel)
    most = np.minimum(ranked.judgments.num_nonrel(rel)[ranked.topic], num_rel)
    terms = 1.0 - ratio(np.minimum(above, num_rel[group]), most[group])
    return ratio(group_sums(group, terms, ranked.n_groups), num_rel)


def judged_share(ranked: RankedRun, k: IntArray) -> FloatArray:
    """Give the share of judged documents among the first k retrieved.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: |grade >= 0 with rank <= k| / min(k, number retrieved); a short
    ranking is measured over its own length. 0 where nothing is retrieved.
    """
    return ratio(ranked.relevant_to_cutoffs(0, k), np.minimum(ranked.num_ret, k[:, np.newaxis]))


MEASURES = (
    Definition(
        "bpref", binary_preference, "binary", "Buckley and Voorhees, 2004", (RELEVANCE_LEVEL,), aliases=("Bpref",)
    ),
    Definition("Judged", judged_share, "set", "practice of TREC overviews; no single source", (CUTOFF,), over="k"),
)
