"""p-values corrected for how many hypotheses are tested together."""

from collections.abc import Callable
from typing import Final

import numpy as np

from evaluation.engine.arrays import FloatArray


def none(p: FloatArray) -> FloatArray:
    """Leave p-values, float64 (m,), as they are: each holds for its own comparison only."""
    return p.copy()


def bonferroni(p: FloatArray) -> FloatArray:
    """Multiply p-values, float64 (m,), by their number: the family-wise error rate holds. min(1, m * p).

    >>> bonferroni(np.array([0.04, 0.01, 0.6])).round(3).tolist()
    [0.12, 0.03, 1.0]
    """
    return np.minimum(p * len(p), 1.0)


def holm(p: FloatArray) -> FloatArray:
    """Correct p-values, float64 (m,), for their number so that the family-wise error rate holds (Holm, 1979).

    Step-down: the i-th smallest of m becomes the largest (m - j + 1) * p_(j) for j <= i, at most 1. Order is kept.

    >>> holm(np.array([0.04, 0.01, 0.03])).round(3).tolist()
    [0.06, 0.03, 0.06]
    """
    m = len(p)
    ascending = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[ascending] * (m - np.arange(m)))
    corrected = np.empty(m)
    corrected[ascending] = np.minimum(stepped, 1.0)
    return corrected


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Correct p-values, float64 (m,), so that the expected share of wrong rejections holds: no family-wise error rate.

    Step-up: the i-th smallest of m becomes the smallest m * p_(j) / j for j >= i. Order is kept. Source: Benjamini and
    Hochberg, 1995.

    >>> benjamini_hochberg(np.array([0.04, 0.01, 0.03])).round(3).tolist()
    [0.04, 0.03, 0.04]
    """
    m = len(p)
    descending = np.argsort(-p, kind="stable")
    stepped = np.minimum.accumulate(p[descending] * (m / np.arange(m, 0, -1)))
    corrected = np.empty(m)
    corrected[descending] = np.minimum(stepped, 1.0)
    return corrected


CORRECTED: Final[dict[str, Callable[[FloatArray], FloatArray]]] = {
    "none": none,
    "bonferroni": bonferroni,
    "holm": holm,
    "bh": benjamini_hochberg,
}
"""By the names of `declarations.CORRECTIONS`."""


def resamples_needed(n_comparisons: int, alpha: float = 0.05) -> int:
    """How many resamples the smallest possible p, 1 / (resamples + 1), needs to be significant after Bonferroni or Holm.

    Ten times the least, so that the smallest p is not decided by a single resample: ceil(10 * n_comparisons / alpha).

    >>> resamples_needed(4950)
    990000
    """
    return int(np.ceil(10 * n_comparisons / alpha))
