"""Kinds of parameters that a strategy declares: what values they take, and how these are written.

A declaration is all that is needed: form field, command option, check of a spec, stored value and the words on pages are
made from it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,30}")
LONGEST_QUOTE = 40

Parameters = Mapping[str, Any]
"""Checked values by the names of a strategy's parameters."""


class PoolSpecError(ValueError):
    """The pool settings are invalid; the message says what to change."""


@dataclass(frozen=True, kw_only=True)
class Parameter(ABC):
    """One value that a strategy asks for.

    `symbol` is the letter that pages show its value with ("k = 10"; the name where there is none). `compared` lists values
    whose pool sizes the preview shows beside the chosen one; one parameter of a strategy may have them. An `optional` one is
    the default where it is not given, and is neither stored nor named then: a strategy may gain one without a change of
    earlier pools. `when_empty` is what its empty field shows.
    """

    name: str
    label: str
    default: Any
    help: str = ""
    symbol: str = ""
    compared: tuple[Any, ...] = ()
    optional: bool = False
    when_empty: str = ""

    def __post_init__(self) -> None:
        for value in (self.default, *self.compared):
            self.check(value)

    @property
    @abstractmethod
    def expected(self) -> str:
        """What a value is, in words that go on from “Give”."""

    @abstractmethod
    def _normal(self, value: object) -> Any:
        """The value in its one form, or None where it is not a value of this parameter."""

    @abstractmethod
    def _read(self, text: str) -> object:
        """The value that a text stands for, not checked; ValueError where it stands for none."""

    def to_text(self, value: Any) -> str:
        """The value as `from_text` reads it."""
        return str(value)

    def to_json(self, value: Any) -> Any:
        return value

    def check(self, value: object) -> Any:
        """The value in its one form. Raises PoolSpecError, with a message that names the parameter."""
        normal = self._normal(value)
        if normal is None:
            quoted = f"{value!s:.{LONGEST_QUOTE}}"
            raise PoolSpecError(f"The setting {self.name} is {self.expected}, not “{quoted}”.")
        return normal

    def from_text(self, text: str) -> Any:
        """The checked value that a field or an option gives as text."""
        try:
            value = self._read(text.strip())
        except ValueError:
            value = text
        return self.check(text if self._normal(value) is None else value)

    @property
    def words(self) -> str:
        return self.name.replace("_", " ")

    def describe(self, value: Any) -> str:
        """The value in words, as in “k = 10”."""
        return f"{self.symbol or self.words} = {self.to_text(value)}"


@dataclass(frozen=True, kw_only=True)
class Whole(Parameter):
    """A whole number from `low` to `high`.

    >>> Whole(name="depth", label="Depth k", low=1, high=1000, default=10).from_text("20")
    20
    """

    low: int
    high: int

    @property
    def expected(self) -> str:
        return f"a whole number from {self.low:,} to {self.high:,}"

    def _normal(self, value: object) -> int | None:
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        return value if self.low <= value <= self.high else None

    def _read(self, text: str) -> object:
        return int(text) if WHOLE_NUMBER.fullmatch(text) else text


@dataclass(frozen=True, kw_only=True)
class Number(Parameter):
    """A number from `low` to `high`, kept as a double.

    >>> rate = Number(name="rate", label="Rate", low=0, high=1, default=0.5)
    >>> rate.from_text("1"), rate.to_text(0.25)
    (1.0, '0.25')
    """

    low: float
    high: float

    @property
    def expected(self) -> str:
        return f"a number from {self.low:,g} to {self.high:,g}"

    def _normal(self, value: object) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value) if self.low <= value <= self.high else None

    def _read(self, text: str) -> object:
        return float(text)

    def to_text(self, value: Any) -> str:
        return repr(float(value)).removesuffix(".0")


@dataclass(frozen=True, kw_only=True)
class Choice(Parameter):
    """One of several names; `choices` gives each its label."""

    choices: Mapping[str, str]

    @property
    def expected(self) -> str:
        return f"one of {', '.join(self.choices)}"

    def _normal(self, value: object) -> str | None:
        return value if isinstance(value, str) and value in self.choices else None

    def _read(self, text: str) -> object:
        return text


@dataclass(frozen=True, kw_only=True)
class YesNo(Parameter):
    """True or False, written yes and no."""

    @property
    def expected(self) -> str:
        return "yes or no"

    def _normal(self, value: object) -> bool | None:
        return value if isinstance(value, bool) else None

    def _read(self, text: str) -> object:
        return {"yes": True, "no": False}.get(text, text)

    def to_text(self, value: Any) -> str:
        return "yes" if value else "no"


@dataclass(frozen=True, kw_only=True)
class Pairs(Parameter):
    """A value for each of several whole numbers, as a depth for each priority or a rate for each stratum.

    Kept sorted by the first numbers, each of which stands once; written `10:1 20:0.5` or, as tables of settings have it,
    `10:1,20:0.5`; in JSON `[[10, 1.0], [20, 0.5]]`.
    An optional list may be empty; `example` then shows how one is written.
    """

    first: Whole
    second: Whole | Number
    example: tuple[tuple[int, Any], ...] = ()

    @property
    def expected(self) -> str:
        example = self.to_text(self.default or self.example)
        return f"a list of pairs such as “{example}”: {self.first.expected}, a colon, {self.second.expected}"

    def _normal(self, value: object) -> tuple[tuple[int, Any], ...] | None:
        if not isinstance(value, list | tuple) or not (value or self.optional):
            return None
        if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value):
            return None
        pairs = [(self.first._normal(first), self.second._normal(second)) for first, second in value]
        if any(None in pair for pair in pairs) or len({first for first, _ in pairs}) < len(pairs):
            return None
        return tuple(sorted(pairs))  # type: ignore[arg-type]

    def _read(self, text: str) -> object:
        halves = [pair.split(":") for pair in text.replace(",", " ").split()]
        return [[self.first._read(first), self.second._read(second)] for first, second in halves]

    def to_text(self, value: Any) -> str:
        return " ".join(f"{self.first.to_text(first)}:{self.second.to_text(second)}" for first, second in value)

    def to_json(self, value: Any) -> Any:
        return [list(pair) for pair in value]
