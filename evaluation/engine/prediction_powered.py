"""Means of sums over documents, from grades of a model that a random sample of people's grades corrects.

Document i is worth y_i by people and f_i by the model; a measure that is a weighted sum over documents has the mean
sum(w y) / T over T topics. In stratum h, n_h of N_h documents were drawn at random without replacement and judged by people,
S_h. With a = w f, b = w y:

mean = (power sum(a) + sum over h of N_h / n_h sum over S_h of (b - power a)) / T
power of least variance = sum over h of c_h cov_h(a, b) / sum over h of c_h var_h(a), cut to 0..1,
c_h = N_h^2 (1 - n_h / N_h) / n_h

For each fixed power this mean is unbiased, whatever the model says; power 0 leaves the model out, 1 takes it whole. Strata of one
drawn document are put together for the power. The topics are fixed: the
interval is of what people would have found on them. Ratios of such sums, as nDCG and AP are, have no such formula here.

The interval takes what people add to the model (b > power a) and what they take from it for two weighted sums of rare events.
With e = N_h / n_h |b - power a| of the drawn documents of one side, the limits of its sum are quantiles of gamma distributions
of mean sum(e) and variance sum((1 - n_h / N_h) e^2); for the upper limit the largest e that a document that was not drawn could
have is added to the sum, so that no relevant document in the sample is no proof that there is none. The limits of
the difference of both sums are those of the square-and-add rule. Limits and mean are cut to what is possible: what was judged,
and with the rest worth nothing or the most. This brings the mean nearer to that of people in every sample, and gives it a small
bias where few documents were judged. How often the interval holds is in docs/reference/significance.md.

Sources: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023 (prediction-powered inference); Angelopoulos, Duchi and Zrnic 2023
(the power); Cochran 1977, 5.3 and 5A.12 (strata); Fay and Feuer 1997 (gamma limits of a weighted sum); Zou and Donner 2008
(limits of a difference).
"""

from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray

TAIL = 0.025
"""What the interval of 95 % leaves on each side."""


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
    highest: float,
    power: float | None = None,
) -> CorrectedMean:
    """Estimate sum(w y) / n_topics by the formulas above; they are NaN where nothing was drawn of a stratum.

    One element for each document that could have been drawn, over all topics: `weights` w and `predicted` f (what it is worth
    by the model) float64 (n,); `observed` y (by people) float64 (n,), NaN where it was not drawn; `stratum` int64 (n,), codes
    from 0, different in different topics. `highest`: the most that a document can be worth, by people or by the model; none is
    worth less than 0. `power` from 0 to 1; None: that of least variance.

    >>> weights, stratum, observed = np.full(4, 0.25), np.zeros(4, dtype=np.int64), np.array([1.0, 0.0, np.nan, np.nan])
    >>> found = prediction_powered_mean(weights, np.ones(4), observed, stratum, 1, highest=1.0, power=1.0)
    >>> found.model, found.mean
    (1.0, 0.5)
    """
    drawn, nan = ~np.isnan(observed), float("nan")
    size, n = np.bincount(stratum), np.bincount(stratum[drawn], minlength=int(stratum.max(initial=-1)) + 1)
    judged = int((drawn & (weights > 0)).sum())
    by_model = float((weights * predicted).sum()) / n_topics if n_topics else nan
    if not n_topics or (n[size > 0] == 0).any():
        return CorrectedMean(by_model, nan, nan, nan, nan, judged)
    of, a, b = stratum[drawn], (weights * predicted)[drawn], (weights * observed)[drawn]
    power = _power_of_least_variance(_spread(a, b, of, size, n)) if power is None else power
    factor, left = (size / np.maximum(n, 1))[stratum], (1 - n / np.maximum(size, 1))[stratum]
    seen = np.where(drawn, factor * weights * (np.nan_to_num(observed) - power * predicted), 0.0)
    rest = factor * np.where(drawn, 0.0, weights)
    added = _limits(np.maximum(seen, 0), rest * (highest - power * predicted), left)
    taken = _limits(np.maximum(-seen, 0), rest * power * predicted, left)
    total = power * by_model * n_topics + float(seen.sum())
    least = float(b.sum())
    limits = total - _distance(added, taken), total, total + _distance(taken, added)
    low, mean, high = np.clip(limits, least, least + highest * float(weights[~drawn].sum())) / n_topics
    return CorrectedMean(by_model, float(mean), float(low), float(high), power, judged)


@dataclass(frozen=True, slots=True)
class _Limited:
    value: float
    low: float
    high: float


def _distance(falls: _Limited, rises: _Limited) -> float:
    """How far the difference of both sums may lie on the side where one falls and the other rises, by square and add."""
    return float(np.hypot(falls.value - falls.low, rises.high - rises.value))


def _limits(seen: FloatArray, unseen: FloatArray, left: FloatArray) -> _Limited:
    """Give the sum of `seen` with its limits; `unseen`: what each other document could add. All float64 (n,), 0 of no part.

    `left`: the share of each document's stratum that was not drawn.
    """
    value, variance = float(seen.sum()), float((left * seen**2).sum())
    of_unseen = left * unseen**2
    largest = int(of_unseen.argmax()) if len(unseen) else 0
    most, of_most = (float(unseen[largest]), float(of_unseen[largest])) if len(unseen) else (0.0, 0.0)
    return _Limited(
        value, _gamma_quantile(TAIL, value, variance), _gamma_quantile(1 - TAIL, value + most, variance + of_most)
    )


def _gamma_quantile(share: float, mean: float, variance: float) -> float:
    """Of the gamma distribution of this mean and variance; of no variance all of it is at the mean."""
    from scipy.special import gammaincinv  # slow to load, and 27 MB

    if mean <= 0 or variance <= 0:
        return mean
    return float(gammaincinv(mean**2 / variance, share)) * variance / mean


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
