"""What each measure tells apart, and how many topics would tell a wanted difference."""

from typing import Any, Final

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.reliability.collection import Collection, Step, finite
from evaluation.engine.reliability.design import topics_for_a_pair, topics_for_any, variance_components
from evaluation.engine.reliability.topics_needed import topics_needed
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.families import all_pairs

LEVEL: Final = 0.05
NINE_OF_TEN: Final = 0.9


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
        nothing = dict.fromkeys(("shown", "smallest_shown", "topics_needed", "design"))
        return {"measure": measure.name, "pairs": len(pairs), **nothing, "difference": difference}
    tested = compare(values, pairs, seed=seed)
    shown = tested.p < LEVEL
    usual = float(np.quantile(deviations, NINE_OF_TEN))
    return {
        "measure": measure.name,
        "pairs": len(pairs),
        "shown": float(shown.mean()),
        "smallest_shown": finite(np.abs(tested.difference[shown]).min()) if shown.any() else None,
        "topics_needed": topics_needed(usual, difference),
        "difference": difference,
        "design": _design(values, difference),
    }


def _design(values: FloatArray, difference: float) -> dict[str, Any] | None:
    """The variance components, and topics needed by them; None where fewer than two topics have values of all runs."""
    if (~np.isnan(values).any(axis=0)).sum() < 2:
        return None
    parts = variance_components(values)
    return {
        "variance_of_runs": parts.runs,
        "variance_of_topics": parts.topics,
        "variance_left": parts.left,
        "topics_for_any": topics_for_any(len(values), parts.left, difference),
        "topics_for_a_pair": topics_for_a_pair(len(values), parts.left, difference),
    }


def _deviations(differences: FloatArray) -> FloatArray:
    counts = (~np.isnan(differences)).sum(axis=1)
    kept = differences[counts > 1]
    return np.nanstd(kept, axis=1, ddof=1) if len(kept) else np.zeros(0)
