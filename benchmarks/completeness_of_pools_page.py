"""The page docs/reference/pool-completeness.md: how often intervals held, in tables."""

from itertools import pairwise

import polars as pl

from pooling.core.completeness import control, recapture, slices
from pooling.core.completeness.limits import FEWEST_DRAWN, FEWEST_POSITIONS, FEWEST_RELEVANT, WIDEST

ABOUT = """What a pool left outside is estimated in three ways
([organiser's guide](../guide/organiser.md#pool-completeness)), each with an interval that holds in 95 % of pools if its
assumption does. Here it is counted how often it did.

Pools of 10 and of 50 topics, {seeds} of each, all judged by the qrels: random topics of {name}, whose qrels are taken for the
whole truth, and made-up topics (the eight runs of [sampling bias](sampling-bias.md), 20 relevant documents each). Pools of
random topics of one collection share topics, so that their shares are less exact than their number suggests. A share of 95 %
is measured to within {exact:.0f} points, two standard errors, of so many pools; one row in twenty is further off.

- *given*: the share of pools in which the estimate is told. The others are refused, see the limits.
- *held*: the share of the given ones whose interval holds the true number; *above*: in which the true number is above it.
- *width*: of the interval of the share of all relevant documents, the median, in percentage points. *error*: the estimated
  share less the true one, the median and between which values 95 % lie, in points. Below 0 the estimate is too low.
- True number: for the random sample the relevant documents that could have been drawn; for capture-recapture all that are
  not judged; for the extrapolation those that a run retrieves at any depth.

## Limits

The limits were chosen on these same pools, so for other collections expect no more than what the tables show. Where only a few
percent of the pools are given an estimate, those are a selection of lucky samples, and their intervals hold less often.

- **Random sample**: refused if its interval is wider than {widest:.0f} points, or if fewer than {relevant} of its judged ones
  are relevant and more than half of all may be outside: with so few, narrow intervals are those of samples that by luck found too
  many. The page then says how many documents of the sample would have to be judged.
- **Capture-recapture**: only for pools that hold the first documents of every run and nothing else. In others, teams hold
  relevant documents that were not pooled, which it takes for documents that nobody found. In pools of depth k its interval
  is a lower bound that seldom holds, and the page says so beside it.
- **Extrapolation**: needs {positions} positions of every run; where they are sampled, {drawn} relevant documents among those
  drawn at random. With fewer its bootstrap sees curves that are all alike and wrong. It is only as good as its curves: where
  runs differ by noise, new relevant documents become rarer faster below the pool than both curves do, and it is too high.
"""
METHODS = (control.METHOD, recapture.METHOD, slices.METHOD)
HEAD = "judged pools | given | held | above | width | error"


def page(told: pl.DataFrame, name: str, seeds: int) -> str:
    """told: a row for each estimate, as `completeness_of_pools.Told`."""
    lines = [
        "# How well it is known what a pool left outside",
        "",
        "Written by `python -m benchmarks.completeness_of_pools`. Do not edit.",
        "",
        *ABOUT.format(
            seeds=seeds,
            exact=200 * (0.95 * 0.05 / seeds) ** 0.5,
            name=name,
            widest=100 * WIDEST,
            positions=FEWEST_POSITIONS,
            drawn=FEWEST_DRAWN,
            relevant=FEWEST_RELEVANT,
        ).splitlines(),
    ]
    for method in METHODS:
        of_method = told.filter(pl.col("method") == method)
        lines += ["", f"## {method[0].upper()}{method[1:]}", "", f"| collection | topics | pool | {HEAD} |"]
        lines += ["| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
        pools = of_method.sort("collection", "topics", "place").group_by(
            "collection", "topics", "pool", maintain_order=True
        )
        for (collection, topics, pool), rows in pools:
            if rows["given"].any() or method != recapture.METHOD:
                lines.append(f"| {collection} | {topics} | {pool} | {_cells(rows)} |")
    return "\n".join([*lines, *_where_limits_lie(told), ""])


def _where_limits_lie(told: pl.DataFrame) -> list[str]:
    """The same without limits, by what the limits look at."""
    sample, curve = (told.filter(pl.col("method") == method) for method in (control.METHOD, slices.METHOD))
    is_sampled = pl.col("drawn").is_not_null()
    return [
        "",
        "## Without limits",
        "",
        "All pools of both collections, by what the limits look at.",
        *_by("Random sample, by the width of its interval", sample, "width", (0, 0.3, 0.4, 0.5, 0.6, 0.8, 1.01)),
        *_by("Random sample, by relevant documents drawn", sample, "drawn", (0, 1, 2, 3, 5, 10, 20, 10**6)),
        *_by(
            "Extrapolation, by relevant documents drawn",
            curve.filter(is_sampled),
            "drawn",
            (0, 1, 3, 5, 10, 20, 40, 10**6),
        ),
        *_by("Extrapolation of pools of depth k, by topics", curve.filter(~is_sampled), "topics", (10, 50, 51)),
    ]


def _by(caption: str, told: pl.DataFrame, column: str, bounds: tuple[float, ...]) -> list[str]:
    lines = ["", f"**{caption}**", "", f"| {column} | {HEAD} |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for low, high in pairwise(bounds):
        rows = told.filter(pl.col(column).is_between(low, high, closed="left"))
        if rows.height:
            lines.append(f"| {_range(low, high)} | {_cells(rows, everything=True)} |")
    return lines


def _range(low: float, high: float) -> str:
    if low % 1 or high % 1:
        return f"{100 * low:.0f} to {100 * min(high, 1):.0f} points"
    if high >= 10**6:
        return f"{low:.0f} or more"
    return f"{low:.0f}" if high == low + 1 else f"{low:.0f} to {high - 1:.0f}"


def _cells(rows: pl.DataFrame, *, everything: bool = False) -> str:
    """Of the estimates that are given; of all with `everything`."""
    given = rows.filter("given")
    counted = rows if everything else given
    share = f"{rows.height} | {100 * given.height / rows.height:.0f} %"
    if not counted.height:
        return f"{share} | – | – | – | –"
    truth, error = pl.col("truth"), 100 * pl.col("error")
    held, above, width, middle, low, high = counted.select(
        held=100 * truth.is_between("low", "high").mean(),
        above=100 * (truth > pl.col("high")).mean(),
        width=100 * pl.col("width").median(),
        middle=error.median(),
        lowest=error.quantile(0.025, "linear"),
        highest=error.quantile(0.975, "linear"),
    ).row(0)
    return f"{share} | {held:.0f} % | {above:.0f} % | {width:.0f} | {middle:+.0f} ({low:+.0f} to {high:+.0f})"
