"""PURE: what JSON looks like, declared beside its column or its file: services and archives are held to the same shape."""

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """`words` complete the sentence “This must be …”."""

    words: str
    fits: Callable[[Any], bool]


NOT_STORABLE = re.compile("[\0\ud800-\udfff]")
DEEPEST = 100
LARGEST = 2**63 - 1
"""Beyond, neither the database nor arrays hold a number."""


def is_storable(value: Any, depth: int = 0) -> bool:
    """Whether pages and the database can hold it; what is nested too deeply cannot be written again.

    >>> is_storable({"a": [1, "b"]}), is_storable("\\0"), is_storable(float("inf")), is_storable("\\ud800")
    (True, False, False, False)
    """
    if depth > DEEPEST:
        return False
    if isinstance(value, dict):
        return all(is_storable(part, depth + 1) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return all(is_storable(part, depth + 1) for part in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= LARGEST
    return not isinstance(value, str) or NOT_STORABLE.search(value) is None


def _is(*kinds: type) -> Callable[[Any], bool]:
    """Whether a value is of one of these types; true and false are no numbers."""
    return lambda value: type(value) in kinds and is_storable(value)


ANYTHING = Shape("anything", lambda value: True)
TEXT = Shape("a text", lambda value: isinstance(value, str) and is_storable(value))
FLAG = Shape("true or false", _is(bool))
WHOLE = Shape("a whole number", _is(int))
GRADE = Shape("a grade", lambda value: WHOLE.fits(value) and abs(value) < 2**15)
NUMBER = Shape("a number", _is(int, float))


def list_of(part: Shape, length: int | None = None) -> Shape:
    """
    >>> list_of(TEXT).fits(["1", "2"]), list_of(TEXT).fits(["1", 2]), list_of(TEXT, 2).fits(["1"])
    (True, False, False)
    """

    def fits(value: Any) -> bool:
        return isinstance(value, list) and length in (None, len(value)) and all(map(part.fits, value))

    return Shape(f"a list{'' if length is None else f' of length {length}'}, each {part.words}", fits)


TEXTS = list_of(TEXT)


def object_of(part: Shape) -> Shape:
    """
    >>> object_of(NUMBER).fits({"AP": 0.5}), object_of(NUMBER).fits({"AP": "much"}), object_of(NUMBER).fits([])
    (True, False, False)
    """
    return Shape(
        f"an object of names, each with {part.words}",
        lambda value: isinstance(value, dict) and all(map(part.fits, value.values())),
    )


def record(
    required: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None, *, others: bool = False
) -> Shape:
    """An object with these names. `others`: further ones are left alone.

    >>> shape = record({"label": TEXT}, {"url": TEXT})
    >>> shape.fits({"label": "a"}), shape.fits({"url": "a"}), shape.fits({"label": "a", "more": 1})
    (True, False, False)
    """
    known = {**required, **(optional or {})}

    def fits(value: Any) -> bool:
        return (
            isinstance(value, dict)
            and required.keys() <= value.keys()
            and (others or value.keys() <= known.keys())
            and all(known[name].fits(part) for name, part in value.items() if name in known)
        )

    parts = [f"{name} ({shape.words})" for name, shape in required.items()]
    parts += [f"perhaps {name} ({shape.words})" for name, shape in (optional or {}).items()]
    return Shape(f"an object with {', '.join(parts)}", fits)


def any_of(*shapes: Shape) -> Shape:
    """
    >>> any_of(TEXT, WHOLE).fits("1"), any_of(TEXT, WHOLE).fits(1.5)
    (True, False)
    """
    return Shape(" or ".join(one.words for one in shapes), lambda value: any(one.fits(value) for one in shapes))


def or_null(shape: Shape) -> Shape:
    """
    >>> or_null(TEXT).fits(None), or_null(TEXT).fits(1)
    (True, False)
    """
    return Shape(f"{shape.words} or null", lambda value: value is None or shape.fits(value))


def choice_of(words: Collection[str]) -> Shape:
    """
    >>> choice_of(["on", "off"]).fits("off"), choice_of(["on", "off"]).fits(["on"])
    (True, False)
    """
    return Shape(f"one of {', '.join(words)}", lambda value: isinstance(value, str) and value in words)
