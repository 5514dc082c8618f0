"""Equivalence of runs within a margin: two one-sided paired t-tests (TOST) of each pair, corrected for all pairs."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, ratio
from evaluation.engine.significance.adjusted_t import adjusted_t, asymmetry_of
from evaluation.engine.significance.corrections import holm
from evaluation.engine.significance.families import parts_of
from evaluation.engine.significance.paired_t import moments_of_pairs

EQUIVALENT: Final = "equivalent"
NOT_SHOWN: Final = "not shown"
UNKNOWN: Final = "cannot be told"


@dataclass(frozen=True)
class Equivalence:
    """`p`: of each pair by itself; `p_corrected`: after Holm; float64 (n_pairs,), both NaN where nothing can be told."""

    p: FloatArray
    p_corrected: FloatArray

    def in_words(self, alpha: float) -> list[str]:
        """Of each pair whether it is shown to be equivalent at this level: EQUIVALENT, NOT_SHOWN or UNKNOWN."""
        said = np.select([np.isnan(self.p), self.p_corrected < alpha], [UNKNOWN, EQUIVALENT], NOT_SHOWN)
        words: list[str] = said.tolist()
        return words


def equivalence(matrix: FloatArray, pairs: IntArray, margin: float) -> Equivalence:
    """Test whether the mean differences of these pairs lie between -margin and margin.

    `matrix` float64 (n_runs, n_topics), NaN for a topic that a run lacks: a pair is tested over the topics that both have.
    `pairs` int64 (n_pairs, 2). `margin`: in units of the values, above 0, else ValueError.
    p is the larger one of two one-sided p of Student's t, n - 1 degrees of freedom: that the mean is at most -margin, by
    t = (mean(d) + margin) / (sd(d) / sqrt(n)), and that it is at least margin, by (mean(d) - margin) / (sd(d) / sqrt(n)). Each
    is the larger one by t and by t adjusted for the skewness of the differences (`adjusted_t`): the first finds too much where
    they are skewed, the second a little too much where they have heavy tails.
    As both must be refused, each is tested at the full level (Berger, 1982). No p is below 2^(1 - n), which the signs of n
    differences can give at most. With fewer than two topics, or differences without any spread, nothing can be told: NaN.
    `p_corrected` is Holm's over all the pairs, those of which nothing can be told among them: it needs nothing but that each p
    keeps its level, however the pairs hang together.
    Sources: Schuirmann, 1987; Hall, 1992; Holm, 1979.

    >>> from evaluation.engine.significance.families import all_pairs
    >>> one, other = [0.3, 0.5, 0.6, 0.4, 0.2, 0.5, 0.7], [0.31, 0.5, 0.61, 0.4, 0.21, 0.5, 0.7]
    >>> found = equivalence(np.array([one, other, [0.3, 0.7, 0.9, 0.4, 0.2, 0.8, 0.7], one]), all_pairs(4)[:3], 0.02)
    >>> found.p.round(3).tolist(), found.p_corrected.round(3).tolist(), found.in_words(0.05)
    ([0.016, 0.946, nan], [0.047, 1.0, nan], ['equivalent', 'not shown', 'cannot be told'])
    """
    if not (np.isfinite(margin) and margin > 0):
        raise ValueError(f"A margin must be above 0: {margin}.")
    parts = [_p(matrix[part[:, 0]], matrix[part[:, 1]], margin) for part in parts_of(pairs)]
    p = np.concatenate(parts)
    corrected = holm(np.where(np.isnan(p), 1.0, p))
    return Equivalence(p, np.where(np.isnan(p), np.nan, corrected))


def _p(x: FloatArray, y: FloatArray, margin: float) -> FloatArray:
    from scipy.special import stdtr  # slow to load, and 27 MB

    difference, error, n_topics = moments_of_pairs(x, y)
    freedom = np.maximum(n_topics - 1, 1)
    centred = x - y - difference[:, np.newaxis]
    asymmetry = asymmetry_of(np.where(np.isnan(centred), 0.0, centred))
    above, below = ratio(difference + margin, error), ratio(difference - margin, error)
    least = np.minimum(above, adjusted_t(above, asymmetry)), np.minimum(-below, -adjusted_t(below, asymmetry))
    p = stdtr(freedom, -np.minimum(*least))
    can_tell = (n_topics > 1) & (error > 0.0)
    return np.where(can_tell, np.maximum(p, 2.0 ** (1 - n_topics)), np.nan)
