"""Every run against the one of the highest mean, which is known only after the scores are seen."""

from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray
from evaluation.engine.significance.corrections import holm
from evaluation.engine.significance.paired_t import ROUNDING, PairedT, moments, paired_t


@dataclass(frozen=True)
class ComparisonWithBest(PairedT):
    """Every run against the best one; arrays of shape (n_runs,), differences are run minus best.

    `best`: index of the run of the highest mean, the first of those equal but for rounding; its own row holds
    difference 0 and p 1.
    `p_holm`: p corrected for all n_runs * (n_runs - 1) / 2 pairs of runs. `not_shown_to_differ`: bool, p_holm is above
    1 - level.
    """

    best: int
    p_holm: FloatArray
    not_shown_to_differ: BoolArray


def compare_with_best(matrix: FloatArray, level: float = 0.95) -> ComparisonWithBest:
    """Test every run against the run of the highest mean, p-values corrected by Holm's method over all pairs of runs.

    The run of the highest mean is known only after the scores are seen, so each comparison with it is one of all pairs:
    corrected for all of them, the probability that any two runs of equal expectation are said to differ is at most
    1 - level. `matrix` is float64 (n_runs, n_topics), n_runs >= 1; NaN is a topic for which a run has no value: a pair is
    tested over the topics that both have. Source: Holm, 1979.

    >>> found = compare_with_best(np.array([[0.2, 0.4, 0.6], [0.3, 0.5, 0.8], [0.1, 0.1, 0.9]]))
    >>> found.best, found.difference.round(3).tolist(), found.p_holm.round(3).tolist()
    (1, [-0.133, 0.0, -0.167], [0.172, 1.0, 0.74])
    """
    means, _, n_topics = moments(matrix)
    means = np.where(n_topics > 0, means, -np.inf) if matrix.shape[-1] else means
    noise = ROUNDING * np.abs(matrix).max(initial=0.0, where=~np.isnan(matrix))
    best = int(np.argmax(means >= means.max() - noise))
    p_holm = _p_holm_of_pairs(matrix)[best]
    test = paired_t(matrix, matrix[best], level)
    return ComparisonWithBest(**vars(test), best=best, p_holm=p_holm, not_shown_to_differ=p_holm > 1.0 - level)


def _p_holm_of_pairs(matrix: FloatArray) -> FloatArray:
    """Give the paired t-tests' p of all pairs of runs, corrected for their number: float64 (n_runs, n_runs), symmetric.

    The diagonal is 1. One run against all later ones at a time, so that memory holds n_runs * n_topics differences only.
    """
    n_runs = len(matrix)
    later = [paired_t(matrix[run + 1 :], matrix[run]).p for run in range(n_runs - 1)]
    corrected = np.ones((n_runs, n_runs))
    first, second = np.triu_indices(n_runs, 1)
    corrected[first, second] = corrected[second, first] = holm(np.concatenate([np.empty(0), *later]))
    return corrected
