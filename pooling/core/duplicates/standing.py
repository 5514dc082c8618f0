"""What follows when one document of a class is judged for all of it."""

from __future__ import annotations

import polars as pl


def grades_taken(graded: pl.DataFrame, twins: pl.DataFrame, judged: pl.DataFrame | None = None) -> pl.DataFrame:
    """The rows that `graded` has for representatives, once more for each of their twins that is not judged itself.

    graded: topic, docno (String) and any further columns, rows of any number a document. twins: topic, docno, representative,
    of which representatives themselves are ignored. judged: topic, docno of what is judged itself; `graded` if not given.
    Columns as in `graded`; the order of `twins`.

    >>> graded = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "c"], "grade": [2, 0]})
    >>> twins = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "representative": ["a"] * 3})
    >>> grades_taken(graded, twins).rows()
    [('1', 'b', 2)]
    """
    pair = ["topic", "docno"]
    own = graded if judged is None else judged
    led = twins.filter(pl.col("docno") != pl.col("representative")).join(
        own, on=pair, how="anti", maintain_order="left"
    )
    given = graded.rename({"docno": "representative"})
    return led.join(given, on=["topic", "representative"], maintain_order="left").select(graded.columns)


def twins_file(twins: pl.DataFrame) -> bytes:
    """The lines `topic docno representative` of all twins, without those that stand for others; by topic and docno.

    >>> twins_file(pl.DataFrame({"topic": ["1"] * 2, "docno": ["a", "b"], "representative": ["a"] * 2}))
    b'1 b a\\n'
    """
    led = twins.filter(pl.col("docno") != pl.col("representative")).sort("topic", "docno")
    rows = led.select("topic", "docno", "representative").iter_rows()
    return "".join(f"{topic} {docno} {representative}\n" for topic, docno, representative in rows).encode()
