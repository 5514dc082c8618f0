"""The person who reads a ranking from the top: how likely it is that a rank is looked at."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, accumulate_within_groups, sums_to_cutoffs
from evaluation.engine.gains import GradedHits, graded_hits
from evaluation.engine.ranked_run import RankedRun

Weights: TypeAlias = Callable[[IntArray], FloatArray]
"""From ranks to how likely each is looked at, but for a constant factor: float64, shape of the ranks."""


def powers(p: float) -> Weights:
    """Weigh ranks by p^(rank - 1): the person goes on to the next rank with probability p."""

    def weights(rank: IntArray) -> FloatArray:
        weight: FloatArray = np.power(p, rank - 1.0)
        return weight

    return weights


def patience(goal: float) -> Weights:
    """Weigh ranks by (2 goal / (rank + 2 goal - 1))^2: the higher the goal, the longer the person reads."""

    def weights(rank: IntArray) -> FloatArray:
        weight: FloatArray = np.square(2.0 * goal / (rank + (2.0 * goal - 1.0)))
        return weight

    return weights


def reciprocals(rank: IntArray) -> FloatArray:
    return 1.0 / rank


def ones(rank: IntArray) -> FloatArray:
    return np.ones(len(rank))


def hits_to(ranked: RankedRun, depth: int) -> GradedHits:
    """Select the documents of a grade above 0 and of rank <= depth."""
    hits = graded_hits(ranked)
    if hits.rank.max(initial=0) <= depth:
        return hits
    above = hits.rank <= depth
    return GradedHits(hits.group[above], hits.rank[above], hits.grade[above])


def from_the_one_above(group: IntArray, values: FloatArray) -> FloatArray:
    """Give each document the value of the one above it in its group, 1 to the first: float64, shape of `values`."""
    above = np.ones(len(group))
    above[1:] = np.where(group[1:] == group[:-1], values[:-1], 1.0)
    return above


def probability_of_reaching(group: IntArray, stop: FloatArray, n_groups: int) -> FloatArray:
    """Give the probability that a person comes to each document who stops at those above with probability `stop`.

    Documents that nobody stops at may be left out. `group` is ascending; `group`, `stop` and the float64 result have
    shape (n,).
    """
    return from_the_one_above(group, accumulate_within_groups(np.multiply, group, 1.0 - stop, n_groups))


def expected_gain(ranked: RankedRun, k: IntArray, max_rel: int, weights: Weights, *, satisfiable: bool) -> FloatArray:
    """Average the gains of the ranks <= k, weighted by how likely each is looked at: float64 (n_cutoffs, n_groups).

    Who is `satisfiable` stops besides at each document with its gain as probability.
    """
    hits = hits_to(ranked, int(k[-1]))
    of_rank = weights(np.arange(1, k[-1] + 1))
    down_to = np.cumsum(of_rank)
    gains = np.minimum(hits.grade, max_rel) / max_rel

    def sums(values: FloatArray) -> FloatArray:
        return sums_to_cutoffs(hits.group, hits.rank, values, k, ranked.n_groups)

    if not satisfiable:
        return sums(gains * of_rank[hits.rank - 1]) / down_to[k - 1, np.newaxis]
    stopping = gains * probability_of_reaching(hits.group, gains, ranked.n_groups)
    seen_to_the_end = down_to[k - 1, np.newaxis] * (1.0 - sums(stopping))
    seen = seen_to_the_end + sums(stopping * down_to[hits.rank - 1])
    return sums(stopping * of_rank[hits.rank - 1]) / seen
