"""Parameters with which each strategy costs about as many judgments as asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from evaluation.engine.arrays import IntArray
from pooling.core.strategies.declaration import Strategy
from pooling.core.strategies.parameters import Choice, Parameters

REACH = 100
"""How many first documents of each run can be pooled by strategies that rank or choose documents."""
CONTROL_PART = 0.1
STRATA, RATE_STEP = 4, 5.0


@dataclass(frozen=True, eq=False)
class Sizes:
    """`within`: int64 (n_topics, n_depths), the documents of each topic whose best position is at most 1, 2, ..."""

    within: IntArray

    @classmethod
    def of(cls, documents: pl.DataFrame, topics: int, depth: int) -> Sizes:
        """From topic (Enum) and best_position of documents.

        >>> held = pl.DataFrame({"topic": ["1", "1", "2"], "best_position": [1, 3, 1]})
        >>> Sizes.of(held.cast({"topic": pl.Enum(["1", "2"])}), topics=2, depth=3).within.tolist()
        [[1, 1, 2], [1, 1, 1]]
        """
        shallow = documents.filter(pl.col("best_position") <= depth)
        counts = np.zeros((topics, depth), dtype=np.int64)
        places = shallow["topic"].to_physical().to_numpy().astype(np.int64), shallow["best_position"].to_numpy() - 1
        np.add.at(counts, places, 1)
        return cls(np.cumsum(counts, axis=1))

    def total(self, depth: int) -> int:
        return int(self.at(depth).sum())

    def at(self, depth: int) -> IntArray:
        counts: IntArray = self.within[:, min(depth, self.within.shape[1]) - 1]
        return counts

    def depth_for(self, cost: float) -> int:
        """The largest depth whose pools cost at most that; 1 at least."""
        return max(1, int(np.searchsorted(self.within.sum(axis=0), cost, side="right")))

    def size_for(self, cost: float, depth: int) -> int:
        """The largest number of documents for each topic of pools of this depth that costs at most that; 1 at least."""
        counts = np.sort(self.at(depth))
        sizes = np.arange(1, int(counts.max(initial=1)) + 1)
        below = np.searchsorted(counts, sizes, side="left")
        held = np.concatenate(([0], np.cumsum(counts)))
        costs = held[below] + sizes * (len(counts) - below)
        return max(1, int(np.searchsorted(costs, cost, side="right")))


@dataclass(frozen=True)
class Contestant:
    """A strategy, and what sets it apart from others of its name."""

    strategy: Strategy
    settings: Parameters

    @property
    def label(self) -> str:
        own = [f"{name}={value}" for name, value in self.settings.items()]
        return " ".join([self.strategy.name, *own])


def contestants(strategies: list[Strategy]) -> list[Contestant]:
    """Each strategy once for each value of a parameter that chooses among ways, as the memory of a bandit."""
    found = []
    for strategy in strategies:
        choice = next((parameter for parameter in strategy.parameters if isinstance(parameter, Choice)), None)
        ways: list[dict[str, Any]] = [{choice.name: way} for way in choice.choices] if choice else [{}]
        found += [Contestant(strategy, way) for way in ways]
    return found


def parameters_for(contestant: Contestant, sizes: Sizes, cost: float, depth: int) -> dict[str, Any] | None:
    """The parameters of the contestant for about this cost; None for a strategy without a parameter that says what it costs.

    depth: that of the pool which is the measure of cost: a plain random sample is one of that pool.
    """
    strategy = contestant.strategy
    given = {**strategy.defaults, **contestant.settings}
    if strategy.policy is not None:
        return given | _adaptive(sizes, cost, given)
    if "total" in given:
        return given | {"total": int(cost)}
    if "rates" in given:
        return given | {"rates": rates_for(sizes, cost, REACH)}
    if "size" in given:
        reach = depth if strategy.sampling == "stratum" else REACH
        return given | {"size": sizes.size_for(cost, reach), **({"depth": reach} if "depth" in given else {})}
    return given | {"depth": sizes.depth_for(cost)} if "depth" in given else None


def rates_for(sizes: Sizes, cost: float, reach: int) -> tuple[tuple[int, float], ...]:
    """Three strata: half of the cost for the first positions, all judged; the next three times as many positions at a rate;
    the rest, to `reach`, at a fifth of that rate.
    """
    whole = sizes.depth_for(cost / 2)
    middle = min(STRATA * whole, reach)
    if middle >= reach:
        return ((whole, 1.0), (reach, 1.0)) if whole < reach else ((reach, 1.0),)
    next_ones, rest = (sizes.total(middle) - sizes.total(whole), sizes.total(reach) - sizes.total(middle))
    rate = (cost - sizes.total(whole)) / max(next_ones + rest / RATE_STEP, 1)
    rate = round(float(np.clip(rate, 0.01, 1.0)), 3)
    return (whole, 1.0), (middle, rate), (reach, round(rate / RATE_STEP, 3))


def _adaptive(sizes: Sizes, cost: float, given: Parameters) -> dict[str, Any]:
    """A tenth of each topic's judgments for the control sample, at most half of them for the base."""
    size = sizes.size_for(cost, REACH)
    control = max(1, round(size * CONTROL_PART))
    largest = sizes.within.max(axis=0)
    depth = int(np.searchsorted(largest, size - control, side="right"))
    depth = max(1, min(depth, sizes.depth_for(cost / 2)))
    size = max(size, int(largest[depth - 1]) + control)  # a topic may hold more first documents than the cost allows
    return {"candidates": REACH, "size": size, "control": control, "depth": depth, "least": 0, "patience": 0}
