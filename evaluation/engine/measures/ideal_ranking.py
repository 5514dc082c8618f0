"""Measures of agreement with an ideal ranking."""

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, group_sums, positions_within_groups, ratio
from evaluation.engine.gains import GradedHits, graded_hits
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.parameters import Parameter
from evaluation.engine.ranked_run import RankedRun

PERSISTENCE = Parameter("p", float, "probability of going on to the next rank", default=0.95, minimum=0, maximum=1)
NORMALIZE = Parameter("normalize", bool, "divide by the agreement of the ideal ranking with itself", default=True)


def compatibility(ranked: RankedRun, p: float = 0.95, normalize: bool = True) -> FloatArray:
    """Measure how much the ranking agrees with the ideal one that comes nearest to it, the more the higher up.

    Returns float64 (n_groups,) in [0, 1]: RBO(ranking, ideal) / RBO(ideal, ideal), or without normalize its numerator;
    RBO = sum of p^(i - 1) * |documents in the first i ranks of both| / i over the ranks i <= n / sum of p^(i - 1) over the
    same, n the larger of the numbers of documents retrieved and in the ideal ranking. The ideal ranking has all documents
    of grade > 0 by grade, best first; of equal grade the retrieved come first, by rank. 0 where there is none.
    """
    # A document is in both from the later of its two ranks on, and adds the terms p^(i - 1) / i from there to n.
    hits = graded_hits(ranked)
    num_rel = ranked.num_rel(1)
    depth = np.maximum(ranked.num_ret, num_rel)
    ranks = np.arange(1, int(depth.max(initial=0)) + 1)
    weight = np.power(p, ranks - 1.0)
    terms, weights = (np.concatenate(([0.0], np.cumsum(values))) for values in (weight / ranks, weight))
    in_both_from = np.maximum(hits.rank, _ideal_ranks(ranked, hits))
    agreement = group_sums(hits.group, terms[depth[hits.group]] - terms[in_both_from - 1], ranked.n_groups)
    if not normalize:
        return ratio(agreement, weights[depth])
    with_itself = num_rel * terms[depth] - np.concatenate(([0.0], np.cumsum(terms)))[num_rel]
    return ratio(agreement, with_itself)


def _ideal_ranks(ranked: RankedRun, hits: GradedHits) -> IntArray:
    """Give the rank of each retrieved document in the ideal ranking: int64 (n_hits,)."""
    ranks = np.empty(len(hits.rank), dtype=np.int64)
    for grade in np.unique(hits.grade).tolist():
        of_grade = np.flatnonzero(hits.grade == grade)
        group = hits.group[of_grade]
        ranks[of_grade] = ranked.num_rel(grade + 1)[group] + positions_within_groups(group, ranked.n_groups)
    return ranks


MEASURES = (
    Definition(
        "Compat",
        compatibility,
        "graded",
        "Clarke et al., 2020",
        (PERSISTENCE, NORMALIZE),
        aliases=("compatibility",),
        oracles=("ir_measures",),
        recall_base=True,
    ),
)
