"""The pairs of runs, as files."""

import math
from collections.abc import Iterator
from typing import Any, Final

from campaign.formats.spreadsheet import csv_lines
from evaluation.analysis.pairwise_tests.selectors import Pairs

COLUMNS: Final = ("measure", "a", "b", "mean_a", "mean_b", "difference", "p_corrected")


def pairs_csv(pairs: Pairs) -> str:
    """One line a pair, the run that stands higher on the board first; empty p: the pair was not tested."""
    return "".join(csv_lines(COLUMNS, ([row[name] for name in COLUMNS] for row in pair_rows(pairs))))


def pairs_json(pairs: Pairs) -> dict[str, Any]:
    return {
        "board": pairs.seen.name,
        "measure": pairs.measure,
        "corrected_by": pairs.seen.board.choice.in_words,
        "alpha": pairs.alpha,
        "pairs": list(pair_rows(pairs)),
    }


def pair_rows(pairs: Pairs) -> Iterator[dict[str, Any]]:
    """One object a pair; null where there is no number."""
    tags, means = pairs.tags, pairs.means.tolist()
    for one, of_row in enumerate(pairs.square.tolist()):
        for other in range(one + 1, len(tags)):
            yield {
                "measure": pairs.measure,
                "a": tags[one],
                "b": tags[other],
                "mean_a": _finite(means[one]),
                "mean_b": _finite(means[other]),
                "difference": _finite(means[one] - means[other]),
                "p_corrected": _finite(of_row[other]),
            }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
