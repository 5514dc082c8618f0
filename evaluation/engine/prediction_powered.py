"""Means of sums over documents, from grades of a model that a random sample of people's grades corrects.

Document i is worth y_i by people and f_i by the model; a measure that is a weighted sum over documents has the mean
sum(w y) / T over T topics. In stratum h, n_h of N_h documents were drawn at random without replacement and judged by people,
S_h. With a = w f, b = w y:

mean = (power sum(a) + sum over h of N_h / n_h sum over S_h of (b - power a)) / T
variance = sum over h of N_h^2 (1 - n_h / N_h) / n_h s_h^2(b - power a) / T^2
power of least variance = sum over h of c_h cov_h(a, b) / sum over h of c_h var_h(a), cut to 0..1, c_h the factor of s_h^2

For each fixed power the mean is unbiased, whatever the model says; power 0 leaves the model out, 1 takes it whole. Strata of one
drawn document are put together for the variance, which makes it too large rather than too small. The topics are fixed: the
interval is of what people would have found on them. Ratios of such sums, as nDCG and AP are, have no such formula here.

Sources: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023 (prediction-powered inference); Angelopoulos, Duchi and Zrnic 2023
(the power); Cochran 1977, 5.3 and 5A.12 (strata).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from evaluation.engine.arrays import FloatArray, IntArray

LEAST_JUDGED = 30
"""Of fewer judged documents that count in a mean, the normal interval would be too narrow."""


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """`model`: the mean by the grades of the model alone, which nothing corrects. `mean`: the corrected one, with `low` and
    `high` of its interval, NaN where there is none. `power`: how much of the model is used, from 0 to 1. `judged`: documents
    with a weight that people judged.
    """

    model: float
    mean: float
    low: float
    high: float
    power: float
    judged: int

    @property
    def has_interval(self) -> bool:
        return bool(np.isfinite(self.low))


def prediction_powered_mean(
    weights: FloatArray,
    predicted: FloatArray,
    observed: FloatArray,
    stratum: IntArray,
    n_topics: int,
    *,
    power: float | None = None,
    level: float = 0.95,
) -> CorrectedMean:
    """Estimate sum(w y) / n_topics by the formulas above; they are NaN where nothing was drawn of a stratum.

    One element for each document that could have been drawn, over all topics: `weights` w and `predicted` f (what it is worth
    by the model) float64 (n,); `observed` y (by people) float64 (n,), NaN where it was not drawn; `stratum` int64 (n,), codes
    from 0, different in different topics. `power` from 0 to 1; None: that of least variance. No interval with fewer than
    LEAST_JUDGED judged documents of a weight.

    >>> weights, stratum = np.full(4, 0.25), np.zeros(4, dtype=np.int64)
    >>> observed = np.array([1.0, 0.0, np.nan, np.nan])
    >>> found = prediction_powered_mean(weights, np.ones(4), observed, stratum, 1, power=1.0)
    >>> found.model, found.mean
    (1.0, 0.5)
    """
    drawn, nan = ~np.isnan(observed), float("nan")
    size, n = np.bincount(stratum), np.bincount(stratum[drawn], minlength=int(stratum.max(initial=-1)) + 1)
    by_model = float((weights * predicted).sum()) / n_topics
    judged = int((drawn & (weights > 0)).sum())
    if not n_topics or (n[size > 0] == 0).any():
        return CorrectedMean(by_model, nan, nan, nan, nan, judged)
    of, a, b = stratum[drawn], (weights * predicted)[drawn], (weights * observed)[drawn]
    spread = _spread(a, b, of, size, n)
    power = _power_of_least_variance(spread) if power is None else power
    total = power * by_model * n_topics + float((size[of] / n[of] * (b - power * a)).sum())
    variance = float(power**2 * spread[0, 0] - 2 * power * spread[0, 1] + spread[1, 1])
    half = float(ndtri((1 + level) / 2)) * float(np.sqrt(max(variance, 0.0))) / n_topics
    half, mean = half if judged >= LEAST_JUDGED else nan, total / n_topics
    return CorrectedMean(by_model, mean, mean - half, mean + half, power, judged)


def _power_of_least_variance(spread: FloatArray) -> float:
    return float(np.clip(spread[0, 1] / spread[0, 0], 0, 1)) if spread[0, 0] > 0 else 1.0


def _spread(a: FloatArray, b: FloatArray, of: IntArray, size: IntArray, n: IntArray) -> FloatArray:
    """Give the variances and the covariance of the estimated totals of a and b: float64 (2, 2)."""
    group = np.arange(len(size))
    alone = (n == 1) & (size > 1)
    if alone.any():
        group[alone] = int(np.flatnonzero(alone)[0])
    size_of = np.bincount(group, weights=size, minlength=len(size))
    n_of = np.bincount(group, weights=n, minlength=len(size))
    at = group[of]
    values = np.stack([a, b])
    sums = np.stack([np.bincount(at, weights=row, minlength=len(size)) for row in values])
    centred = values - (sums / np.maximum(n_of, 1))[:, at]
    share = size_of**2 * (1 - n_of / np.maximum(size_of, 1)) / np.maximum(n_of * (n_of - 1), 1)
    weighted = centred * share[at]
    return np.asarray(weighted @ centred.T, dtype=np.float64)
