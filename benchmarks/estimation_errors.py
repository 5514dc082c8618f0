"""How far estimates are from the truth: one row for each estimator and number of relevant documents."""

from dataclasses import dataclass, field

import numpy as np

from benchmarks.made_up_collections import Setting
from evaluation.engine.arrays import BoolArray, FloatArray

RELEVANT = (5, 20, 80)
ESTIMATES = {"infAP": "AP", "xinfAP": "AP", "infNDCG": "nDCG", "statAP": "AP", "statP@10": "P@10"}
RATIOS = ("xinfAP", "statAP")
"""Those that divide an estimated sum by the estimated number of relevant documents."""
OF_SINGLE_RUNS = ("xinfAP", "infNDCG", "statAP")


@dataclass
class Row:
    """Of one estimator, one number a seed: judgments a topic; the mean truth, error and squared error over runs and topics.

    `with_relevant`: the mean error over the topics in whose sample a document is relevant. `undivided`: the mean error if
    the estimated sum were divided by the true number of relevant documents; empty for others than `RATIOS`.
    """

    setting: Setting
    relevant: int
    measure: str
    costs: list[float] = field(default_factory=list)
    truths: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    with_relevant: list[float] = field(default_factory=list)
    undivided: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)

    def add(self, estimate: "Estimate", truth: FloatArray) -> None:
        error = estimate.values - truth
        self.costs.append(estimate.judged)
        self.truths.append(float(truth.mean()))
        self.errors.append(float(error.mean()))
        self.with_relevant.append(float(error[:, estimate.has_relevant].mean()))
        self.squares.append(float((error**2).mean()))
        if self.measure in RATIOS:
            weighed, relevant = estimate.values * estimate.estimated_relevant, estimate.relevant
            known = np.divide(weighed, relevant, out=np.zeros_like(weighed), where=relevant > 0)
            self.undivided.append(float((known - truth).mean()))

    @property
    def judged(self) -> float:
        return float(np.mean(self.costs))

    @property
    def truth(self) -> float:
        return float(np.mean(self.truths))

    @property
    def bias(self) -> tuple[float, float]:
        return mean_and_margin(self.errors)

    @property
    def bias_with_relevant(self) -> tuple[float, float]:
        return mean_and_margin(self.with_relevant)

    @property
    def bias_undivided(self) -> tuple[float, float] | None:
        return mean_and_margin(self.undivided) if self.undivided else None

    @property
    def root_mean_square(self) -> float:
        return float(np.sqrt(np.mean(self.squares)))


@dataclass(frozen=True)
class Estimate:
    """`values`: runs x topics. `judged`: documents a topic. By topic `relevant` and `estimated_relevant` documents."""

    measure: str
    judged: float
    values: FloatArray
    relevant: FloatArray
    estimated_relevant: FloatArray

    @property
    def has_relevant(self) -> BoolArray:
        """Topics in whose sample a document is relevant."""
        found: BoolArray = self.estimated_relevant > 0
        return found


def mean_and_margin(values: list[float]) -> tuple[float, float]:
    """The mean, and half of its 95 % interval: seeds are independent."""
    return float(np.mean(values)), float(1.96 * np.std(values, ddof=1) / np.sqrt(len(values)))
