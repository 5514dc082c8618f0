"""Distributions of largest differences of means that are measured in a common standard error, for many values at once."""

from collections.abc import Callable
from functools import cache

import numpy as np

from evaluation.engine.arrays import FloatArray

NODES = 128
FEW_FREEDOM = 10
WIDEST = 9.0
"""Standard deviations: outside there is less than 1e-18 of a normal distribution."""
TABLE = 1600
"""Widths at which the integral over the means is computed; between them it is smooth."""


def range_survival(q: FloatArray, n_groups: int, freedom: float = np.inf) -> FloatArray:
    """P(Q >= q) of the studentized range of `n_groups` means with `freedom` degrees of freedom; q and result float64 (n,).

    Q = (largest - smallest of the means) / their estimated standard error. By Gauss-Legendre quadrature over the smallest
    mean and over the error; absolute error below 1e-8. scipy's `studentized_range.sf` takes 2 ms for each value.

    >>> range_survival(np.array([0.0, 3.877676]), 3, 10.0).round(4).tolist()
    [1.0, 0.0499]
    """
    from scipy.special import ndtr  # slow to load, and 27 MB

    z, z_weights = _nodes(-WIDEST, WIDEST)
    density = z_weights * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * n_groups

    def within(width: FloatArray) -> FloatArray:

        between = ndtr(z + width[..., np.newaxis]) - ndtr(z)
        share: FloatArray = (between ** (n_groups - 1) * density).sum(axis=-1)
        return share

    return _over_errors(q, within, freedom)


def largest_survival(d: FloatArray, n_others: int, freedom: float = np.inf) -> FloatArray:
    """P(D >= d), D the largest of `n_others` differences with one mean, over the standard error of a difference; (n,).

    One-sided, all means equally often measured (Dunnett, 1955).

    >>> largest_survival(np.array([1.812461]), 1, 10.0).round(6).tolist()
    [0.05]
    """
    from scipy.special import ndtr  # slow to load, and 27 MB

    z, z_weights = _nodes(-WIDEST, WIDEST)
    density = z_weights * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)

    def within(width: FloatArray) -> FloatArray:

        share: FloatArray = (ndtr(z + np.sqrt(2.0) * width[..., np.newaxis]) ** n_others * density).sum(axis=-1)
        return share

    return _over_errors(d, within, freedom)


def _over_errors(values: FloatArray, within: Callable[[FloatArray], FloatArray], freedom: float) -> FloatArray:
    """1 - the mean of `within`(value * s) over the error s, a chi variable over the root of its degrees of freedom."""
    errors, weights = _errors(freedom)
    widths = np.minimum(np.multiply.outer(values, errors), 2 * WIDEST)
    if widths.size <= TABLE:
        few: FloatArray = np.clip(1.0 - (within(widths) * weights).sum(axis=-1), 0.0, 1.0)
        return few
    from scipy.interpolate import CubicSpline  # slow to load: no process of a site waits for it until it is used

    places = np.linspace(0.0, float(widths.max(initial=1.0)), TABLE)
    smooth = CubicSpline(places, np.concatenate([within(some) for some in np.array_split(places, TABLE // 100)]))
    survival: FloatArray = np.clip(1.0 - (smooth(widths) * weights).sum(axis=-1), 0.0, 1.0)
    return survival


def _errors(freedom: float) -> tuple[FloatArray, FloatArray]:
    from scipy.special import chdtri, gammaln  # slow to load, and 27 MB

    if np.isinf(freedom):
        return np.ones(1), np.ones(1)
    least, most = np.log(chdtri(freedom, np.array([1 - 1e-13, 1e-13])) / freedom) / 2.0
    # By the logarithm of s: of few degrees of freedom, the error may be a small part of what is expected.
    log_s, weights = _nodes(float(least), float(most), 64 if freedom > FEW_FREEDOM else NODES)
    half = freedom / 2.0
    log_density = np.log(2.0) + half * np.log(half) - gammaln(half) + freedom * log_s - half * np.exp(2.0 * log_s)
    return np.exp(log_s), weights * np.exp(log_density)


def _nodes(low: float, high: float, count: int = NODES) -> tuple[FloatArray, FloatArray]:
    x, weights = _legendre(count)
    return low + (high - low) * (x + 1.0) / 2.0, weights * (high - low) / 2.0


@cache
def _legendre(count: int) -> tuple[FloatArray, FloatArray]:
    """Finding the nodes takes longer than most integrals over them."""
    return np.polynomial.legendre.leggauss(count)
