"""The agreement of measures, as files."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from campaign.formats.spreadsheet import csv_lines
from evaluation.analysis.measure_correlation.figures import COEFFICIENTS
from evaluation.engine.arrays import FloatArray

COLUMNS: Final = (*COEFFICIENTS, "tau_low", "tau_high")


def agreement_rows(measures: Sequence[str], found: Mapping[str, FloatArray]) -> list[dict[str, Any]]:
    """One object for each ordered pair of measures; null where a coefficient is not defined, and where tau has no interval."""
    return [
        {"x": x, "y": y, **{name: _finite(float(found[name][row, column])) for name in COLUMNS}}
        for row, x in enumerate(measures)
        for column, y in enumerate(measures)
        if row != column
    ]


def agreement_csv(measures: Sequence[str], found: Mapping[str, FloatArray]) -> str:
    """One line for each ordered pair of measures; for tau-AP x is the true order."""
    head = ["x", "y", *COLUMNS]
    return "".join(csv_lines(head, ([row[name] for name in head] for row in agreement_rows(measures, found))))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
