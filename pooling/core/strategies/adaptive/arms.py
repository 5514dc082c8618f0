"""Choose among runs by a value of each: what bandits and move-to-front have in common."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pooling.core.strategies.adaptive.lists import NO_DOCUMENT, Remaining
from pooling.core.strategies.adaptive.policy import NO_RUN, one_of

EXHAUSTED = -np.inf


class Arms:
    """The runs of a topic by `values` (float64, a value per run, larger ones first), which the policy changes."""

    def __init__(self, remaining: Remaining, values: npt.NDArray[np.float64]) -> None:
        self.values = values
        self._remaining = remaining

    def best(self, number: float, other_than: int = NO_RUN) -> tuple[int, int] | None:
        """The first remaining document of the best run that has one, and the run; `number` in [0, 1) decides ties.

        The run `other_than` is only taken where no other is left.
        """
        values = self.values.copy()
        if other_than != NO_RUN:
            values[other_than] = EXHAUSTED
        while (best := values.max(initial=EXHAUSTED)) > EXHAUSTED:
            tied = np.flatnonzero(values == best)
            alive = [run for run in tied.tolist() if self._remaining.next_of(run) != NO_DOCUMENT]
            if alive:
                return self._following(one_of(alive, number))
            self.values[tied] = values[tied] = EXHAUSTED
        return self._following(other_than)

    def _following(self, run: int) -> tuple[int, int] | None:
        document = NO_DOCUMENT if run == NO_RUN else self._remaining.next_of(run)
        return None if document == NO_DOCUMENT else (document, run)
