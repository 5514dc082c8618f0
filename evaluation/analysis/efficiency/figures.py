"""PURE: what runs cost, from their ir_metadata, and which give the most for their cost."""

import math
import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray

COSTS: Final = re.compile(
    r"(?<![a-z])(run ?time|time|wallclock|latency|duration|seconds|costs?|price|energy|emissions?|memory|v?ram)(?![a-z])",
    re.I,
)
"""Words in the name of a key that make its number one of time or cost."""
NUMBER: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*([^\d\s]{0,12})\s*")
SECONDS: Final = {
    "ms": 0.001,
    "s": 1.0,
    "sec": 1.0,
    "seconds": 1.0,
    "min": 60.0,
    "minutes": 60.0,
    "h": 3600.0,
    "hours": 3600.0,
}
LONGEST: Final = 80
DEEPEST: Final = 20


def costs_in(metadata: Any, path: str = "", depth: int = 0) -> dict[str, float]:
    """Numbers of time or cost in the ir_metadata of a run, by the path of their keys and their unit; times become seconds.

    Numbers below 0, words and everything in lists are left out.

    >>> costs_in({"resources": {"runtime": {"wallclock": "1500 ms"}, "energy": "0.2 kWh"}, "tag": 3})
    {'resources runtime wallclock (s)': 1.5, 'resources energy (kWh)': 0.2}
    """
    if isinstance(metadata, Mapping) and depth < DEEPEST:
        found: dict[str, float] = {}
        for key, value in metadata.items():
            found |= costs_in(value, f"{path} {key}".strip(), depth + 1)
        return found
    if isinstance(metadata, bool) or not COSTS.search(path):
        return {}
    match = NUMBER.fullmatch(str(metadata)) if isinstance(metadata, int | float | str) else None
    if match is None or not math.isfinite(float(match[1])):
        return {}
    number, unit = float(match[1]), match[2]
    if unit in SECONDS:
        number, unit = number * SECONDS[unit], "s"
    return {f"{path[:LONGEST]} ({unit})" if unit else path[:LONGEST]: number}


def on_frontier(cost: FloatArray, goodness: FloatArray) -> BoolArray:
    """Tell which runs no other beats in one of cost and goodness without losing in the other: bool (n_runs,); NaN never.

    Pareto's frontier: run i is on it unless some run costs no more and is no worse, and is strictly ahead in one of them.

    >>> on_frontier(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.5, 0.4])).tolist()
    [True, True, False]
    """
    known = ~(np.isnan(cost) | np.isnan(goodness))
    with np.errstate(invalid="ignore"):
        no_dearer, no_worse = cost[:, np.newaxis] <= cost, goodness[:, np.newaxis] >= goodness
        ahead = (cost[:, np.newaxis] < cost) | (goodness[:, np.newaxis] > goodness)
    found: BoolArray = known & ~(no_dearer & no_worse & ahead).any(axis=0)
    return found
