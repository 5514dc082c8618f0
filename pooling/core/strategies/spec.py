"""All settings that determine a pool, as one value that can be stored, shown and used again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeVar

from campaign.formats.runs.order_setting import BY_SCORE, REFERENCES, RELEASE_10, RUN_ORDERS, Ordering
from pooling.core.strategies.declaration import Strategy
from pooling.core.strategies.judging_order import DEFAULT_ORDER, Order, orders_of
from pooling.core.strategies.parameters import Parameters, PoolSpecError, Whole
from pooling.core.strategies.registry import STRATEGIES, default_strategy

SEED = Whole(name="seed", label="Seed", low=0, high=2**63 - 1, default=0)
MAX_PRIORITY = Whole(name="max_priority", label="Highest priority", low=1, high=32767, default=1)
RUNS_PER_TEAM = Whole(
    name="runs_per_team",
    label="Runs per team",
    low=1,
    high=32767,
    default=1,
    help="Of each team only its first runs, by priority, then by tag. Empty: all.",
)


class Poolable(Protocol):
    """What decides whether a run is pooled. `team`: anything that is equal for runs of one team."""

    @property
    def tag(self) -> str: ...
    @property
    def team(self) -> Any: ...
    @property
    def priority(self) -> int: ...


AnyRun = TypeVar("AnyRun", bound=Poolable)


@dataclass(frozen=True, slots=True)
class PoolSpec:
    """How to draw a pool: the strategy with its own parameters, and what every pool has.

    `parameters` must give every parameter of the strategy that is not optional. `max_priority` keeps runs of priority 1..n
    only; `runs` keeps these run tags only; `runs_per_team` then keeps the first n of each team, by priority, then by tag;
    None keeps all. `order` is the judging order. `run_order` and `reference` are those of `Ordering`: the task's when the
    pool was drawn. Raises PoolSpecError for invalid settings.
    """

    strategy: str
    parameters: Parameters
    max_priority: int | None = None
    runs: tuple[str, ...] | None = None
    runs_per_team: int | None = None
    order: str = DEFAULT_ORDER
    seed: int = SEED.default
    run_order: str = BY_SCORE
    reference: str = RELEASE_10

    def __post_init__(self) -> None:
        _require_choice("strategy", self.strategy, STRATEGIES)
        _require_choice("order", self.order, orders_of(self.method))
        _require_choice("run_order", self.run_order, RUN_ORDERS)
        _require_choice("reference", self.reference, REFERENCES)
        parameters = self.method.check(_object("parameters", self.parameters))
        object.__setattr__(self, "parameters", MappingProxyType(parameters))
        SEED.check(self.seed)
        if self.max_priority is not None:
            MAX_PRIORITY.check(self.max_priority)
        if self.runs_per_team is not None:
            RUNS_PER_TEAM.check(self.runs_per_team)
        if self.runs is not None:
            _require_tags(self.runs)
            object.__setattr__(self, "runs", tuple(sorted(set(self.runs))))

    @classmethod
    def with_defaults(cls, strategy: str | None = None, parameters: Parameters | None = None, **common: Any) -> Self:
        """The spec of these settings and the strategy's defaults for those that are not given."""
        name = default_strategy().name if strategy is None else strategy
        _require_choice("strategy", name, STRATEGIES)
        return cls(name, {**STRATEGIES[name].defaults, **(parameters or {})}, **common)

    @property
    def method(self) -> Strategy:
        return STRATEGIES[self.strategy]

    @property
    def judging_order(self) -> Order:
        return orders_of(self.method)[self.order]

    @property
    def ordering(self) -> Ordering:
        """By what the documents of each run were put in order."""
        return Ordering(self.run_order, self.reference)

    def ordered_by(self, ordering: Ordering) -> Self:
        return replace(self, run_order=ordering.run_order, reference=ordering.reference)

    @property
    def drawn_by(self) -> str:
        """The strategy with its parameters, in words."""
        return ", ".join(filter(None, [self.method.label, self.method.describe(self.parameters)]))

    def admits(self, run: Poolable) -> bool:
        """Whether the run can be pooled by its tag and its priority; how many of its team are, `taken` knows."""
        by_priority = self.max_priority is None or run.priority <= self.max_priority
        return by_priority and (self.runs is None or run.tag in self.runs)

    def taken(self, runs: Iterable[AnyRun]) -> list[AnyRun]:
        """Those of all valid runs that are pooled, in the order in which they are given."""
        admitted = [run for run in runs if self.admits(run)]
        if self.runs_per_team is None:
            return admitted
        of_team: dict[Any, int] = {}
        kept = set()
        for run in sorted(admitted, key=lambda run: (run.priority, run.tag)):
            of_team[run.team] = of_team.get(run.team, 0) + 1
            if of_team[run.team] <= self.runs_per_team:
                kept.add(run.tag)
        return [run for run in admitted if run.tag in kept]

    def to_json(self) -> dict[str, Any]:
        """Plain values, which `from_json` reads; what is None is left out."""
        own = self.method.to_json(self.parameters)
        values: dict[str, Any] = {"strategy": self.strategy, "parameters": own, "order": self.order, "seed": self.seed}
        values |= {"run_order": self.run_order, "reference": self.reference}
        if self.max_priority is not None:
            values["max_priority"] = self.max_priority
        if self.runs_per_team is not None:
            values["runs_per_team"] = self.runs_per_team
        if self.runs is not None:
            values["runs"] = list(self.runs)
        return values

    @classmethod
    def from_json(cls, value: object) -> Self:
        """The spec of an object from a request or from the database. Raises PoolSpecError."""
        settings = _object("spec of a pool", value)
        unknown = sorted(set(settings) - {field.name for field in fields(cls)})
        if unknown:
            raise PoolSpecError(f"Pools have no setting {', '.join(unknown)}. Leave it out.")
        missing = sorted({"strategy", "parameters"} - set(settings))
        if missing:
            raise PoolSpecError(f"The spec of a pool needs the setting {', '.join(missing)}. Add it.")
        runs = settings.get("runs")
        if runs is not None and not isinstance(runs, list | tuple):
            raise PoolSpecError("The setting runs is a list of run tags.")
        return cls(**{**settings, "runs": None if runs is None else tuple(runs)})


def _require_choice(name: str, value: object, choices: Mapping[str, object]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise PoolSpecError(f"There is no {name} “{value}”. Use one of: {', '.join(choices)}.")


def _object(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise PoolSpecError(f"The {name} must be an object with names and values.")
    return value


def _require_tags(tags: tuple[str, ...]) -> None:
    if not tags or not all(isinstance(tag, str) and tag for tag in tags):
        raise PoolSpecError("The setting runs is a list of at least one run tag. Leave it out to pool all runs.")
