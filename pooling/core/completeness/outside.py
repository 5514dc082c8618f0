"""The shape of an estimate of what is still outside, and the entries that all estimates read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import polars as pl

LEVEL: Final = 0.95
PAIR: Final = ["topic", "docno"]


@dataclass(frozen=True, slots=True)
class Outside:
    """How many relevant documents were not found so far, by one method.

    expected: float >= 0; low, high: the ends of its interval at `LEVEL`, 0 <= low <= high. share, share_low, share_high: the
    same as a part of all relevant documents, n / (found + n), in [0, 1]; 0 where none was found and none is expected.
    assumption: what must hold for the interval, in one sentence. topics: those that the estimate is about. caution: how
    often the interval was measured to hold, where that is much less than its level.
    """

    method: str
    expected: float
    low: float
    high: float
    share: float
    share_low: float
    share_high: float
    assumption: str
    topics: int = 0
    caution: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class NoEstimate:
    """A method that cannot estimate, and why."""

    method: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def outside(method: str, found: int, ends: tuple[float, float, float], assumption: str, topics: int) -> Outside:
    """An estimate from (expected, low, high) and the number of relevant documents that were found.

    >>> estimate = outside("control sample", 8, (2.0, 0.0, 8.0), "", 1)
    >>> estimate.share, estimate.share_low, estimate.share_high
    (0.2, 0.0, 0.5)
    """
    expected, low, high = ends
    low, high = max(min(low, expected), 0.0), max(high, expected)
    share, share_low, share_high = (share_of(found, count) for count in (expected, low, high))
    return Outside(method, expected, low, high, share, share_low, share_high, assumption, topics)


def judged_entries(entries: pl.DataFrame, grades: pl.DataFrame, lowest_relevant: int = 1) -> pl.DataFrame:
    """Entries of a pool with `relevant`: whether the grade (topic, docno, grade) is at least the lowest relevant one.

    Null where there is none, or a negative one: unjudged (-1), or it could not be judged (-2). Rows keep their order.

    >>> entries = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"]})
    >>> grades = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "grade": [2, 0, -1]})
    >>> judged_entries(entries, grades)["relevant"].to_list()
    [True, False, None]
    """
    graded = grades.filter(pl.col("grade") >= 0).select(
        pl.col("topic").cast(pl.String), "docno", relevant=pl.col("grade") >= lowest_relevant
    )
    return entries.with_columns(pl.col("topic").cast(pl.String)).join(
        graded, on=PAIR, how="left", maintain_order="left"
    )


def share_of(found: float, count: float) -> float:
    """`count` relevant documents outside as a part of all relevant ones, in [0, 1].

    >>> share_of(3, 1), share_of(0, 0)
    (0.25, 0.0)
    """
    return count / (found + count) if count else 0.0
