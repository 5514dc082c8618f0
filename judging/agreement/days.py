"""PURE: how agreement grew, day by day: pairs of grades of one document, each on the day on which it became a pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from typing import Final

import polars as pl

DAY_IN_MICROSECONDS: Final = 24 * 3600 * 1_000_000
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC).date()
KEY: Final = ["topic", "docno"]


@dataclass(frozen=True, slots=True)
class Day:
    """Pairs of grades of one document by two assessors of which the later was given on this day (UTC); `equal` of `pairs`."""

    day: date
    equal: int
    pairs: int


def pairs_by_day(shared: pl.DataFrame) -> tuple[Day, ...]:
    """The days on which pairs became complete, the earliest first.

    `shared`: rows (topic, docno, assessor, grade, judged_at), each assessor once for each document; `judged_at` in microseconds
    since 1970. All pairs up to the last day are those of `Agreement.agreed`.

    >>> rows = [("1", "a", "ann", 2, 0), ("1", "a", "bob", 2, 5), ("1", "b", "ann", 0, 1), ("1", "b", "bob", 1, 86_400_000_000)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "docno", "assessor", "grade", "judged_at"], orient="row")
    >>> [(str(one.day), one.equal, one.pairs) for one in pairs_by_day(frame)]
    [('1970-01-01', 1, 1), ('1970-01-02', 0, 1)]
    """
    rows = shared.select(*KEY, "assessor", "grade", "judged_at")
    pairs = rows.join(rows, on=KEY, suffix="_other").filter(pl.col("assessor") < pl.col("assessor_other"))
    later = pl.max_horizontal("judged_at", "judged_at_other") // DAY_IN_MICROSECONDS
    counted = pairs.group_by(day=later).agg(equal=(pl.col("grade") == pl.col("grade_other")).sum(), pairs=pl.len())
    return tuple(
        Day(EPOCH + timedelta(days=day), equal, pairs)
        for day, equal, pairs in counted.sort("day").select("day", "equal", "pairs").iter_rows()
    )


def so_far(days: Sequence[Day]) -> list[Day]:
    """The same days, each with all pairs up to it: calmer than the share of each day, of which many have few pairs.

    >>> first, second = date(2026, 3, 1), date(2026, 3, 2)
    >>> [(one.equal, one.pairs) for one in so_far([Day(first, 1, 1), Day(second, 0, 1)])]
    [(1, 1), (1, 2)]
    """
    equal, pairs = accumulate(one.equal for one in days), accumulate(one.pairs for one in days)
    return [Day(one.day, *counts) for one, *counts in zip(days, equal, pairs, strict=True)]
