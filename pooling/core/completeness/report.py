"""The completeness of a pool, as one value: everything that the page, its files and its picture show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import polars as pl

from pooling.core.completeness.curve import by_depth, saturation, summed
from pooling.core.completeness.estimates import estimates
from pooling.core.completeness.exhaustion import Tail, held_depth, slice_width, tail_by_depth, tail_by_order
from pooling.core.completeness.holders import Holders
from pooling.core.completeness.outside import NoEstimate, Outside
from pooling.core.completeness.yields import by_holder, by_slice, yields

DRAWN: Final = "drawn"
CHOSEN: Final = "chosen"
DEFAULT_HORIZON: Final = 1000
Sampling = Literal["", "stratum", "probability"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """How the pool was drawn, as its strategy declares it.

    reads: how many first documents of each run can be in the pool; None for all. judged_whole: the depth to which all of them
    are. promising_first: whether the judging order puts documents first that are more likely to be relevant.
    frame: topic, docno, stratum of the documents that could have been drawn and were not; None where nothing was sampled.
    """

    reads: int | None = None
    judged_whole: int = 0
    sampling: Sampling = ""
    promising_first: bool = False
    frame: pl.DataFrame | None = None


@dataclass(frozen=True, slots=True)
class Completeness:
    """Tables as `curve`, `yields` and `exhaustion` give them. runs, teams, priorities, estimates: None without holders."""

    pooled: int
    judged: int
    relevant: int
    depth: int
    topics: pl.DataFrame
    curves: pl.DataFrame
    curve: pl.DataFrame
    depths: pl.DataFrame
    slices: pl.DataFrame
    components: pl.DataFrame
    tail: Tail | None
    runs: pl.DataFrame | None = None
    teams: pl.DataFrame | None = None
    priorities: pl.DataFrame | None = None
    estimates: tuple[Outside | NoEstimate, ...] | None = None

    @property
    def unjudged(self) -> int:
        return self.pooled - self.judged

    def to_json(self) -> dict[str, Any]:
        """Every figure; tables as lists of objects, the curve of each topic as the relevant after each judgment."""
        tables = ("topics", "curve", "depths", "slices", "components", "runs", "teams", "priorities")
        values: dict[str, Any] = {name: getattr(self, name) for name in tables}
        by_topic = self.curves.group_by("topic", maintain_order=True).agg("relevant").iter_rows()
        return {
            **{name: getattr(self, name) for name in ("pooled", "judged", "relevant", "unjudged", "depth")},
            **{name: None if table is None else table.to_dicts() for name, table in values.items()},
            "curves": dict(by_topic),
            "tail": None if self.tail is None else self.tail.to_json(),
            "estimates": None if self.estimates is None else [estimate.to_json() for estimate in self.estimates],
        }


def pool_completeness(entries: pl.DataFrame, drawn: Drawn, holders: Holders | None = None) -> Completeness:
    """All figures of a pool whose entries are judged in part or in whole.

    entries: as the package describes, with source (drawn, chosen, found) and order (Int64, when it was judged; null as
    relevant is).

    >>> rows = [("1", "a", 1, None, None, "drawn", True, 1), ("1", "b", 2, None, None, "drawn", None, None)]
    >>> counts = {"best_position": pl.UInt32, "stratum": pl.Int32, "inclusion_probability": pl.Float64}
    >>> judged = {"source": pl.String, "relevant": pl.Boolean, "order": pl.Int64}
    >>> schema = {"topic": pl.String, "docno": pl.String, **counts, **judged}
    >>> completeness = pool_completeness(pl.DataFrame(rows, schema=schema, orient="row"), Drawn(reads=2, judged_whole=2))
    >>> completeness.pooled, completeness.judged, completeness.relevant, completeness.slices.rows()
    (2, 1, 1, [(1, 1, 1, 1, 1), (2, 2, 1, 0, 0)])
    """
    depth = depth_of(entries, drawn)
    curves = saturation(entries.filter(pl.col("relevant").is_not_null()))
    held = held_depth(entries, depth)
    return Completeness(
        pooled=entries.height,
        judged=entries["relevant"].count(),
        relevant=int(entries["relevant"].sum()),
        depth=depth,
        topics=yields(entries, "topic"),
        curves=curves,
        curve=summed(curves),
        depths=by_depth(entries),
        slices=by_slice(entries, slice_width(held)),
        components=_components(entries),
        tail=_tail(entries, held, drawn),
        **_of_holders(entries, drawn, depth, holders),
    )


def component_in_words(source: str, stratum: int | None, low: float | None, high: float | None) -> str:
    """What a component of a pool is called, by its source, its stratum and the smallest and largest probability in it.

    >>> component_in_words("drawn", 2, 0.1, 0.25), component_in_words("drawn", 1, 1.0, 1.0)
    ('stratum 2, drawn with probability 0.1 to 0.25', 'stratum 1, all drawn')
    >>> component_in_words("found", 1002, 1.0, 1.0), component_in_words("drawn", None, None, None)
    ('found by hand', 'drawn when the pool was frozen')
    """
    if source != DRAWN:
        return "chosen while the pool was judged" if source == CHOSEN else "found by hand"
    if low is None or high is None:
        return "drawn when the pool was frozen"
    if low == 1:
        drawn = "all drawn"
    elif low == high:
        drawn = f"drawn with probability {low:.3g}"
    else:
        drawn = f"drawn with probability {low:.3g} to {high:.3g}"
    return drawn if stratum is None else f"stratum {stratum}, {drawn}"


def depth_of(entries: pl.DataFrame, drawn: Drawn) -> int:
    """To which position every run is in the pool, whole or by a random sample of each stratum; runs may end before it.

    >>> entries = pl.DataFrame({"source": ["drawn"] * 2, "stratum": [1, 2]})
    >>> frame = pl.DataFrame({"topic": ["1"], "docno": ["a"], "stratum": [2]})
    >>> depth_of(entries, Drawn(reads=100, judged_whole=5, sampling="stratum", frame=frame))
    100
    """
    frame = drawn.frame
    if drawn.sampling != "stratum" or drawn.reads is None or frame is None:
        return drawn.judged_whole
    drawn_from = set(entries.filter(pl.col("source") == DRAWN)["stratum"].to_list())
    return drawn.reads if set(frame["stratum"].to_list()) <= drawn_from else drawn.judged_whole


def _tail(entries: pl.DataFrame, depth: int, drawn: Drawn) -> Tail | None:
    chosen = entries.filter(pl.col("source") == CHOSEN)
    if chosen["relevant"].count():
        return tail_by_order(chosen.drop("inclusion_probability"), "the last tenth of each topic's chosen documents")
    if depth:
        return tail_by_depth(entries.filter(pl.col("source") == DRAWN), depth)
    if drawn.promising_first and not drawn.sampling:
        return tail_by_order(entries, "the last tenth of each topic's judged documents")
    return None


def _components(entries: pl.DataFrame) -> pl.DataFrame:
    """source, stratum, low and high (probabilities), pooled, judged, relevant; drawn ones first, strata ascending."""
    rank = pl.col("source").replace_strict({DRAWN: 0, CHOSEN: 1}, default=2, return_dtype=pl.Int8)
    probability = pl.col("inclusion_probability")
    counted = entries.group_by("source", "stratum").agg(
        low=probability.min(),
        high=probability.max(),
        pooled=pl.len(),
        judged=pl.col("relevant").is_not_null().sum(),
        relevant=pl.col("relevant").sum(),
    )
    return counted.sort(rank, "stratum", nulls_last=True)


def _of_holders(entries: pl.DataFrame, drawn: Drawn, depth: int, holders: Holders | None) -> dict[str, Any]:
    if holders is None:
        return {}
    by_team = holders.by("team")
    return {
        "runs": by_holder(entries, holders.table, "run"),
        "teams": by_holder(entries, by_team, "team"),
        "priorities": by_holder(entries, holders.by("priority"), "priority"),
        "estimates": tuple(
            estimates(
                entries,
                by_team,
                frame=drawn.frame,
                sampling=drawn.sampling,
                depth=depth,
                horizon=holders.deepest or DEFAULT_HORIZON,
            )
        ),
    }
