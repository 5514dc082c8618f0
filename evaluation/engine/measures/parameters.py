"""The parameters that the names of measures carry, and how their values are read."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = bool | int | float | str
UNREACHED = 1e9
"""Bounds from here protect the arithmetic only, and messages leave them out."""

TRUTHS = {"true": True, "false": False}
LARGEST_WHOLE = 1 << 53
"""The largest whole number up to which all whole numbers are different doubles; products with counts stay within int64."""
EXAMPLES = (
    "Write AP, nDCG@10, P@10, RR, R@100, bpref, ERR@20 or RBP(p=0.8), for example; "
    "all of them are in the reference of measures."
)


class MeasureNameError(ValueError):
    """A measure name that cannot be understood; the message says what is wrong with it and what is near."""


class UnknownMeasureError(MeasureNameError):
    """A name that no measure has; `near` holds names that could be meant."""

    def __init__(self, text: str, near: Sequence[str]) -> None:
        self.opening = f"Unknown measure {text}." if text else "The name of a measure is missing."
        self.near = f"Near names: {', '.join(near)}." if near else ""
        super().__init__(f"{self.opening} {self.near or EXAMPLES}")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure; `follows_at` says that it is written after @, as a rank cut-off is."""

    name: str
    type: type[bool] | type[int] | type[float] | type[str]
    meaning: str
    default: Value | None = None
    required: bool = False
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""
    pattern_example: str = ""
    follows_at: bool = False
    example: str = ""

    def read(self, text: str) -> Value:
        """Read a value as written in a measure name; MeasureNameError when it is not one."""
        try:
            value = TRUTHS[text.lower()] if self.type is bool else self.type(text)
        except (ValueError, KeyError):
            raise MeasureNameError(f"{self.name}={text}: {self.expects}.") from None
        if not self.admits(value):
            raise MeasureNameError(f"{self.name}={text}: {self.expects}.")
        return value

    def admits(self, value: Value) -> bool:
        if isinstance(value, str):
            return value in self.choices or bool(self.pattern and re.fullmatch(self.pattern, value))
        if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
            return False
        low = -float("inf") if self.minimum is None else self.minimum
        high = float("inf") if self.maximum is None else self.maximum
        return low <= value <= high and math.isfinite(value)

    @property
    def expects(self) -> str:
        if self.type is bool:
            return "expected true or false"
        if self.type is str:
            listed = [*self.choices, *([self.pattern_example] if self.pattern else [])]
            return "expected " + " or ".join(listed)
        noun = "a whole number" if self.type is int else "a number"
        low = f" from {self.minimum:.12g}" if _in_messages(self.minimum) else ""
        high = f" to {self.maximum:.12g}" if _in_messages(self.maximum) else ""
        return f"expected {noun}{low}{high}"


def _in_messages(bound: float | None) -> bool:
    return bound is not None and abs(bound) < UNREACHED


RELEVANCE_LEVEL = Parameter("rel", int, "lowest grade that counts as relevant", default=1, minimum=0)
CUTOFF = Parameter("k", int, "rank cut-off", required=True, minimum=1, follows_at=True, example="10")
OPTIONAL_CUTOFF = Parameter("k", int, "rank cut-off; the whole ranking without it", minimum=1, follows_at=True)
JUDGED_ONLY = Parameter("judged_only", bool, "take unjudged documents out of the ranking first", default=False)
