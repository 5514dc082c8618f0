"""What a pool is drawn by, as one value that can be stored, shown and used again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from pooling.strategies.base import Strategy
from pooling.strategies.ordering import ORDERS
from pooling.strategies.registry import STRATEGIES

LARGEST_SEED = 2**63 - 1


class PoolSpecError(ValueError):
    """A pool cannot be drawn so; the message says what to change."""


@dataclass(frozen=True, slots=True)
class PoolSpec:
    """How to draw a pool. `max_priority` keeps runs of priority 1..n only; `runs` keeps these run tags only; None keeps all."""

    strategy: str = "depth-k"
    depth: int = 10
    max_priority: int | None = None
    order: str = "random"
    seed: int = 0
    runs: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _require_choice("strategy", self.strategy, STRATEGIES)
        _require_choice("order", self.order, ORDERS)
        for parameter in self.method.parameters:
            _require_whole(parameter.name, getattr(self, parameter.name), parameter.low, parameter.high)
        _require_whole("seed", self.seed, 0, LARGEST_SEED)
        if self.max_priority is not None:
            _require_whole("max_priority", self.max_priority, 1, 32767)
        if self.runs is not None:
            _require_tags(self.runs)
            object.__setattr__(self, "runs", tuple(sorted(set(self.runs))))

    @property
    def method(self) -> Strategy:
        return STRATEGIES[self.strategy]

    @property
    def parameters(self) -> dict[str, int]:
        return {parameter.name: getattr(self, parameter.name) for parameter in self.method.parameters}

    def takes(self, tag: str, priority: int) -> bool:
        """Whether a valid run with this tag and priority is pooled."""
        return (self.max_priority is None or priority <= self.max_priority) and (self.runs is None or tag in self.runs)

    def at_depth(self, depth: int) -> Self:
        return replace(self, depth=depth)

    def to_json(self) -> dict[str, Any]:
        """Plain values; what is None is left out."""
        values = {name: value for name, value in asdict(self).items() if value is not None}
        return {**values, "runs": list(self.runs)} if self.runs is not None else values

    @classmethod
    def from_json(cls, value: object) -> Self:
        if not isinstance(value, Mapping):
            raise PoolSpecError("A pool's settings are an object with names and values.")
        unknown = sorted(set(value) - set(cls.__dataclass_fields__))
        if unknown:
            raise PoolSpecError(f"Pools have no setting {', '.join(map(str, unknown))}. Leave it out.")
        runs = value.get("runs")
        if runs is not None and not isinstance(runs, list | tuple):
            raise PoolSpecError("The setting runs is a list of run tags.")
        return cls(**{**value, "runs": None if runs is None else tuple(runs)})


def _require_choice(name: str, value: object, choices: Mapping[str, object]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise PoolSpecError(f"“{value}” is no {name} of ours. Use one of: {', '.join(choices)}.")


def _require_whole(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise PoolSpecError(f"The setting {name} is a whole number from {low} to {high}, not “{value}”.")


def _require_tags(tags: tuple[str, ...]) -> None:
    if not tags or not all(isinstance(tag, str) and tag for tag in tags):
        raise PoolSpecError("The setting runs is a list of at least one run tag. Leave it out to pool all runs.")
