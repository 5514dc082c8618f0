"""What is still outside, by how fast new relevant documents become rarer with depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from pooling.core.completeness.outside import LEVEL, NoEstimate, Outside, outside

METHOD: Final = "extrapolation of depth slices"
ASSUMPTION: Final = (
    "The relevant documents that each further position of the runs adds go on becoming rarer down to position {horizon:,} as "
    "the fitted {curve} curve does; documents that no pooled run retrieves so far are not counted."
)
FEWEST_POSITIONS: Final = 4
FEWEST_WITH_RELEVANT: Final = 3
REPLICATES: Final = 400
STEEPEST: Final = 12.0
SEED: Final = 20241
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Curve:
    """New relevant documents at position r are expected to be a * exp(-b * x), x = `places` of r, for b of a grid.

    mass: sum over judged positions of exposure * exp(-b x), mean: the mean x under it, tail: sum of exp(-b x) below the pool,
    each (n_slopes,).
    """

    name: str
    places: FloatArray
    slopes: FloatArray
    mass: FloatArray
    mean: FloatArray
    tail: FloatArray


def by_slices(entries: pl.DataFrame, depth: int, horizon: int) -> Outside | NoEstimate:
    """Relevant documents expected at the positions depth + 1 to horizon of the pooled runs, and in what is not judged.

    entries: as the package describes. depth: to which every run is in the pool, whole or by a random sample with
    inclusion_probability. horizon: how deep the runs go. A document counts at its best position. With a column `source` only the
    drawn ones are fitted, and relevant ones that were added are taken off what the curve misses. Topics without any judged
    document are left out.

    The counts c_r of new relevant documents at positions 1 to depth are fitted by maximum likelihood of Poisson counts with mean
    e_r a exp(-b x_r), b >= 0, e_r the judged part of position r: geometric decay (x = r) and power decay (x = ln r), of which the
    likelier is taken. Zobel (1998) extrapolates such counts by a power law. Interval: percentiles over
    `REPLICATES` bootstrap samples of topics, each with the curve that fits it best and a Poisson number of documents about it.

    >>> places = [position for position in range(1, 9) for _ in range(2 ** (8 - position))]
    >>> topics = [str(place % 10) for place in range(255)]
    >>> entries = pl.DataFrame({"topic": topics, "docno": range(255), "best_position": places, "relevant": True})
    >>> round(by_slices(entries, depth=8, horizon=1000).expected, 1)
    1.0
    """
    if depth < FEWEST_POSITIONS:
        return NoEstimate(METHOD, f"the pool holds fewer than {FEWEST_POSITIONS} positions of every run")
    drawn = _drawn(entries)
    within = drawn.filter(pl.col("best_position").is_between(1, depth), pl.col("relevant").is_not_null())
    found = within.filter(pl.col("relevant"))
    if found["best_position"].n_unique() < FEWEST_WITH_RELEVANT:
        needed = f"relevant documents at {FEWEST_WITH_RELEVANT} positions or more"
        return NoEstimate(METHOD, f"it needs {needed}, which tell a curve")
    counts = _counts(within, depth)
    exposure = _exposure(drawn, depth)
    all_found = entries.filter(pl.col("relevant"))
    # What was found otherwise is part of what the curve misses, unless no run holds it.
    otherwise = all_found.filter(pl.col("best_position") > 0).height - found.height
    curves = [_curve(name, exposure, depth, max(horizon, depth)) for name in ("geometric", "power")]
    [observed], [best] = _missed(counts.sum(axis=0, keepdims=True), curves)
    ends = np.maximum(np.array([observed, *_limits(counts, curves)]) - otherwise, 0.0).tolist()
    sentence = ASSUMPTION.format(horizon=max(horizon, depth), curve=curves[best].name)
    return outside(METHOD, all_found.height, (ends[0], ends[1], ends[2]), sentence, within["topic"].n_unique())


def _drawn(entries: pl.DataFrame) -> pl.DataFrame:
    """Without topics of which nothing is judged, and without what was added for another reason than a draw."""
    begun = entries.filter(pl.col("relevant").is_not_null().any().over("topic"))
    return begun.filter(pl.col("source") == "drawn") if "source" in entries.columns else begun


def _counts(judged: pl.DataFrame, depth: int) -> FloatArray:
    """Relevant documents by topic and position, float64 (n_topics, depth)."""
    topics = judged["topic"].cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1
    counts = np.zeros((int(topics.max()) + 1, depth))
    np.add.at(counts, (topics, judged["best_position"].to_numpy().astype(np.int64) - 1), judged["relevant"].to_numpy())
    return counts


def _exposure(entries: pl.DataFrame, depth: int) -> FloatArray:
    """The part of the documents of each position that is judged, float64 (depth,); 1 where there is no document."""
    sampled = "inclusion_probability" in entries.columns
    stands_for = 1 / pl.col("inclusion_probability").fill_null(1.0) if sampled else pl.lit(1.0)
    at = entries.filter(pl.col("best_position").is_between(1, depth))
    columns = {"judged": pl.col("relevant").is_not_null().cast(pl.Float64), "size": stands_for}
    table = at.select("best_position", **columns)
    where = table["best_position"].to_numpy().astype(np.int64) - 1
    judged, size = (np.bincount(where, weights=table[name].to_numpy(), minlength=depth) for name in columns)
    return np.divide(judged, size, out=np.ones(depth), where=size > 0)


def _curve(name: str, exposure: FloatArray, depth: int, horizon: int) -> _Curve:
    positions = np.arange(1, horizon + 1, dtype=np.float64)
    places = positions if name == "geometric" else np.log(positions)
    span = float(depth) if name == "geometric" else 1.0
    slopes = np.concatenate(([0.0], np.geomspace(1e-3, STEEPEST * (4 if name == "geometric" else 1), 600))) / span
    # From the first place on: a constant factor of all terms, which keeps the steepest of them from vanishing.
    terms = np.exp(-np.outer(slopes, places - places[0]))
    judged = terms[:, :depth] * exposure
    mass = judged.sum(axis=1)
    unjudged = (terms[:, :depth] * (1 - exposure)).sum(axis=1)
    mean = judged @ places[:depth] / mass
    return _Curve(name, places[:depth], slopes, mass, mean, terms[:, depth:].sum(axis=1) + unjudged)


def _missed(counts: FloatArray, curves: list[_Curve]) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Per row of counts (n_samples, depth): what the likelier curve expects to be missed, and which curve that is."""
    totals = counts.sum(axis=1)
    missed, likelihood = np.zeros((len(curves), len(counts))), np.zeros((len(curves), len(counts)))
    for index, curve in enumerate(curves):
        sums = counts @ curve.places
        means = np.divide(sums, totals, out=np.full_like(totals, curve.mean[0]), where=totals > 0)
        slope = np.interp(-means, -curve.mean, curve.slopes)
        log_mass = np.interp(slope, curve.slopes, np.log(curve.mass))
        missed[index] = totals * np.interp(slope, curve.slopes, curve.tail / curve.mass)
        likelihood[index] = -slope * (sums - totals * curve.places[0]) - totals * log_mass
    best = likelihood.argmax(axis=0)
    return missed[best, np.arange(len(counts))], best


def _limits(counts: FloatArray, curves: list[_Curve]) -> FloatArray:
    generator = np.random.default_rng(SEED)
    drawn = generator.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=REPLICATES)
    missed, _ = _missed(drawn.astype(np.float64) @ counts, curves)
    limits: FloatArray = np.quantile(generator.poisson(missed), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return limits
