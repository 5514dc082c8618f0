"""Measures made of a model of the person who reads the ranking: how likely it is that a rank is looked at.

The gain of a document is its grade over the highest one, max_rel; a grade above that counts as max_rel, and a negative
grade or an unjudged document gains nothing. A value is the gain that the person can expect from each document seen.
"""

from dataclasses import replace

import numpy as np

from evaluation.engine.arrays import (
    NO_CUTOFF,
    FloatArray,
    IntArray,
    accumulate_within_groups,
    by_number,
    group_starts,
    group_sums,
    ratio,
    sums_to_cutoffs,
)
from evaluation.engine.gains import GradedHits, graded_hits, log2_discount
from evaluation.engine.measures.browsing import (
    expected_gain,
    from_the_one_above,
    hits_to,
    ones,
    patience,
    powers,
    reciprocals,
)
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.parameters import CUTOFF, OPTIONAL_CUTOFF, RELEVANCE_LEVEL, Parameter
from evaluation.engine.ranked_run import RankedRun

LONGEST = 10_000
MAX_REL = Parameter("max_rel", int, "highest grade of the scale", required=True, minimum=1, maximum=1000, example="4")
OPTIONAL_MAX_REL = replace(MAX_REL, meaning="highest grade of the scale; without it gains are 0 or 1", required=False)
RANKS = replace(CUTOFF, maximum=LONGEST)
DEPTH = Parameter("depth", int, "how many ranks there are to read", default=1000, minimum=1, maximum=LONGEST)
PERSISTENCE = Parameter("p", float, "probability of going on to the next document", default=0.8, minimum=0, maximum=1)
GOAL = Parameter("T", float, "gain that the person wants in all", default=1.0, minimum=0.5, maximum=1e6)


def persistence_weights(rank: IntArray, p: float) -> FloatArray:
    """Give (1 - p) * p^(rank - 1), the share of all documents seen that rank is: float64, shape of `rank`."""
    return (1.0 - p) * by_number(powers(p), rank)


def rank_biased_precision(
    ranked: RankedRun, k: IntArray, p: float = 0.8, rel: int = 1, max_rel: int | None = None
) -> FloatArray:
    """Expect the gain per document seen by a person who goes on from each document to the next with probability p.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (1 - p) * sum of gain * p^(r - 1) over the ranks r <= k. Without
    max_rel the gain is 1 for a grade >= rel, else 0; with max_rel it is min(grade, max_rel) / max_rel, for a grade >= rel.
    The sum is never scaled up to what the length of the ranking admits. 0 where nothing relevant is retrieved.
    """
    if max_rel is None:
        relevant = ranked.relevant(rel)
        weights = persistence_weights(relevant.rank, p)
        return sums_to_cutoffs(relevant.group, relevant.rank, weights, k, ranked.n_groups)
    hits = graded_hits(ranked)
    gains = np.where(hits.grade >= rel, np.minimum(hits.grade, max_rel) / max_rel, 0.0)
    return sums_to_cutoffs(hits.group, hits.rank, gains * persistence_weights(hits.rank, p), k, ranked.n_groups)


def rank_biased_residual(ranked: RankedRun, k: IntArray, p: float = 0.8) -> FloatArray:
    """Say how much rank-biased precision could still grow: were all unjudged documents and all below the last relevant.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: 1 - (1 - p) * sum of p^(r - 1) over the ranks r <= k of judged documents
    (grade >= 0): the weight of the unjudged documents plus p^min(k, number retrieved) for the tail. RBP + RBP_residual is
    the upper bound of RBP. 0 where nothing is retrieved, since such a topic counts 0 for certain.
    """
    judged = ranked.relevant(0)
    weights = persistence_weights(judged.rank, p)
    known = sums_to_cutoffs(judged.group, judged.rank, weights, k, ranked.n_groups)
    return np.where(ranked.num_ret > 0, 1.0 - known, 0.0)


def scaled_dcg(ranked: RankedRun, k: IntArray, max_rel: int) -> FloatArray:
    """Compare the discounted gain with that of k documents of the highest grade, whether there are so many or not.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: sum of gain / log2(r + 1) over the ranks r <= k / sum of 1 / log2(r + 1)
    over all ranks r <= k, gain = min(grade, max_rel) / max_rel. 0 where nothing relevant is retrieved.
    """
    return expected_gain(ranked, k, max_rel, log2_discount, satisfiable=False)


def insq(ranked: RankedRun, T: float = 1.0, *, max_rel: int, depth: int = 1000) -> FloatArray:  # noqa: N803
    """Expect the gain per document seen by a person who goes on the more readily, the larger the gain T that they aim at.

    Returns float64 (n_groups,) in [0, 1]: sum of w(r) * gain over the ranks r <= depth / sum of w(r) over all ranks
    r <= depth, w(r) = (2T / (r + 2T - 1))^2, gain = min(grade, max_rel) / max_rel. From rank r the person goes on with
    probability ((r + 2T - 1) / (r + 2T))^2, as far as depth, however short the ranking is. 0 where nothing relevant is
    retrieved.
    """
    values: FloatArray = expected_gain(ranked, np.array([depth]), max_rel, patience(T), satisfiable=False)[0]
    return values


