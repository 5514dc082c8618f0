"""What the values of a board say of its own tests: spread and symmetry, ties, and the smallest difference they could show."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, ratio
from evaluation.engine.significance.adjusted_t import asymmetry_of, t_of_adjusted
from evaluation.engine.significance.anova import tukey_half_width
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.families import by_parts, parts_of
from evaluation.engine.significance.max_t import critical_t
from evaluation.engine.significance.paired_t import moments

FLIPS: Final = 1_000
"""From so many the critical value is known to about 2 %, also for boards on which more would take seconds."""
NOISE: Final = 1e-9
"""Differences so small are none: values are rounded to nine digits."""


@dataclass(frozen=True)
class Diagnostics:
    """Of the differences between the runs of each pair, by topic. Floats are NaN where nothing can be told.

    `n_topics`: that both runs of a pair have, the fewest. `n_pairs`: compared. `n_same`: pairs without a difference on any
    topic; `n_tied`: pairs with one mean, those included. `least_deviation`, `median_deviation`, `most_deviation`: standard
    deviations over topics, with divisor n - 1, of pairs that differ. `n_skewed`: pairs whose skewness is farther from 0 than
    twice its standard error where differences are normal, as about 5 % then are; `most_skewness`: the largest, whatever its
    sign.
    `alike_up_to`: so many times the smallest standard deviation the largest is at most on 95 % of boards of pairs that vary
    alike and are normal. `least_shown`, `median_shown`: the smallest and the median of the mean differences from which on the
    first step of the test shows a pair to differ; inf where no difference could be shown; NaN for tests that test no means. By
    max-t they go by the skewness of the pair, and the side on which its mean difference lies.
    """

    n_topics: int
    n_pairs: int
    n_same: int
    n_tied: int
    least_deviation: float
    median_deviation: float
    most_deviation: float
    n_skewed: int
    most_skewness: float
    alike_up_to: float
    least_shown: float
    median_shown: float


def diagnostics(
    matrix: FloatArray,
    pairs: IntArray,
    test: str = "max-t",
    correction: str = "none",
    *,
    family: IntArray | None = None,
    seed: int = 0,
    level: float = 0.95,
) -> Diagnostics:
    """Look at the differences that a test goes by; `matrix` float64 (n_runs, n_topics), NaN for a topic that a run lacks.

    `pairs`: int64 (n_pairs, 2), those compared; `family`: those whose p hold together, if there are more. Skewness:
    m3 / m2^1.5, of central moments with divisor n; its standard error: sqrt(6 (n - 2) / ((n + 1) (n + 3))) (Cramer, 1946).
    The smallest differences: critical t of the pair * standard deviation / sqrt(n); of Tukey HSD half the width of its intervals.

    >>> values = np.array([[0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.4, 0.4, 0.6, 0.6], [0.1, 0.2, 0.3, 0.4, 0.5]])
    >>> found = diagnostics(values, np.array([[0, 1], [0, 2]]), "t")
    >>> found.n_same, round(found.least_deviation, 4), round(found.least_shown, 3)
    (1, 0.0548, 0.068)
    """
    matrix = matrix[:, ~np.isnan(matrix).any(axis=0)] if TESTS[test].by_common_topics else matrix
    n_topics, mean, deviation, skewness = _shapes_of(matrix, pairs)
    differs, tied = (deviation > NOISE) & (n_topics > 1), (np.abs(mean) <= NOISE) & (n_topics > 0)
    fewest = int(n_topics.min(initial=matrix.shape[1]))
    has_shape = differs & (n_topics > 2)
    skewed = np.abs(skewness[has_shape])
    critical = _critical(matrix, pairs if family is None else family, test, correction, seed=seed, level=level)
    shown = _shown(matrix, pairs[differs], critical, deviation[differs], n_topics[differs], test, level)
    return Diagnostics(
        fewest,
        len(pairs),
        int(np.count_nonzero((deviation <= NOISE) & tied)),
        int(np.count_nonzero(tied)),
        *_ends(deviation[differs]),
        int(np.count_nonzero(skewed > 2.0 * _error_of_skewness(n_topics[has_shape]))),
        _ends(skewed)[2],
        _alike_up_to(int(np.count_nonzero(differs)), fewest),
        *_ends(shown)[:2],
    )


def _ends(values: FloatArray) -> tuple[float, float, float]:
    """The smallest, the median and the largest value; NaN of none."""
    if not len(values):
        return np.nan, np.nan, np.nan
    return float(values.min()), float(np.median(values)), float(values.max())


def _shapes_of(matrix: FloatArray, pairs: IntArray) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Of the differences of each pair the number of topics, the mean, the standard deviation and the skewness."""
    parts = [_shapes(matrix[part[:, 0]] - matrix[part[:, 1]]) for part in parts_of(pairs)]
    n_topics, mean, deviation, skewness = (np.concatenate(of_parts) for of_parts in zip(*parts, strict=True))
    return n_topics, mean, deviation, skewness


