"""Student's t of one sample, adjusted for the skewness of its values."""

import numpy as np

from evaluation.engine.arrays import FloatArray

NEGLIGIBLE = 1e-6
"""Added to the share of the squares that is spread, so that values with next to no spread have no skewness out of rounding."""
LEAST = 1e-18
"""Spread as a share of the squares is no smaller, so that t is a number where values are all the same."""


def adjusted_t(t: FloatArray, asymmetry: FloatArray) -> FloatArray:
    """Give t + a t^2 / 3 + a^2 t^3 / 27 + a / 6 of each element, a = `asymmetry` = skewness / sqrt(n); float64 of one shape.

    t of skewed values is itself skewed, the other way; this removes it but for terms of order 1/n. It rises with t, and changes
    its sign with t and a. Source: Hall, 1992, "On the removal of skewness by transformation".

    >>> adjusted_t(np.array([2.0, 2.0, -2.0]), np.array([0.0, 0.3, -0.3])).tolist()
    [2.0, 2.4766666666666666, -2.4766666666666666]
    """
    part = t * asymmetry / 3.0
    adjusted: FloatArray = t * (1.0 + part * (1.0 + part / 3.0)) + asymmetry / 6.0
    return adjusted


def t_of_adjusted(adjusted: FloatArray, asymmetry: FloatArray) -> FloatArray:
    """Give the t that `adjusted_t` makes into each of these, which it does of one only.

    >>> t_of_adjusted(np.array([2.0, 2.4766666666666666]), np.array([0.0, 0.3])).round(12).tolist()
    [2.0, 2.0]
    """
    without = adjusted - asymmetry / 6.0
    root = np.cbrt(1.0 + asymmetry * without)
    t: FloatArray = 3.0 * without / (root * (root + 1.0) + 1.0)
    return t


def asymmetry_of(values: FloatArray) -> FloatArray:
    """Give skewness / sqrt(n) of each row, float64 (n_rows, n): (n_rows,), to the digits that `of_sums` gives.

    >>> asymmetry_of(np.array([[0.5, -0.5, 0.1, 0.7], [0.25, 0.25, 0.25, 0.25]])).round(6).tolist()
    [-0.249391, 0.0]
    """
    length = np.sqrt(np.square(values).sum(axis=1, keepdims=True))
    unit = np.divide(values, length, out=np.zeros_like(values), where=length > 0)
    return of_sums(unit.sum(axis=1), (unit * unit * unit).sum(axis=1), values.shape[1])[1]


def of_sums(sums: FloatArray, cubes: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Give t and the asymmetry of samples of n values whose squares add up to 1 (or are all 0).

    `sums`, `cubes`: float64 of one shape, the sums of the values and of their cubes. With s = sums, w = 1 - s^2 / n:
    t = s sqrt((n - 1) / n / w), asymmetry = (cubes - 3 s / n + 2 s^3 / n^2) / w^1.5, which is skewness / sqrt(n).

    >>> values = np.array([0.5, -0.5, 0.1, 0.7])
    >>> t, asymmetry = of_sums(values.sum(), (values**3).sum(), 4)
    >>> float(t.round(12)), float(asymmetry.round(12))
    (0.755928946018, -0.249391429213)
    """
    n = max(n, 1)
    mean = sums / n
    square = mean * sums
    spread = 1.0 - square
    asymmetry = (square * 2.0 - 3.0) * mean + cubes
    above = spread + NEGLIGIBLE
    asymmetry /= above * np.sqrt(above)
    return sums * (np.sqrt((n - 1.0) / n) / np.sqrt(np.maximum(spread, LEAST))), asymmetry
