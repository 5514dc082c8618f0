"""What each measure tells apart, and how many topics would tell a wanted difference."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.reliability.collection import Collection, Step, finite
from evaluation.engine.reliability.design import topics_for_a_pair, topics_for_any
from evaluation.engine.reliability.needed_interval import NINE_OF_TEN, Bounds, deviation_interval, left_interval
from evaluation.engine.reliability.topics_needed import topics_needed
from evaluation.engine.reliability.variance_components import variance_components
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.families import all_pairs

LEVEL: Final = 0.05


def measures(of: Collection, step: Step) -> list[dict[str, Any]]:
    """What the step-down max-T test tells apart by each measure, and the topics needed, for a pair and for all runs."""
    found = []
    for place, measure in enumerate(of.measures):
        found.append(_told_apart(of.values[:, place], measure, of.settings.difference, of.settings.seed))
        step()
    return found


def _told_apart(values: FloatArray, measure: Measure, difference: float, seed: int) -> dict[str, Any]:
    pairs = all_pairs(len(values))
    deviations = _deviations(values[pairs[:, 0]] - values[pairs[:, 1]])
    if not len(deviations):  # one run, or no two runs have two topics in common
        nothing = dict.fromkeys(
            ("shown", "can_show", "smallest_shown", "topics_needed", "topics_needed_interval", "design")
        )
        return {"measure": measure.name, "pairs": len(pairs), **nothing, "difference": difference}
    tested = compare(values, pairs, seed=seed)
    shown = tested.p < LEVEL
    complete = _complete(values)
    spread = None if complete is None else deviation_interval(complete[pairs[:, 0]] - complete[pairs[:, 1]])
    usual = float(np.quantile(deviations, NINE_OF_TEN))
    return {
        "measure": measure.name,
        "pairs": len(pairs),
        "shown": float(shown.mean()),
        "can_show": 2.0 ** (1 - _common_topics(values)) < LEVEL,
        "smallest_shown": finite(np.abs(tested.difference[shown]).min()) if shown.any() else None,
        "topics_needed": topics_needed(usual, difference),
        "topics_needed_interval": _at_both(spread, lambda deviation: topics_needed(deviation, difference)),
        "difference": difference,
        "design": _design(values, difference),
    }


def _design(values: FloatArray, difference: float) -> dict[str, Any] | None:
    """The variance components, and topics needed by them; None where fewer than two topics have values of all runs."""
    if _common_topics(values) < 2:
        return None
    parts, complete, runs = variance_components(values), _complete(values), len(values)
    left = None if complete is None else left_interval(complete)
    return {
        "variance_of_runs": parts.runs,
        "variance_of_topics": parts.topics,
        "variance_left": parts.left,
        "topics_for_any": topics_for_any(runs, parts.left, difference),
        "topics_for_any_interval": _at_both(left, lambda bound: topics_for_any(runs, bound, difference)),
        "topics_for_a_pair": topics_for_a_pair(runs, parts.left, difference),
        "topics_for_a_pair_interval": _at_both(left, lambda bound: topics_for_a_pair(runs, bound, difference)),
    }


def _common_topics(values: FloatArray) -> int:
    """Topics of which every run has a value."""
    return int((~np.isnan(values).any(axis=0)).sum())


def _complete(values: FloatArray) -> FloatArray | None:
    """Without the topics that no run has a value of; None where a value is still missing: float64 (n_runs, n_topics)."""
    known = values[:, ~np.isnan(values).all(axis=0)]
    return None if np.isnan(known).any() else known


def _at_both(bounds: Bounds | None, topics: Callable[[float], int | None]) -> list[int | None] | None:
    """The topics needed at both ends of the interval of a spread, with which they grow."""
    return None if bounds is None else [topics(bound) for bound in bounds]


def _deviations(differences: FloatArray) -> FloatArray:
    counts = (~np.isnan(differences)).sum(axis=1)
    kept = differences[counts > 1]
    return np.nanstd(kept, axis=1, ddof=1) if len(kept) else np.zeros(0)