def nerr8(ranked: RankedRun, k: IntArray, max_rel: int) -> FloatArray:
    """Expect the gain per document seen by a person who stops at a document with its gain as probability, or at rank k.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: sum of v(r) * gain(r) / sum of v(r) over all ranks r <= k, v(r) = product
    over the ranks i < r of (1 - gain(i)), gain = min(grade, max_rel) / max_rel. 0 where nothing relevant is retrieved.
    """
    return expected_gain(ranked, k, max_rel, ones, satisfiable=True)


def nerr9(ranked: RankedRun, k: IntArray, max_rel: int) -> FloatArray:
    """Expect the gain per document seen by a person who stops as for NERR8, and besides tires as 1/rank falls.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: sum of v(r) * gain(r) / sum of v(r) over all ranks r <= k, v(r) = (1/r) *
    product over the ranks i < r of (1 - gain(i)), gain = min(grade, max_rel) / max_rel. 0 where nothing relevant is
    retrieved.
    """
    return expected_gain(ranked, k, max_rel, reciprocals, satisfiable=True)


def nerr10(ranked: RankedRun, p: float = 0.9, *, max_rel: int, depth: int = 1000) -> FloatArray:
    """Expect the gain per document seen by a person who stops as for NERR8, and else goes on with probability p.

    Returns float64 (n_groups,) in [0, 1]: sum of v(r) * gain(r) / sum of v(r) over all ranks r <= depth, v(r) = p^(r - 1) *
    product over the ranks i < r of (1 - gain(i)), gain = min(grade, max_rel) / max_rel. 0 where nothing relevant is
    retrieved.
    """
    values: FloatArray = expected_gain(ranked, np.array([depth]), max_rel, powers(p), satisfiable=True)[0]
    return values


def nerr11(ranked: RankedRun, T: float = 1.0, *, max_rel: int, depth: int = 1000) -> FloatArray:  # noqa: N803
    """Expect the gain per document seen by a person who stops as for NERR8, and else goes on as for INSQ.

    Returns float64 (n_groups,) in [0, 1]: sum of v(r) * gain(r) / sum of v(r) over all ranks r <= depth, v(r) =
    (2T / (r + 2T - 1))^2 * product over the ranks i < r of (1 - gain(i)), gain = min(grade, max_rel) / max_rel. 0 where
    nothing relevant is retrieved.
    """
    values: FloatArray = expected_gain(ranked, np.array([depth]), max_rel, patience(T), satisfiable=True)[0]
    return values


def bejeweled_player(ranked: RankedRun, k: IntArray, T: float = 1.0, *, max_rel: int) -> FloatArray:  # noqa: N803
    """Give the gain per document seen by a person who reads until the gain T is reached, or to rank k.

    Returns float64 (n_cutoffs, n_groups) in [0, 1]: (sum of gain over the ranks r <= s) / s, s the smaller of k and the first
    rank with sum of gain >= T, gain = min(grade, max_rel) / max_rel. A ranking that ends earlier is read on to rank k in
    vain. 0 where nothing relevant is retrieved.
    """
    hits = graded_hits(ranked)
    grade = np.minimum(hits.grade, max_rel)
    enough = _grades_so_far(hits, grade, ranked.n_groups) / max_rel >= T
    satisfied = np.full(ranked.n_groups, NO_CUTOFF)
    np.minimum.at(satisfied, hits.group[enough], hits.rank[enough])
    if T <= 0.0:
        satisfied[:] = 1
    seen = hits.rank <= satisfied[hits.group]
    gains = sums_to_cutoffs(hits.group[seen], hits.rank[seen], grade[seen] / max_rel, k, ranked.n_groups)
    return ratio(gains, np.minimum(satisfied, k[:, np.newaxis]))


