"""Move-to-front: a run is followed as long as its documents are relevant, then another one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pooling.core.strategies.adaptive.arms import Arms
from pooling.core.strategies.adaptive.lists import NO_DOCUMENT, Remaining
from pooling.core.strategies.adaptive.policy import NO_RUN, Policy, base_of_run
from pooling.core.strategies.adaptive.start import adaptive_strategy
from pooling.core.strategies.parameters import Parameters


class MoveToFront:
    """All runs have the same priority at first. After a relevant document the run is followed on; after another its priority
    falls by 1, and the run with the highest priority among the others is next. Ties by the number of the step.

    A run gives its first document that is not taken yet; a run without one leaves. The base counts as if each run had been
    followed through its first `depth` documents: its priority starts at minus the number of those that are not relevant.

    Source: Cormack, Palmer and Clarke, "Efficient construction of large test collections" (SIGIR 1998).
    """

    def __init__(self, remaining: Remaining, parameters: Parameters, base: Mapping[int, bool]) -> None:
        depth = parameters["depth"]
        failed = [base_of_run(row, depth, base).count(False) for row in remaining.lists.rows]
        self._remaining = remaining
        self._arms = Arms(remaining, -np.array(failed, dtype=np.float64))
        self._followed, self._moved_on = NO_RUN, True

    def learn(self, run: int, document: int, relevant: bool) -> None:
        self._followed, self._moved_on = run, not relevant
        if not relevant:
            self._arms.values[run] -= 1

    def choose(self, number: float) -> tuple[int, int] | None:
        if not self._moved_on:
            document = self._remaining.next_of(self._followed)
            if document != NO_DOCUMENT:
                return document, self._followed
        return self._arms.best(number, other_than=self._followed)


STRATEGY = adaptive_strategy(
    name="mtf",
    label="move-to-front",
    purpose="To find relevant documents soon by staying with the run that brings them.",
    policy=Policy("mtf", MoveToFront),
    follows="the run that was followed last as long as its documents are relevant, then from the best of the others",
)
