"""MaxMean: the runs are the arms of a bandit, and the run with the highest share of relevant documents is followed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pooling.core.strategies.adaptive.arms import Arms
from pooling.core.strategies.adaptive.lists import Remaining
from pooling.core.strategies.adaptive.policy import Policy, base_of_run
from pooling.core.strategies.adaptive.start import adaptive_strategy
from pooling.core.strategies.parameters import Choice as OneOf
from pooling.core.strategies.parameters import Parameters

LAST = "last"


class MaxMean:
    """Each run s has a = 1 + relevant and b = 1 + non-relevant among its pulls; the largest a / (a + b) is pulled next.

    A pull takes the run's first document that is not taken yet; documents that are taken already cost nothing and count
    nothing. The base counts as pulls of each run through its first `depth` documents. With the memory "last" only the last
    pull counts: a run stands at 2/3 after a relevant document, at 1/3 after another. Ties by the number of the step.

    Sources: Losada, Parapar and Barreiro, "Feeling lucky? Multi-armed bandits for ordering judgements in pooling-based
    evaluation" (SAC 2016); "Multi-armed bandits for adjudicating documents in pooling-based evaluation of information
    retrieval systems" (IPM 2017).
    """

    def __init__(self, remaining: Remaining, parameters: Parameters, base: Mapping[int, bool]) -> None:
        rows = remaining.lists.rows
        self._last_only = parameters["memory"] == LAST
        self._pulls = [[1, 1] for _ in rows]
        self._arms = Arms(remaining, np.full(len(rows), 0.5))
        for run, row in enumerate(rows):
            for relevant in base_of_run(row, parameters["depth"], base):
                self._count(run, relevant)

    def learn(self, run: int, document: int, relevant: bool) -> None:
        self._count(run, relevant)

    def choose(self, number: float) -> tuple[int, int] | None:
        return self._arms.best(number)

    def _count(self, run: int, relevant: bool) -> None:
        if self._last_only:
            self._pulls[run] = [1, 1]
        pulls = self._pulls[run]
        pulls[not relevant] += 1
        self._arms.values[run] = pulls[0] / (pulls[0] + pulls[1])


STRATEGY = adaptive_strategy(
    name="maxmean",
    label="MaxMean bandit",
    purpose="To find most relevant documents for the least judging, with a random control sample beside them.",
    policy=Policy("maxmean", MaxMean),
    follows="the run whose documents were relevant most often so far",
    own=(
        OneOf(
            name="memory",
            label="Memory",
            choices={"all": "all judgments of a run count", LAST: "only the last one counts (non-stationary)"},
            default="all",
            help="By what a run is preferred. Only the last judgment: a run is followed until it fails.",
        ),
    ),
)
