"""From ranked runs to the curves that are asked for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.command.drawing_curves.options import CurvesArguments, Kind
from evaluation.engine.analyses.curves import (
    FALSE_POSITIVE_RATES,
    RECALL_LEVELS,
    break_even,
    f_at_ranks,
    gain_curves,
    interpolated_curve,
    pooled_f,
    pooled_interpolated_curve,
    recall_precision_points,
    roc_area,
    roc_at_rates,
    roc_points,
)
from evaluation.engine.arrays import FloatArray
from evaluation.engine.averaging import mean_over_topics
from evaluation.engine.ranked_run import RankedRun

ALL = "all"


@dataclass(frozen=True, eq=False)
class Series:
    """A curve of a run, or of no run (`run` empty: the ideal); `x`, `y`: float64 (n_points,). NaN as x: one number only."""

    curve: str
    run: str
    topic: str
    x: FloatArray
    y: FloatArray


@dataclass(frozen=True)
class Asked:
    """`group`: the topic's place in the arrays, None for the average over all."""

    arguments: CurvesArguments
    group: int | None

    @property
    def topic(self) -> str:
        return ALL if self.group is None else str(self.arguments.topic)

    def chosen(self, values: FloatArray) -> FloatArray:
        """Of values (..., n_topics) those of the topic, or their mean."""
        of_topic: FloatArray = mean_over_topics(values) if self.group is None else values[..., self.group]
        return of_topic

    def series(self, curve: str, run: str, x: FloatArray, y: FloatArray) -> Series:
        return Series(curve, run, self.topic, x, y)

    def one_point(self, curve: str, run: str, x: float, y: float) -> Series:
        return self.series(curve, run, np.array([x]), np.array([y]))


def curves_of(asked: Asked, run: str, ranked: RankedRun) -> Iterator[Series]:
    """The curves of one run, then what is told of them in one number."""
    yield from BY_KIND[asked.arguments.kind](asked, run, ranked)


def _recall_precision(asked: Asked, run: str, ranked: RankedRun) -> Iterator[Series]:
    level = asked.arguments.level
    if asked.arguments.micro:
        yield asked.series("recall-precision", run, RECALL_LEVELS, pooled_interpolated_curve(ranked, level))
        return
    yield asked.series("recall-precision", run, RECALL_LEVELS, asked.chosen(interpolated_curve(ranked, level)))
    if asked.group is not None:
        x, y = recall_precision_points(ranked, level).of(asked.group)
        yield asked.series("recall-precision-points", run, x, y)
    even = float(asked.chosen(break_even(ranked, level)))
    yield asked.one_point("break-even", run, even, even)


def _roc(asked: Asked, run: str, ranked: RankedRun) -> Iterator[Series]:
    size, level = asked.arguments.collection_size or 1, asked.arguments.level
    if asked.group is None:
        yield asked.series("roc", run, FALSE_POSITIVE_RATES, mean_over_topics(roc_at_rates(ranked, size, level)))
    else:
        x, y = roc_points(ranked, size, level).of(asked.group)
        yield asked.series("roc", run, x, y)
    yield asked.one_point("roc-area", run, np.nan, float(asked.chosen(roc_area(ranked, size, level))))


def _gain(asked: Asked, run: str, ranked: RankedRun) -> Iterator[Series]:
    ranks = np.arange(1, asked.arguments.depth + 1)
    found = gain_curves(ranked, ranks, asked.arguments.gain, asked.arguments.base)
    x = ranks.astype(np.float64)
    yield asked.series("gain", run, x, asked.chosen(found.gain))
    yield asked.series("discounted-gain", run, x, asked.chosen(found.discounted))
    yield asked.series("ideal-gain", "", x, asked.chosen(found.ideal))
    yield asked.series("ideal-discounted-gain", "", x, asked.chosen(found.ideal_discounted))


def _f(asked: Asked, run: str, ranked: RankedRun) -> Iterator[Series]:
    arguments, ranks = asked.arguments, np.arange(1, asked.arguments.depth + 1)
    if arguments.micro:
        values = pooled_f(ranked, ranks, arguments.level, arguments.beta)
    else:
        values = asked.chosen(f_at_ranks(ranked, ranks, arguments.level, arguments.beta))
    yield asked.series("f", run, ranks.astype(np.float64), values)
    best = int(np.argmax(values))
    yield asked.one_point("f-maximum", run, float(ranks[best]), float(values[best]))


BY_KIND: Mapping[Kind, Callable[[Asked, str, RankedRun], Iterator[Series]]] = {
    "recall-precision": _recall_precision,
    "roc": _roc,
    "gain": _gain,
    "f": _f,
}
