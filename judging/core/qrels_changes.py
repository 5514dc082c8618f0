"""PURE: what two versions of qrels grade differently."""

import polars as pl

ADDED, GONE, CHANGED = (
    pl.col("old").is_null(),
    pl.col("new").is_null(),
    pl.col("old") != pl.col("new"),
)


def grades_in_both(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Every pair of either version: topic, docno, `old` and `new` (Int32), the grade in each, null where it has no line.

    `old`, `new`: topic, docno (String) and grade (Int32), each pair once. Sorted by topic and docno.

    >>> schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
    >>> old = pl.DataFrame([("1", "a", 2), ("1", "b", 0)], schema=schema, orient="row")
    >>> new = pl.DataFrame([("1", "b", 1), ("1", "c", -1)], schema=schema, orient="row")
    >>> grades_in_both(old, new).rows()
    [('1', 'a', 2, None), ('1', 'b', 0, 1), ('1', 'c', None, -1)]
    """
    before = old.select("topic", "docno", old=pl.col("grade"))
    after = new.select("topic", "docno", new=pl.col("grade"))
    return before.join(after, on=["topic", "docno"], how="full", coalesce=True).sort("topic", "docno")


def table_of_grades(both: pl.DataFrame) -> dict[tuple[int | None, int | None], int]:
    """How many pairs have which (old, new) grades, None for no line; `both`: as of `grades_in_both`.

    >>> both = pl.DataFrame({"old": [2, 0, None, 0], "new": [None, 1, -1, 1]})
    >>> sorted(table_of_grades(both).items(), key=str)
    [((0, 1), 2), ((2, None), 1), ((None, -1), 1)]
    """
    counted = both.group_by("old", "new").len("pairs")
    return {(old, new): pairs for old, new, pairs in counted.iter_rows()}


def changes_by_topic(both: pl.DataFrame) -> pl.DataFrame:
    """Per topic that differs: topic, added, gone, changed (UInt32), the pairs with a line in the new version only, in the
    old one only, and with another grade in the new one; `both`: as of `grades_in_both`. Sorted by topic in byte order.

    >>> rows = [("1", "a", 2, None), ("1", "b", 0, 1), ("2", "c", 1, 1)]
    >>> schema = {"topic": pl.String, "docno": pl.String, "old": pl.Int32, "new": pl.Int32}
    >>> changes_by_topic(pl.DataFrame(rows, schema=schema, orient="row")).rows()
    [('1', 0, 1, 1)]
    """
    differs = both.filter(ADDED | GONE | CHANGED)
    counts = {"added": ADDED.sum(), "gone": GONE.sum(), "changed": CHANGED.sum()}
    return differs.group_by("topic").agg(**counts).sort("topic")
