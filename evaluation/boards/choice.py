"""What the organiser of a task chooses for its board: the test, its correction, and which runs are compared."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

ALL_PAIRS: Final = "all pairs"
BASELINE: Final = "baseline"
BEST_OF_TEAMS: Final = "best of teams"
FAMILIES: Final = {
    ALL_PAIRS: "all pairs of runs",
    BASELINE: "every run against the baseline",
    BEST_OF_TEAMS: "all pairs of the best runs of teams",
}
"""Which runs are compared, and in words."""

FAMILY_WISE: Final = ("bonferroni", "holm")
"""Corrections after which the probability of any wrong rejection is at most 1 - level."""


@dataclass(frozen=True, slots=True)
class Choice:
    """`baseline`: the tag of the run that others are marked against; empty for none.

    `named_before_scores`: whether the baseline was chosen before the task had any score. `resamples`: None for the test's own.
    """

    test: str = "randomised-tukey"
    correction: str = "none"
    family: str = ALL_PAIRS
    baseline: str = ""
    named_before_scores: bool = False
    level: float = 0.95
    seed: int = 1
    resamples: int | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**data)
