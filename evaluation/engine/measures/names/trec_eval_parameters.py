"""What trec_eval takes after the dot of a measure's name: `P.5,10`, `ndcg.1=3.5,2=9`, `utility.1,-1,0,0`."""

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from evaluation.engine.measures.parameters import MeasureNameError

T = TypeVar("T")
Parameters: TypeAlias = Literal[
    "none", "cut-offs", "levels", "points", "gains", "coefficients", "weight", "persistence", "length"
]
"""What a name takes. Cut-offs and levels make a measure each; all others together belong to one measure."""

_EXPECTED: Mapping[Parameters, str] = {
    "none": "{name} takes no parameters. Write {name}.",
    "cut-offs": "a cut-off is a whole number from 1. Write {name}.5,10, for example.",
    "levels": "expected numbers from 0. Write {name}.0.25,0.5, for example.",
    "points": "expected recall levels from 0. Write {name}.0.2,0.5,0.8, for example.",
    "gains": "expected a gain for each grade. Write {name}.1=3.5,2=9, for example.",
    "coefficients": "expected four numbers, for documents that are retrieved and relevant, retrieved and not relevant, "
    "relevant but not retrieved, neither. Write {name}.1,-1,0,0, for example.",
    "weight": "expected one number from 0. Write {name}.0.5, for example.",
    "persistence": "expected p, from 0 to 1. Write {name}.p=0.9, for example.",
    "length": "expected the number of documents, from 1. Write {name}.20, for example.",
}
_WHOLE = re.compile(r"\+?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def read_cutoffs(name: str, text: str) -> list[int]:
    """Read rank cut-offs, each given once; MeasureNameError says what to write instead."""
    return _each_once(name, text, [_whole(name, text, item, "cut-offs") for item in text.split(",")])


def read_length(name: str, text: str) -> int:
    return _whole(name, text, text, "length")


def read_levels(name: str, text: str, kind: Parameters = "levels") -> list[float]:
    """Read numbers from 0, each given once; MeasureNameError says what to write instead."""
    levels = [_number(name, text, item, kind) + 0.0 for item in text.split(",")]
    if min(levels) < 0:
        raise wrong_parameters(name, text, kind)
    return _each_once(name, text, levels)


def assignments(name: str, text: str, kind: Parameters) -> str:
    """Write the parameters of a name of trec_eval as those of its measure: `1=3.5,2=9` as `gain=1:3.5;2:9`."""
    if kind == "gains":
        return f"gain={_gains(name, text)}"
    if kind == "points":
        return "recalls=" + ";".join(plain(level) for level in sorted(read_levels(name, text, kind)))
    if kind == "persistence":
        parameter, _, value = text.partition("=")
        if parameter != "p":
            raise wrong_parameters(name, text, kind)
        return f"p={plain(_number(name, text, value, kind))}"
    letters, items = "abcd" if kind == "coefficients" else "x", text.split(",")
    if kind == "none" or len(items) != len(letters):
        raise wrong_parameters(name, text, kind)
    numbers = [plain(_number(name, text, item, kind)) for item in items]
    return ",".join(f"{letter}={number}" for letter, number in zip(letters, numbers, strict=True))


def plain(number: float) -> str:
    """Write a number in the shortest way that reads back as the same number, without an exponent."""
    return np.format_float_positional(number, trim="-")


def wrong_parameters(name: str, text: str, kind: Parameters) -> MeasureNameError:
    return MeasureNameError(f"{name}.{text}: {_EXPECTED[kind].format(name=name)}")


def _gains(name: str, text: str) -> str:
    gains: list[tuple[int, float]] = []
    for item in text.split(","):
        grade, equals, gain = item.partition("=")
        if not equals or not _WHOLE.fullmatch(grade):
            raise wrong_parameters(name, text, "gains")
        gains.append((int(grade), _number(name, text, gain, "gains")))
    _each_once(name, text, [grade for grade, _ in gains])
    return ";".join(f"{grade}:{plain(gain)}" for grade, gain in gains)


def _each_once(name: str, text: str, values: list[T]) -> list[T]:
    if len(set(values)) < len(values):
        items = text.split(",")
        once = ",".join(items[values.index(value)] for value in dict.fromkeys(values))
        raise MeasureNameError(f"{name}.{text}: a value is given twice. Write {name}.{once}.")
    return values


def _whole(name: str, text: str, item: str, kind: Parameters) -> int:
    if not _WHOLE.fullmatch(item) or int(item) < 1:
        raise wrong_parameters(name, text, kind)
    return int(item)


def _number(name: str, text: str, item: str, kind: Parameters) -> float:
    if not _NUMBER.fullmatch(item):
        raise wrong_parameters(name, text, kind)
    return float(item)
