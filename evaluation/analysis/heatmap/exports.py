"""Values of runs by topics, as files."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from campaign.formats.spreadsheet import csv_lines
from evaluation.engine.arrays import FloatArray


def heat_csv(measure: str, tags: Sequence[str], topics: Sequence[str], values: FloatArray) -> str:
    """One line a run, one column a topic; empty where there is no value."""
    rows = ([measure, tag, *of_run] for tag, of_run in zip(tags, _with_none(values), strict=True))
    return "".join(csv_lines(["measure", "run", *topics], rows))


def heat_json(
    board: str, measure: str, tags: Sequence[str], topics: Sequence[str], values: FloatArray
) -> dict[str, Any]:
    """`values`: a list a run in the order of `runs`, in it one number a topic in the order of `topics`, or null."""
    named = {"board": board, "measure": measure, "runs": list(tags), "topics": list(topics)}
    return {**named, "values": _with_none(values)}


def _with_none(values: FloatArray) -> list[list[float | None]]:
    found: list[list[float | None]] = np.where(np.isfinite(values), values, np.array(None)).tolist()
    return found
