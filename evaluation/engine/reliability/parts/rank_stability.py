"""Whether other topics, or other assessors, would put the runs into the same order."""

from typing import Any, Final

import numpy as np

from evaluation.engine.analyses.tau_interval import FEWEST_TOPICS, tau_interval, widened
from evaluation.engine.arrays import FloatArray
from evaluation.engine.reliability.collection import Collection, PartMissing, finite, means_of, values_of
from evaluation.engine.reliability.sets_of_judgments import TwoOrders, orders_compared
from evaluation.engine.reliability.split_halves import split_halves

QUANTILES: Final = {"low": 0.025, "median": 0.5, "high": 0.975}


def split_half(of: Collection) -> dict[str, Any]:
    """Tau between the orders by two halves of the topics: its mean and quantiles over many draws."""
    halves = split_halves(of.ordering_values(), seed=of.settings.seed)
    known: FloatArray = halves.known
    if not len(known):
        raise PartMissing(
            "In each draw all runs have equal means on one half of the topics: the orders cannot be compared."
        )
    quantiles = {name: float(np.quantile(known, share)) for name, share in QUANTILES.items()}
    return {
        "topics": halves.topics,
        "draws": len(halves.tau),
        "defined": len(known),
        "mean": float(known.mean()),
        "interval": _of_other_topics(known, of.values.shape[2]),
        **quantiles,
    }


def _of_other_topics(known: FloatArray, topics: int) -> list[float] | None:
    """Where tau of two new sets of as many topics as a half would lie: the draws share topics, their range is too narrow."""
    if topics < 2 * FEWEST_TOPICS or np.ptp(known) == 0:
        return None
    return list(widened(float(known.mean()), known, topics))


def assessor_effect(of: Collection) -> dict[str, Any]:
    """How far the orders by two or more sets of judgments of the same documents, and by their union, agree."""
    if of.others is None:
        raise PartMissing("There is one set of judgments only: no topic was judged twice.")
    common, names = of.others.common, list(of.others.common.tables)
    if not common.documents:
        raise PartMissing("No document is judged by all sets.")
    if len(of.names) < 2:
        raise PartMissing("Two runs are needed.")
    of.require_whole_documents()
    sign = -1.0 if of.first.definition.lower_is_better else 1.0
    values = [values_of(runs, of.first) for runs in of.others.runs]
    means = np.array([sign * means_of(of_set, of.first) for of_set in values])
    is_mean = of.first.definition.summary == "mean"
    return {
        "sets": names,
        "topics": common.topics,
        "documents": common.documents,
        "overlap": finite(common.overlap),
        "assessors": list(of.others.assessors),
        "pairs": [_pair(two, names, of.names, values if is_mean else None) for two in orders_compared(means)],
    }


def _pair(two: TwoOrders, sets: list[str], runs: Any, values: list[FloatArray] | None) -> dict[str, Any]:
    interval = None if values is None else tau_interval(values[two.first], values[two.second])
    return {
        "first": sets[two.first],
        "second": sets[two.second],
        "tau": finite(two.tau),
        "tau_interval": interval and list(interval),
        "tau_ap": finite(two.tau_ap) if np.isfinite(two.tau) else None,
        "largest_fall": two.largest_fall,
        "falling_run": runs[two.falling_run] if two.largest_fall else None,
    }
