"""How a measure declares itself: name, parameters, kind, range, source, aliases."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.arrays import FloatArray
from evaluation.ranking import RankedRun

Value: TypeAlias = int | float | str
Kind: TypeAlias = Literal["set", "binary", "graded", "subtopic"]
Summary: TypeAlias = Literal["mean", "sum"]


class MeasureNameError(ValueError):
    """A measure name that cannot be understood; the message says what is wrong and what is near."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure; the parameter `k`, a rank cut-off, is written after @."""

    name: str
    type: type[int] | type[float] | type[str]
    meaning: str
    default: Value | None = None
    required: bool = False
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""
    pattern_example: str = ""

    def read(self, text: str) -> Value:
        """Read a value as written in a measure name; MeasureNameError when it is not one."""
        try:
            value = self.type(text)
        except ValueError:
            raise MeasureNameError(f"{self.name}={text}: {self.expects}.") from None
        if not self.admits(value):
            raise MeasureNameError(f"{self.name}={text}: {self.expects}.")
        return value

    def admits(self, value: Value) -> bool:
        if isinstance(value, str):
            return value in self.choices or bool(self.pattern and re.fullmatch(self.pattern, value))
        low = -float("inf") if self.minimum is None else self.minimum
        high = float("inf") if self.maximum is None else self.maximum
        return low <= value <= high

    @property
    def expects(self) -> str:
        if self.choices:
            return "expected " + " or ".join(self.choices) + (f" or {self.pattern_example}" if self.pattern else "")
        noun = "a whole number" if self.type is int else "a number"
        low = "" if self.minimum is None else f" from {self.minimum:g}"
        high = "" if self.maximum is None else f" to {self.maximum:g}"
        return f"expected {noun}{low}{high}"


RELEVANCE_LEVEL = Parameter("rel", int, "lowest grade that counts as relevant", default=1, minimum=1)
CUTOFF = Parameter("k", int, "rank cut-off", required=True, minimum=1)
OPTIONAL_CUTOFF = Parameter("k", int, "rank cut-off; without it the whole ranking counts", minimum=1)


@dataclass(frozen=True)
class Definition:
    """A measure as the field defines it, its parameters still open.

    `compute(ranked_run, **parameters)` returns float64 (n_groups,).
    `aliases` are further names; one with a slot, as `P_{k}`, is a whole name with the parameter's value in place.
    `summary` says how the values of the topics become one number.
    """

    name: str
    compute: Callable[..., FloatArray]
    kind: Kind
    source: str
    parameters: tuple[Parameter, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    aliases: tuple[str, ...] = ()
    summary: Summary = "mean"

    @property
    def description(self) -> str:
        return inspect.getdoc(self.compute) or ""

    def parameter(self, name: str) -> Parameter | None:
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def with_values(self, values: dict[str, Value]) -> "Measure":
        """Fix the parameters; those not given take their defaults."""
        for parameter in self.parameters:
            if parameter.required and parameter.name not in values:
                raise MeasureNameError(f"{self.name} needs a rank cut-off: write {self.name}@10, for example.")
        complete = ((parameter.name, values.get(parameter.name, parameter.default)) for parameter in self.parameters)
        return Measure(self, tuple(complete))


@dataclass(frozen=True)
class Measure:
    """A measure with all parameters fixed: what is asked for, computed and shown."""

    definition: Definition
    values: tuple[tuple[str, Value | None], ...]

    @property
    def name(self) -> str:
        """The canonical name, as `nDCG@10` or `AP(rel=2)`; parameters at their defaults are not written."""
        defaults = {parameter.name: parameter.default for parameter in self.definition.parameters}
        changed = [f"{name}={value}" for name, value in self.values if name != "k" and value != defaults[name]]
        k = dict(self.values).get("k")
        return self.definition.name + (f"({','.join(changed)})" if changed else "") + ("" if k is None else f"@{k}")

    @property
    def given(self) -> dict[str, Value]:
        """The parameters that have a value."""
        return {name: value for name, value in self.values if value is not None}

    def compute(self, ranked: RankedRun) -> FloatArray:
        """Compute the measure for every group of a ranked run: float64 (n_groups,), never NaN."""
        return self.definition.compute(ranked, **dict(self.values))

    def __str__(self) -> str:
        return self.name
