"""The pairs of runs, as files."""

import math
from collections.abc import Iterator
from itertools import repeat
from typing import Any, Final

from campaign.formats.spreadsheet import csv_lines
from evaluation.analysis.pairwise_tests.selectors import Pairs
from evaluation.boards.unjudged import CELLS

OF_EQUIVALENCE: Final = ("margin", "p_equivalence", "equivalence")
COLUMNS: Final = ("measure", "a", "b", "mean_a", "mean_b", "difference", "p_corrected", *OF_EQUIVALENCE, *CELLS)


def pairs_csv(pairs: Pairs) -> str:
    """One line a pair, the run that stands higher on the board first; empty p: the pair was not tested.

    `p_equivalence` is Holm-corrected for all pairs; `equivalence`: "equivalent", "not shown", or "cannot be told". All three are
    empty where no margin was named for the measure before there were scores. `p_unjudged_best`: p_corrected if all unjudged
    documents had the highest grade, and those of a alone or of b alone; `unjudged`: whether what is shown of the pair "holds" in
    all of these cases, or "changes" in any. They are empty by other measures than the first of the board.
    """
    return "".join(csv_lines(COLUMNS, ([row[name] for name in COLUMNS] for row in pair_rows(pairs))))


def pairs_json(pairs: Pairs) -> dict[str, Any]:
    return {
        "board": pairs.seen.name,
        "measure": pairs.measure,
        "corrected_by": pairs.seen.board.choice.in_words,
        "alpha": pairs.alpha,
        "margin": pairs.margin,
        "margin_named_at": None if pairs.margin is None else pairs.seen.board.choice.margin_named_at,
        "pairs": list(pair_rows(pairs)),
    }


def pair_rows(pairs: Pairs) -> Iterator[dict[str, Any]]:
    """One object a pair; null where there is no number."""
    tags, means = pairs.tags, pairs.means.tolist()
    equivalence = _equivalence(pairs)
    unjudged = repeat(dict.fromkeys(CELLS)) if pairs.unjudged is None else pairs.unjudged.cells()
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
                **dict(zip(OF_EQUIVALENCE, next(equivalence), strict=True)),
                **next(unjudged),
            }


def _equivalence(pairs: Pairs) -> Iterator[tuple[float | None, float | None, str | None]]:
    """Margin, p and words of each pair in the order of `all_pairs`."""
    if pairs.equivalence is None:
        yield from repeat((None, None, None))
    else:
        for p, words in zip(pairs.equivalence.p_corrected.tolist(), pairs.equivalence_in_words, strict=True):
            yield pairs.margin, _finite(p), words


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
