"""Durations by size: how many, how long together, and how many up to each bound."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

REQUEST_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
JOB_BOUNDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 1800.0)


@dataclass(slots=True)
class Durations:
    """`numbers`: those between a bound and the one before; the last holds what is above all of them."""

    bounds: Sequence[float]
    seconds: float = 0.0
    numbers: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.numbers = self.numbers or [0] * (len(self.bounds) + 1)

    @property
    def number(self) -> int:
        return sum(self.numbers)

    def add(self, seconds: float) -> None:
        self.seconds += seconds
        self.numbers[bisect_left(self.bounds, seconds)] += 1

    def add_all(self, other: Self) -> None:
        self.seconds += other.seconds
        self.numbers = [own + more for own, more in zip(self.numbers, other.numbers, strict=True)]

    def cumulated(self) -> list[tuple[str, float]]:
        """As Prometheus wants them: up to each bound."""
        found, total = [], 0
        for bound, number in zip([*map(str, self.bounds), "+Inf"], self.numbers, strict=True):
            total += number
            found.append((bound, float(total)))
        return found

    def to_json(self) -> list[Any]:
        return [self.seconds, self.numbers]

    @classmethod
    def from_json(cls, bounds: Sequence[float], stored: Any) -> Self:
        """Counted by other bounds, of another version: begun anew, as after a restart."""
        if not stored or len(stored[1]) != len(bounds) + 1:
            return cls(bounds)
        return cls(bounds, float(stored[0]), [int(number) for number in stored[1]])