def inst(ranked: RankedRun, T: float = 1.0, *, max_rel: int, depth: int = 1000) -> FloatArray:  # noqa: N803
    """Expect the gain per document seen by a person who stops the sooner, the more of the gain T that they aim at is collected.

    Returns float64 (n_groups,) in [0, 1]: sum of v(r) * gain(r) / sum of v(r) over all ranks r <= depth, v(r) = product over
    the ranks i < r of ((i + T + t(i) - 1) / (i + T + t(i)))^2, t(i) = T - sum of gain over the ranks down to i, gain =
    min(grade, max_rel) / max_rel. The person reads as far as depth, however short the ranking is. 0 where nothing
    relevant is retrieved.
    """
    # Between two relevant documents t stays as it is, and the product comes down to scale / (r + T + t - 1)^2. The bases of
    # these squares lie on one grid, 2T + place / max_rel, so that a sum over ranks is a difference of sums on the grid.
    hits = hits_to(ranked, depth)
    grade = np.minimum(hits.grade, max_rel)
    grades_so_far = _grades_so_far(hits, grade, ranked.n_groups)
    place = max_rel * (hits.rank - 1) - grades_so_far
    before, after = (2.0 * T + places / max_rel for places in (place + grade, place))
    scale = accumulate_within_groups(np.multiply, hits.group, (after / before) ** 2, ranked.n_groups)
    scale_above = from_the_one_above(hits.group, scale)
    gains = group_sums(hits.group, grade / max_rel * scale_above / before**2, ranked.n_groups)

    summed = _sums_on_grid(T, max_rel, depth)
    ends_and_starts = scale_above * summed[place + grade + max_rel] - scale * summed[place + max_rel]
    last_scale = np.ones(ranked.n_groups)
    last_scale[hits.group] = scale
    last_place = max_rel * depth - group_sums(hits.group, grade.astype(np.float64), ranked.n_groups).astype(np.int64)
    seen = group_sums(hits.group, ends_and_starts, ranked.n_groups) + last_scale * summed[last_place]
    return gains / seen


def _sums_on_grid(T: float, max_rel: int, depth: int) -> FloatArray:  # noqa: N803
    """Sum (2T + place / max_rel)^-2 over place, place - max_rel, place - 2 max_rel, ... from 0.

    Returns float64 (max_rel * (depth + 1),); the sum of a place, which is from -max_rel, is at place + max_rel.
    """
    grid = np.zeros((depth + 1, max_rel))
    grid[1:] = (2.0 * T + np.arange(max_rel * depth).reshape(depth, max_rel) / max_rel) ** -2.0
    summed: FloatArray = np.cumsum(grid, axis=0).ravel()
    return summed


def _grades_so_far(hits: GradedHits, grade: IntArray, n_groups: int) -> IntArray:
    """Add up the grades of the own group down to each of the hits: int64 (n_hits,)."""
    so_far = np.concatenate(([0], np.cumsum(grade)))
    return so_far[1:] - so_far[group_starts(hits.group, n_groups)][hits.group]


MEASURES = (
    Definition(
        "RBP",
        rank_biased_precision,
        "graded",
        "Moffat and Zobel, 2008",
        (PERSISTENCE, RELEVANCE_LEVEL, OPTIONAL_MAX_REL, OPTIONAL_CUTOFF),
        over="k",
        oracles=("ntcireval", "cwl_eval", "second implementation", "worked example"),
    ),
    Definition(
        "RBP_residual",
        rank_biased_residual,
        "graded",
        "Moffat and Zobel, 2008",
        (PERSISTENCE, OPTIONAL_CUTOFF),
        over="k",
        lower_is_better=True,
        oracles=("cwl_eval", "second implementation", "worked example"),
        tells="judged",
        missed="left out",
    ),
    Definition(
        "INST",
        inst,
        "graded",
        "Moffat et al., 2015; as in cwl_eval",
        (GOAL, MAX_REL, DEPTH),
        oracles=("cwl_eval", "second implementation"),
    ),
    Definition(
        "INSQ", insq, "graded", "Moffat et al., 2012; as in cwl_eval", (GOAL, MAX_REL, DEPTH), oracles=("cwl_eval",)
    ),
    Definition(
        "BPM",
        bejeweled_player,
        "graded",
        "Zhang et al., 2017 (the static model)",
        (replace(GOAL, minimum=0), MAX_REL, CUTOFF),
        over="k",
        oracles=("cwl_eval",),
    ),
    Definition(
        "SDCG",
        scaled_dcg,
        "graded",
        "Azzopardi et al., 2019 (cwl_eval)",
        (MAX_REL, RANKS),
        over="k",
        oracles=("cwl_eval",),
    ),
    Definition(
        "NERR8",
        nerr8,
        "graded",
        "Azzopardi et al., 2021, equation 8",
        (MAX_REL, RANKS),
        over="k",
        oracles=("cwl_eval",),
    ),
    Definition(
        "NERR9",
        nerr9,
        "graded",
        "Azzopardi et al., 2021, equation 9",
        (MAX_REL, RANKS),
        over="k",
        oracles=("cwl_eval",),
    ),
    Definition(
        "NERR10",
        nerr10,
        "graded",
        "Azzopardi et al., 2021, equation 10",
        (replace(PERSISTENCE, default=0.9), MAX_REL, DEPTH),
        oracles=("cwl_eval",),
    ),
    Definition(
        "NERR11", nerr11, "graded", "Azzopardi et al., 2021, equation 11", (GOAL, MAX_REL, DEPTH), oracles=("cwl_eval",)
    ),
)
