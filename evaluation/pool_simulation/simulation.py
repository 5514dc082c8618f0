"""All strategies at several costs over several seeds, in a few processes. The result does not depend on their number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import numpy as np
import polars as pl

from evaluation.engine.analyses.tau_interval import tau_interval
from evaluation.pool_simulation.costs import REACH, Contestant, Sizes, contestants, parameters_for
from evaluation.pool_simulation.judged_pools import Judging, Outcome
from evaluation.pool_simulation.known import KnownCollection
from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec

INTERVAL = 0.95


@dataclass(frozen=True)
class Plan:
    """What is simulated: strategies by name, costs as parts of that of a depth-k pool, seeds 1 to n."""

    strategies: tuple[str, ...] = tuple(STRATEGIES)
    depth: int = 20
    costs: tuple[float, ...] = (0.25, 0.5, 1.0)
    seeds: int = 20
    level: int = 1
    processes: int = 2

    @property
    def contestants(self) -> list[Contestant]:
        return contestants([STRATEGIES[name] for name in self.strategies])

    @property
    def reads_scores(self) -> bool:
        return any(STRATEGIES[name].reads_scores for name in self.strategies)


@dataclass(frozen=True, eq=False)
class Collection:
    """What the truth is made from: whole runs, the topics that are judged, and qrels (topic, docno, grade)."""

    runs: Sequence[PooledRun]
    topics: Sequence[str]
    qrels: pl.DataFrame


@dataclass(frozen=True)
class Spread:
    """The mean over the seeds, and the ends between which 95 % of them lie."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread | None:
        """Of values that are numbers; None where there is none.

        >>> Spread.of([0.25, 0.75, float("nan")])
        Spread(mean=0.5, low=0.2625, high=0.7375)
        """
        known = [value for value in values if not math.isnan(value)]
        if not known:
            return None
        low, high = np.quantile(known, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2])
        return cls(float(np.mean(known)), float(low), float(high))


@dataclass(frozen=True)
class Row:
    """A strategy at one cost. `settings`: its parameters as text, those at their defaults left out. `tau_interval`: where the
    tau of seed 1 would lie with as many other topics, None where there is none. `errors`: of the estimated share outside, by
    method. `problem`: why it could not be drawn; then there are no values.
    """

    strategy: str
    cost: float
    settings: dict[str, str]
    judged: Spread | None = None
    found: Spread | None = None
    tau: Spread | None = None
    tau_ap: Spread | None = None
    tau_interval: tuple[float, float] | None = None
    errors: dict[str, Spread] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Simulation:
    """Rows by cost, then in the order of the strategies; and what was simulated. `pairs`: of the pool that costs 100 %.

    reachable: share of the relevant documents that a run holds within its first 100, so that a pool could find them.
    """

    rows: tuple[Row, ...]
    plan: Plan
    runs: int
    topics: int
    relevant: int
    pairs: int
    reachable: float


def simulate(
    collection: Collection, plan: Plan, tell: Callable[[int, int], None] = lambda done, total: None
) -> Simulation:
    """Draw, judge by the qrels and compare, each contestant at each cost. `tell` hears how far it is.

    >>> ranking = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> turned = ranking.with_columns(docno=pl.Series(["c", "b", "a"]))
    >>> runs = [PooledRun("one", "north", 1, ranking), PooledRun("two", "south", 1, turned)]
    >>> qrels = pl.DataFrame({"topic": ["1"], "docno": ["a"], "grade": [1]})
    >>> plan = Plan(("depth-k",), depth=1, costs=(1.0,), seeds=1, processes=1)
    >>> [(row.strategy, row.found.mean, row.tau.mean) for row in simulate(Collection(runs, ["1"], qrels), plan).rows]
    [('depth-k', 1.0, 1.0)]
    """
    work = _Work(collection, plan)
    cells = [(number, cost) for cost in plan.costs for number in range(len(plan.contestants))]
    rows = []
    for row in _rows(work, collection, plan, cells):
        rows.append(row)
        tell(len(rows), len(cells))
    known = work.judging.known
    return Simulation(
        rows=tuple(rows),
        plan=plan,
        runs=len(known.runs),
        topics=len(known.topics),
        relevant=known.relevant,
        pairs=work.sizes.total(plan.depth),
        reachable=known.found(work.judging.documents) / max(known.relevant, 1),
    )


def _rows(work: _Work, collection: Collection, plan: Plan, cells: list[tuple[int, float]]) -> Iterator[Row]:
    if plan.processes == 1:
        yield from (work.row(*cell) for cell in cells)
        return
    # A process that is copied while threads of polars run may never wake up: new ones are started.
    with ProcessPoolExecutor(plan.processes, get_context("spawn"), _begin, (collection, plan)) as pool:
        yield from pool.map(_row, cells)


class _Work:
    """One process's part: the collection made ready once, then a row at a time."""

    def __init__(self, collection: Collection, plan: Plan) -> None:
        known = KnownCollection.of(collection.runs, collection.topics, collection.qrels, plan.level)
        deepest = max(REACH, plan.depth)
        self.judging = Judging(known, deepest, scores=plan.reads_scores)
        self.sizes = Sizes.of(self.judging.documents, len(known.topics), deepest)
        self._plan = plan

    def row(self, number: int, cost: float) -> Row:
        contestant = self._plan.contestants[number]
        asked = cost * self.sizes.total(self._plan.depth)
        parameters = parameters_for(contestant, self.sizes, asked, self._plan.depth)
        if parameters is None:
            return Row(contestant.label, cost, {}, problem="it has no parameter that says what it costs")
        settings = _settings(contestant, parameters)
        try:
            outcomes = [self._outcome(contestant, parameters, seed) for seed in range(1, self._plan.seeds + 1)]
        except PoolSpecError as problem:
            return Row(contestant.label, cost, settings, problem=str(problem))
        interval = tau_interval(self.judging.known.true_values, outcomes[0].values)
        return _summary(contestant.label, cost, settings, outcomes, interval)

    def _outcome(self, contestant: Contestant, parameters: dict[str, Any], seed: int) -> Outcome:
        return self.judging.outcome(PoolSpec.with_defaults(contestant.strategy.name, parameters, seed=seed))


def _settings(contestant: Contestant, parameters: dict[str, Any]) -> dict[str, str]:
    return {
        parameter.name: parameter.to_text(parameters[parameter.name])
        for parameter in contestant.strategy.parameters
        if parameters[parameter.name] != parameter.default and parameter.name not in contestant.settings
    }


def _summary(
    label: str,
    cost: float,
    settings: dict[str, str],
    outcomes: list[Outcome],
    interval: tuple[float, float] | None,
) -> Row:
    methods = list(dict.fromkeys(method for outcome in outcomes for method in outcome.errors))
    spreads = {
        method: Spread.of([outcome.errors.get(method, float("nan")) for outcome in outcomes]) for method in methods
    }
    return Row(
        strategy=label,
        cost=cost,
        settings=settings,
        judged=Spread.of([outcome.judged for outcome in outcomes]),
        found=Spread.of([outcome.found for outcome in outcomes]),
        tau=Spread.of([outcome.tau for outcome in outcomes]),
        tau_ap=Spread.of([outcome.tau_ap for outcome in outcomes]),
        tau_interval=interval,
        errors={method: spread for method, spread in spreads.items() if spread is not None},
    )


_of_this_process: list[_Work] = []


def _begin(collection: Collection, plan: Plan) -> None:
    _of_this_process[:] = [_Work(collection, plan)]


def _row(cell: tuple[int, float]) -> Row:
    return _of_this_process[0].row(*cell)
