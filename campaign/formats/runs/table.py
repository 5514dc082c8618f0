"""The lines of a run that count, as a table: its columns, its canonical order, the forms in which it is kept and sent."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import BinaryIO

import polars as pl

SCORED_COLUMNS = ("topic", "docno", "score")
RUN_SCHEMA = pl.Schema({"topic": pl.String, "docno": pl.String, "rank": pl.Int64, "score": pl.Float64})


def ranked(table: pl.DataFrame) -> pl.DataFrame:
    """The run in canonical order with a column `position` (UInt32, from 1 in each topic).

    Topics come in byte order. Inside a topic scores descend as doubles (0.0 equals -0.0), and ties are broken by docno,
    descending by UTF-8 bytes. The rank column is not used. Scores must be finite.

    >>> table = pl.DataFrame({"topic": ["1", "1", "1"], "docno": ["a", "b", "c"], "rank": [1, 2, 3], "score": [1.0, 2.0, 1.0]})
    >>> ranked(table)["docno"].to_list()
    ['b', 'c', 'a']
    """
    position = pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic").alias("position")
    return table.sort("topic", "score", "docno", descending=[False, True, True]).with_columns(position)


def run_table_to_parquet(table: pl.DataFrame) -> bytes:
    buffer = BytesIO()
    table[list(RUN_SCHEMA)].write_parquet(buffer, compression="lz4", statistics=False)
    return buffer.getvalue()


def run_table_from_parquet(source: BinaryIO | bytes, columns: Sequence[str] = tuple(RUN_SCHEMA)) -> pl.DataFrame:
    """What was stored of a run, or some columns of it.

    >>> rows = [("1", "d1", 1, 2.5), ("1", "d2", 2, 2.0)]
    >>> stored = run_table_to_parquet(pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row"))
    >>> run_table_from_parquet(stored, ["topic", "docno"]).rows()
    [('1', 'd1'), ('1', 'd2')]
    """
    data = source if isinstance(source, bytes) else source.read()
    schema = pl.Schema({name: RUN_SCHEMA[name] for name in columns})
    return pl.read_parquet(BytesIO(data), columns=list(columns)).match_to_schema(schema)


def write_run(table: pl.DataFrame, tag: str) -> bytes:
    """The run as TREC text: canonical order, `Q0`, ranks from 1, scores that read back as the same doubles.

    >>> write_run(pl.DataFrame({"topic": ["1"], "docno": ["a"], "rank": [7], "score": [0.1]}), "bm25")
    b'1 Q0 a 1 0.1 bm25\\n'
    """
    columns = [
        pl.col("topic"),
        pl.lit("Q0").alias("q0"),
        pl.col("docno"),
        pl.col("position"),
        pl.col("score"),
        pl.lit(tag).alias("tag"),
    ]
    buffer = BytesIO()
    ranked(table).select(columns).write_csv(buffer, include_header=False, separator=" ", quote_style="never")
    return buffer.getvalue()