def _shapes(differences: FloatArray) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    mean, error, n_topics = moments(differences)
    centred = np.where(np.isnan(differences), 0.0, differences - mean[:, np.newaxis])
    squares = np.square(centred)
    second, third = ratio(squares.sum(axis=1), n_topics), ratio((squares * centred).sum(axis=1), n_topics)
    return n_topics, mean, error * np.sqrt(n_topics), ratio(third, second**1.5)


def _alike_up_to(n_pairs: int, n_topics: int) -> float:
    """By Bonferroni over so many variances, each chi-square of n_topics - 1 degrees of freedom."""
    from scipy.special import chdtri  # slow to load, and 27 MB

    if n_pairs < 2 or n_topics < 2:
        return np.inf
    tail, freedom = 0.05 / (2.0 * n_pairs), n_topics - 1.0
    return float(np.sqrt(chdtri(freedom, tail) / chdtri(freedom, 1.0 - tail)))


def _error_of_skewness(n: IntArray) -> FloatArray:
    error: FloatArray = np.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3.0)))
    return error


def _critical(
    matrix: FloatArray, pairs: IntArray, test: str, correction: str, *, seed: int, level: float
) -> FloatArray:
    """By number of topics, the least |t|, of max-t adjusted, that is shown in the first step: float64 (n_topics + 1,); NaN for
    tests without one.

    Of max-t by FLIPS flips; of t and the randomisation test Student's, at (1 - level) / n_pairs after Holm and Bonferroni and at
    1 - level without a correction.
    """
    from scipy.special import stdtrit  # slow to load, and 27 MB

    none = np.full(matrix.shape[1] + 1, np.nan)
    if test == "max-t":
        return np.full(matrix.shape[1] + 1, critical_t(matrix, pairs, FLIPS, seed, level))
    if test not in ("t", "randomisation") or correction == "bh":
        return none
    n_compared = len(pairs) if correction in ("holm", "bonferroni") else 1
    freedom = np.maximum(np.arange(matrix.shape[1] + 1) - 1, 1)
    critical: FloatArray = stdtrit(freedom, 1.0 - (1.0 - level) / (2.0 * max(n_compared, 1)))
    if test == "randomisation":  # no p is less than so few flips can give
        critical = np.where(n_compared * 2.0**-freedom >= 1.0 - level, np.inf, critical)
    return critical


def _shown(
    matrix: FloatArray,
    pairs: IntArray,
    critical: FloatArray,
    deviation: FloatArray,
    n_topics: IntArray,
    test: str,
    level: float,
) -> FloatArray:
    """The least mean difference of each pair that is shown in the first step: float64 (n_pairs,)."""
    if test == "max-t":
        return _shown_by_max_t(matrix, pairs, critical)
    if test == "tukey":
        return np.full(len(deviation), tukey_half_width(matrix, level))
    return critical[n_topics] * deviation / np.sqrt(np.maximum(n_topics, 1))


def _shown_by_max_t(matrix: FloatArray, pairs: IntArray, critical: FloatArray) -> FloatArray:
    """The same on the side on which the mean difference of the pair lies, for its skewness."""
    if np.isinf(critical[-1]):
        return np.full(len(pairs), np.inf)

    def of_part(part: IntArray) -> FloatArray:
        differences = matrix[part[:, 0]] - matrix[part[:, 1]]
        mean, error, _ = moments(differences)
        towards: FloatArray = np.where(mean < 0, -1.0, 1.0)
        return t_of_adjusted(np.full(len(part), critical[-1]), towards * asymmetry_of(differences)) * error

    return by_parts(of_part, pairs)
