"""What ndeval and gdeval, the programs of the web track, share: comma-separated lines, and the difference to a baseline."""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.command.arguments import ScoreArguments
from evaluation.command.results import RunResult
from evaluation.engine.arrays import FloatArray

OVER_TOPICS = "amean"


def lines(results: Sequence[RunResult], arguments: ScoreArguments, digits: int) -> Iterator[str]:
    """Print one header, and of each run a line for every topic and one for the mean."""
    for place, result in enumerate(results):
        if place == 0:
            yield ",".join(["runid", "topic", *(_quoted(measure.name) for measure in result.measures)]) + "\n"
        numbers = ",".join([f"%.{digits}f"] * len(result.measures))
        rows = [*zip(result.topics, result.values.tolist(), strict=True), (OVER_TOPICS, result.totals.tolist())]
        yield from (f"{result.tag},{topic},{numbers % tuple(row)}\n" for topic, row in rows)


def weighted_difference(values: FloatArray, baseline: FloatArray, risk_alpha: float | None) -> FloatArray:
    """Give value - baseline; where it is below 0, (1 + risk alpha) * (value - baseline): float64 of the common shape."""
    difference = values - baseline
    return np.where(difference < 0.0, (1.0 + (risk_alpha or 0.0)) * difference, difference)


def alpha_in_tag(risk_alpha: float | None) -> str:
    """Write risk alpha as both programs do beside the tags of a run and its baseline: 0.5, 5."""
    return np.format_float_positional(risk_alpha or 0.0, trim="-")


def _quoted(column: str) -> str:
    return f'"{column}"' if "," in column else column
