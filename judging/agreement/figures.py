"""PURE: how far assessors agree who graded the same documents.

Grades come as float64 of shape (documents, assessors), NaN where an assessor gave none. A scale is the ascending list of its
grades; measures of order use the places on it, not the numbers, which have no unit. Figures that nothing defines are NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Level = Literal["nominal", "ordinal"]
Weights = Literal["none", "linear", "quadratic"]

NOMINAL: Final = "nominal"
ORDINAL: Final = "ordinal"
LEAST: Final = -1.0
"""No alpha of two assessors is less."""


def votes(grades: Floats, scale: Sequence[int]) -> Counts:
    """How many assessors gave each document each grade of the scale: int64 (documents, grades).

    >>> votes(np.array([[0, 2, np.nan], [1, 1, 1]]), [0, 1, 2]).tolist()
    [[1, 0, 1], [0, 3, 0]]
    """
    return np.stack([(grades == grade).sum(axis=1) for grade in scale], axis=1).astype(np.int64)


def confusion(first: Floats, second: Floats, scale: Sequence[int]) -> Counts:
    """Documents by the grades of two assessors, of those that both graded: int64 (grades, grades), rows the first one's.

    >>> confusion(np.array([0.0, 1.0, np.nan]), np.array([0.0, 0.0, 1.0]), [0, 1]).tolist()
    [[1, 0], [1, 0]]
    """
    rows, columns = ((each[:, None] == np.asarray(scale)).astype(np.int64) for each in (first, second))
    return np.asarray(rows.T @ columns, dtype=np.int64)


def overlap(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> float:
    """|A and B| / |A or B| of the documents that each of two assessors found relevant, in [0, 1]; NaN where neither found any.

    Source: Voorhees 2000, Variations in relevance judgments and the measurement of retrieval effectiveness.

    >>> overlap(np.array([True, True, False]), np.array([True, False, False]))
    0.5
    """
    either = int((first | second).sum())
    return int((first & second).sum()) / either if either else float("nan")


def cohen_kappa(table: Counts, weights: Weights = "none") -> float:
    """Cohen's kappa of two assessors, at most 1: 1 - sum(w o) / sum(w e), o the table, e what independence would give.

    w is 1 off the diagonal; with linear or quadratic weights the distance of the places on the scale, or its square. NaN
    where both gave one and the same grade only. Sources: Cohen 1960, 1968.

    >>> round(cohen_kappa(np.array([[20, 5], [10, 15]])), 3)
    0.4
    """
    places = np.arange(len(table))
    distance = np.abs(places[:, None] - places[None, :]).astype(np.float64)
    disagreement = {"none": (distance > 0).astype(np.float64), "linear": distance, "quadratic": distance**2}[weights]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(table.sum(), 1)
    chance = float((disagreement * expected).sum())
    return 1 - float((disagreement * table).sum()) / chance if chance else float("nan")


def fleiss_kappa(counted: Counts) -> float:
    """Fleiss' kappa, at most 1, of documents that equally many assessors graded, at least two: (P - Pe) / (1 - Pe).

    `counted`: as `votes` gives it. NaN without documents, or where all grades are one. Raises ValueError where the documents
    have different numbers of grades. Source: Fleiss 1971.

    >>> round(fleiss_kappa(np.array([[2, 0], [1, 1], [0, 2], [2, 0]])), 3)
    0.467
    """
    raters = counted.sum(axis=1)
    if not len(raters):
        return float("nan")
    if raters.min() != raters.max() or raters.min() < 2:
        raise ValueError("Fleiss' kappa needs documents that the same number of assessors, at least two, graded.")
    shares = counted.sum(axis=0) / counted.sum()
    agreed = float((counted * (counted - 1)).sum() / (raters * (raters - 1)).sum())
    by_chance = float((shares**2).sum())
    return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def coincidences(counted: Counts) -> Floats:
    """Pairs of grades of one document, each document with the weight of its number of grades: float64 (grades, grades).

    o_ck = sum over documents of n_c (n_k - [c = k]) / (m - 1), of those with m >= 2 grades. Source: Krippendorff 2011.

    >>> coincidences(np.array([[2, 1], [1, 0]])).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """
    given = counted.sum(axis=1)
    used = counted[given > 1].astype(np.float64)
    weighted = used / (given[given > 1, None] - 1)
    return np.asarray(weighted.T @ used - np.diag(weighted.sum(axis=0)), dtype=np.float64)


def krippendorff_alpha(observed: Floats, level: Level = ORDINAL) -> Floats | float:
    """Krippendorff's alpha of one table of coincidences, or of each of a stack (..., grades, grades); at most 1.

    1 - (n - 1) sum(o d) / sum(n_c n_k d) with d = [c != k] for nominal grades, and for ordinal ones
    d = (n_c / 2 + n_(c+1) + ... + n_k / 2)^2. NaN where all grades are one, or no document has two. Source: Krippendorff 2011.

    >>> table = coincidences(np.array([[2, 0], [1, 1], [0, 2], [2, 0]]))
    >>> round(krippendorff_alpha(table, "nominal"), 3)
    0.533
    """
    totals = observed.sum(axis=-1)
    expected = totals[..., :, None] * totals[..., None, :]
    if level == ORDINAL:
        middle = np.cumsum(totals, axis=-1) - totals / 2
        distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        distance = 1.0 - np.eye(observed.shape[-1])
    disagreed, chance = (observed * distance).sum(axis=(-2, -1)), (expected * distance).sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = 1 - (totals.sum(axis=-1) - 1) * disagreed / chance
    return float(alpha) if np.ndim(alpha) == 0 else np.asarray(alpha, dtype=np.float64)


def alpha_interval(by_topic: Floats, level: Level = ORDINAL, *, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of alpha over topics, whose documents are judged by the same people under the same need, within [-1, 1].

    `by_topic`: the coincidences of each topic, float64 (topics, grades, grades); topics without any do not count. The jackknife
    over topics: f +- t * sqrt((T - 1) / T * sum((f_i - mean f_i)^2)) of f = log(1 - alpha), f_i without topic i, t Student's
    quantile of T - 1 degrees of freedom; of f = alpha itself where the grades agree wholly without some topic. NaN with fewer
    than two topics, where all grades agree, and where alpha is not defined without some topic. Source: Miller, 1974.

    >>> topics = [coincidences(np.array(rows)) for rows in ([[2, 0], [1, 1], [0, 2]], [[2, 0], [0, 2]], [[0, 2], [1, 1]])]
    >>> [round(bound, 2) for bound in alpha_interval(np.stack(topics))]
    [-1.0, 0.91]
    """
    from scipy.special import stdtrit  # slow to load, and 27 MB

    by_topic = by_topic[by_topic.sum(axis=(1, 2)) > 0]
    n_topics, whole = len(by_topic), by_topic.sum(axis=0)
    if n_topics < 2:
        return float("nan"), float("nan")
    alpha = float(krippendorff_alpha(whole, level))
    without = np.asarray(krippendorff_alpha(whole - by_topic, level))
    if np.isnan(without).any() or not alpha < 1:
        return float("nan"), float("nan")
    t = float(stdtrit(n_topics - 1, 0.5 + confidence / 2))
    if (without < 1).all():
        half = t * _jackknife_error(np.log(1 - without))
        low, high = 1 - (1 - alpha) * np.exp(half), 1 - (1 - alpha) * np.exp(-half)
    else:
        half = t * _jackknife_error(without)
        low, high = alpha - half, alpha + half
    return max(float(low), LEAST), min(float(high), 1.0)


def _jackknife_error(without: Floats) -> float:
    """The standard error of a figure by its values without each topic."""
    n_topics = len(without)
    return float(np.sqrt((n_topics - 1) / n_topics * np.square(without - without.mean()).sum()))


def strictness(grades: Floats) -> Floats:
    """By how many steps each assessor grades below the others, on the documents shared with them: float64 (assessors,).

    `grades`: places on the scale, float64 (documents, assessors).

    The mean over these documents of (mean grade of the others - own grade); NaN for one who shares none.

    >>> strictness(np.array([[0.0, 2.0], [1.0, 1.0], [np.nan, 3.0]])).tolist()
    [1.0, -1.0]
    """
    given = ~np.isnan(grades)
    filled = np.where(given, grades, 0.0)
    others = given.sum(axis=1, keepdims=True) - given
    shared = given & (others > 0)
    mean_of_others = (filled.sum(axis=1, keepdims=True) - filled) / np.maximum(others, 1)
    below = np.where(shared, mean_of_others - filled, 0.0).sum(axis=0)
    documents = shared.sum(axis=0)
    means = np.full(grades.shape[1], np.nan)
    np.divide(below, documents, out=means, where=documents > 0)
    return means
