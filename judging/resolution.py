"""PURE: several judgments of one document become one grade.

A frame of judgments has one row per current act: the key columns, `grade` (Int32, null for "cannot judge"),
`judged_at` (any ordered type) and `act` (Int64, the order of arrival).
"""

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

UNJUDGED: Final = -1
CANNOT_JUDGE: Final = -2
POLICIES: Final = {
    "latest": "the latest grade",
    "majority": "the most frequent grade; of equally frequent ones the higher",
}


def resolve(judgments: pl.DataFrame, policy: str, keys: Sequence[str] = ("topic", "docno")) -> pl.DataFrame:
    """One row (keys, grade) for each judged key, sorted by the keys.

    latest: the grade of the greatest (judged_at, act). majority: the grade given most often; of equally frequent
    grades the higher, because a relevant document that is missed harms a collection more than one that is let in.
    Any grade outranks "cannot judge"; a key with "cannot judge" only gets -2.

    >>> rows = [("1", "a", 1, 7, 1), ("1", "a", 1, 8, 2), ("1", "a", 2, 9, 3), ("1", "b", None, 9, 4)]
    >>> schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32, "judged_at": pl.Int64, "act": pl.Int64}
    >>> judgments = pl.DataFrame(rows, schema=schema, orient="row")
    >>> resolve(judgments, "latest").rows(), resolve(judgments, "majority").rows()
    ([('1', 'a', 2), ('1', 'b', -2)], [('1', 'a', 1), ('1', 'b', -2)])
    """
    graded = _RESOLVERS[policy](judgments.filter(pl.col("grade").is_not_null()), list(keys))
    unable = judgments.select(keys).unique().join(graded, on=list(keys), how="anti")
    unable = unable.with_columns(grade=pl.lit(CANNOT_JUDGE, dtype=pl.Int32))
    return pl.concat([graded.select(*keys, "grade"), unable.select(*keys, "grade")]).sort(keys)


def with_unjudged(pooled: pl.DataFrame, resolved: pl.DataFrame) -> pl.DataFrame:
    """The resolved grades, and -1 for every pooled (topic, docno) without one: never silently 0.

    >>> schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
    >>> pooled = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"]})
    >>> with_unjudged(pooled, pl.DataFrame([("1", "a", 2)], schema=schema, orient="row")).rows()
    [('1', 'a', 2), ('1', 'b', -1)]
    """
    rest = pooled.select("topic", "docno").unique().join(resolved, on=["topic", "docno"], how="anti")
    rest = rest.with_columns(grade=pl.lit(UNJUDGED, dtype=pl.Int32))
    return pl.concat([resolved.select("topic", "docno", "grade"), rest]).sort("topic", "docno")


def _latest(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return graded.sort("judged_at", "act").group_by(keys).agg(pl.col("grade").last())


def _majority(graded: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    votes = graded.group_by([*keys, "grade"]).agg(votes=pl.len())
    return votes.sort("votes", "grade").group_by(keys, maintain_order=True).agg(pl.col("grade").last())


_RESOLVERS: Final[dict[str, Callable[[pl.DataFrame, list[str]], pl.DataFrame]]] = {
    "latest": _latest,
    "majority": _majority,
}
