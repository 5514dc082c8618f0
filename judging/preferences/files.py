"""PURE: the released order of preferences as a file, and the table that is read from it again."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Final

import polars as pl

from judging.preferences.tournament import Levels

ORDER_SCHEMA: Final = pl.Schema({"topic": pl.String, "docno": pl.String, "level": pl.Int32})


def write_order(orders: Mapping[str, Levels]) -> bytes:
    """Give lines of topic, docno, level; level 1 is the best, documents of one level are tied.

    Sorted by topic in byte order, level, and docno in byte order: the same bytes for the same orders.

    >>> write_order({"2": (("a",),), "10": (("b", "a"), ("c",))})
    b'10 a 1\\n10 b 1\\n10 c 2\\n2 a 1\\n'
    """
    rows = [
        (topic, docno, number)
        for topic, levels in orders.items()
        for number, level in enumerate(levels, start=1)
        for docno in level
    ]
    buffer = BytesIO()
    table = pl.DataFrame(rows, schema=ORDER_SCHEMA, orient="row").sort("topic", "level", "docno")
    table.write_csv(buffer, include_header=False, separator=" ", quote_style="never")
    return buffer.getvalue()


def read_order(content: bytes) -> pl.DataFrame:
    """The table (topic, docno, level) that `write_order` wrote, in the order of the file.

    >>> read_order(b"10 a 1\\n10 c 2\\n").rows()
    [('10', 'a', 1), ('10', 'c', 2)]
    """
    return pl.read_csv(content, separator=" ", has_header=False, quote_char=None, schema=ORDER_SCHEMA)


def best_documents(table: pl.DataFrame, lowest_relevant: int) -> pl.DataFrame:
    """Of graded documents (topic, docno, grade) those with the best grade of their topic, if that is relevant.

    Returns the same three columns, sorted by topic and docno in byte order.

    >>> rows = {"topic": ["1", "1", "1", "2"], "docno": ["b", "a", "c", "a"], "grade": [2, 2, 1, 0]}
    >>> best_documents(pl.DataFrame(rows), 1).rows()
    [('1', 'a', 2), ('1', 'b', 2)]
    """
    relevant = table.filter(pl.col("grade") >= lowest_relevant).select("topic", "docno", "grade")
    return relevant.filter(pl.col("grade") == pl.col("grade").max().over("topic")).sort("topic", "docno")
