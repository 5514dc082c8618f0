"""Rows of a simulation as people read them."""

from __future__ import annotations

from evaluation.pool_simulation.simulation import Row, Spread
from pooling.core.completeness import control, recapture, slices

METHODS = {
    control.METHOD: "sample",
    recapture.METHOD: "recapture",
    slices.METHOD: "slices",
}
"""The methods that estimate what is outside, with their headings."""
HEAD = (
    "strategy",
    "settings",
    "judged",
    "found",
    "tau",
    "tau_AP",
    "tau: other topics",
    *(f"error: {name}" for name in METHODS.values()),
)
NONE = "–"
OTHER_TOPICS = (
    "where the tau of seed 1 would lie with as many other topics, in 9 of 10 cases or more; "
    "there is none for a tau of 1 or -1 and for fewer than 5 topics"
)


def cells(row: Row) -> list[str]:
    """The row under `HEAD`: shares as percentages, errors of shares as percentage points."""
    settings = " ".join(f"{name}={value.replace(' ', ',')}" for name, value in row.settings.items()) or NONE
    if row.problem:
        return [row.strategy, settings, f"not drawn: {row.problem}", *[NONE] * (len(HEAD) - 3)]
    return [
        row.strategy,
        settings,
        NONE if row.judged is None else f"{row.judged.mean:,.0f}",
        _spread(row.found, 100, 1),
        _spread(row.tau, 1, 3),
        _spread(row.tau_ap, 1, 3),
        NONE if row.tau_interval is None else "{:.3f} to {:.3f}".format(*row.tau_interval),
        *(_spread(row.errors.get(method), 100, 1, sign="+") for method in METHODS),
    ]


def _spread(spread: Spread | None, factor: float, digits: int, sign: str = "") -> str:
    if spread is None:
        return NONE
    mean, low, high = (f"{factor * value:{sign}.{digits}f}" for value in (spread.mean, spread.low, spread.high))
    return mean if low == high else f"{mean} ({low} to {high})"
