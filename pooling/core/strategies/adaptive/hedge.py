"""Hedge: the runs are experts, and the document that they recommend most by their weights is next."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from pooling.core.strategies.adaptive.lists import NO_DOCUMENT, Remaining, TopicLists
from pooling.core.strategies.adaptive.policy import NO_RUN, Policy, one_of
from pooling.core.strategies.adaptive.start import adaptive_strategy
from pooling.core.strategies.parameters import Number, Parameters

TIED_WITHIN = 1e-9
"""Scores that differ by less are equal: sums of floats differ in their last bits between platforms."""


class Hedge:
    """Each run s has a weight w_s proportional to beta^L_s; the largest sum over s of w_s m(s, d) is next.

    m(s, d) = ln(Z / r) / 2 is what s stakes on its document d at position r, of Z documents in the topic. The Z - n documents
    that a run of n documents lacks would stand at its positions n + 1 to Z: each has the mean of m over these. L_s is the sum
    over what was judged of -m(s, d) where d is relevant and m(s, d) where not, base included, so the weight of a run
    grows with relevant documents near its top. A choice is that of the largest expected loss, were it not relevant. Ties
    by the number of the step.

    Sources: Freund and Schapire (1997) for the algorithm; Aslam, Pavlu and Savell, "A unified model for metasearch, pooling,
    and system evaluation" (CIKM 2003) for the loss.
    """

    def __init__(self, remaining: Remaining, parameters: Parameters, base: Mapping[int, bool]) -> None:
        self._taken = np.frombuffer(remaining.taken, dtype=np.bool_)
        self._log_beta = np.log(parameters["beta"])
        self._staked = np.ascontiguousarray(stakes(remaining.lists).T)
        self._losses = np.zeros(len(remaining.lists.rows))
        for document in sorted(base):
            self.learn(NO_RUN, document, base[document])

    def learn(self, run: int, document: int, relevant: bool) -> None:
        if relevant:
            self._losses -= self._staked[document]
        else:
            self._losses += self._staked[document]

    def choose(self, number: float) -> tuple[int, int] | None:
        if self._taken.all():
            return None
        weights = np.exp((self._losses - self._losses.min()) * self._log_beta)
        scores = self._staked @ (weights / weights.sum())
        scores[self._taken] = -1.0
        return one_of(np.flatnonzero(scores >= scores.max() - TIED_WITHIN).tolist(), number), NO_RUN


def stakes(lists: TopicLists) -> npt.NDArray[np.float64]:
    """m(s, d) of `Hedge` as float64 (runs, documents), each at least 0.

    >>> lists = TopicLists("1", ("a", "b", "c"), np.array([[2, 0], [1, -1]], dtype=np.int32))
    >>> np.exp(2 * stakes(lists)).round(3).tolist()
    [[1.5, 1.0, 3.0], [1.225, 3.0, 1.225]]
    """
    documents = len(lists.reachable)
    at_rank = np.log(documents / np.arange(1, documents + 1)) / 2
    below = np.concatenate([at_rank[::-1].cumsum()[::-1], [0.0]])
    held = lists.rankings != NO_DOCUMENT
    lengths = held.sum(axis=1)
    mean = below[lengths] / np.maximum(documents - lengths, 1)
    staked = np.repeat(mean[:, None], len(lists.docnos), axis=1)
    run, position = np.nonzero(held)
    staked[run, lists.rankings[held]] = at_rank[position]
    return staked


STRATEGY = adaptive_strategy(
    name="hedge",
    label="Hedge",
    purpose="To find relevant documents soon where runs differ much: runs that bring them gain weight.",
    policy=Policy("hedge", Hedge),
    follows="the top of the runs, weighted by what was relevant of their documents",
    own=(
        Number(
            name="beta",
            label="Beta",
            low=0.001,
            high=0.999,
            default=0.9,
            help="The weight of a run is beta to the power of its loss: the smaller, the faster runs without relevant documents "
            "lose their say.",
        ),
    ),
)
