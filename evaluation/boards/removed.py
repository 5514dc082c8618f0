"""Means and ranks of runs over the topics that count, beside those with the removed topics."""

from typing import Any

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import summary_of_compared
from evaluation.engine.significance.standing import DIGITS


def with_and_without(values: FloatArray, counting: int, measure: str) -> list[dict[str, Any]]:
    """Compute them run by run. `values`: float64 (n_runs, n_topics), the first `counting` topics are those that count.

    >>> with_and_without(np.array([[0.5, 0.0], [0.25, 1.0]]), 1, "AP")[0]
    {'mean_without': 0.5, 'rank_without': 1, 'mean_with': 0.25, 'rank_with': 2}
    """
    definition = parse_measure(measure).definition
    without = np.array([summary_of_compared(row[:counting], definition) for row in values])
    of_all = np.array([summary_of_compared(row, definition) for row in values])
    ranks = [_ranks(means, lower_is_better=definition.lower_is_better) for means in (without, of_all)]
    return [
        {
            "mean_without": float(without[run]),
            "rank_without": int(ranks[0][run]),
            "mean_with": float(of_all[run]),
            "rank_with": int(ranks[1][run]),
        }
        for run in range(len(values))
    ]


def _ranks(means: FloatArray, *, lower_is_better: bool) -> FloatArray:
    """The best rank that each mean shares."""
    goodness = np.round(-means if lower_is_better else means, DIGITS)
    ranks: FloatArray = 1 + (goodness[np.newaxis] > goodness[:, np.newaxis]).sum(axis=1)
    return ranks
