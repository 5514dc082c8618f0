"""The lines of a run that count, as a table: its columns, its order, the forms in which it is kept and sent."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import BinaryIO

import numpy as np
import polars as pl

from campaign.formats.runs.order import Codes, comparable_scores, first_lines, order_of_lines, place_in_topic
from campaign.formats.runs.order_setting import BY_RANK, Ordering

SCORED_COLUMNS = ("topic", "docno", "score")
"""What an order by score or by line reads of a run."""
RUN_SCHEMA = pl.Schema({"topic": pl.String, "docno": pl.String, "rank": pl.Int64, "score": pl.Float64})


def ordered_columns(ordering: Ordering) -> tuple[str, ...]:
    """The columns of a run that this order reads.

    >>> ordered_columns(Ordering("rank"))
    ('topic', 'docno', 'score', 'rank')
    """
    return (*SCORED_COLUMNS, "rank") if ordering.run_order == BY_RANK else SCORED_COLUMNS


def ranked(table: pl.DataFrame, ordering: Ordering, depth: int | None = None) -> pl.DataFrame:
    """The run in the order of `Ordering` with a column `position` (UInt32, from 1 in each topic).

    Topics come in byte order. Scores must be finite. With `depth`, only the rows with position <= depth, for which the
    others need not be put in order. `table` has at least the columns that the order reads.

    >>> table = pl.DataFrame({"topic": ["1", "1", "1"], "docno": ["a", "b", "c"], "rank": [1, 2, 3], "score": [1.0, 2.0, 1.0]})
    >>> ranked(table, Ordering())["docno"].to_list()
    ['b', 'c', 'a']
    >>> ranked(table, Ordering(), depth=2)["docno"].to_list()
    ['b', 'c']
    """
    codes = topic_codes(table["topic"])
    scores = comparable_scores(table["score"].to_numpy(), ordering)
    rank = table["rank"] if ordering.run_order == BY_RANK else None
    if depth is None:
        lines = order_of_lines(codes, table["docno"], scores, rank, ordering)
    else:
        lines = first_lines(codes, table["docno"], scores, rank, ordering, depth)
    rows, codes = (table, codes) if lines is None else (table[lines], codes[lines])
    return rows.with_columns(pl.Series("position", place_in_topic(codes) + 1, dtype=pl.UInt32))


def topic_codes(topic: pl.Series) -> Codes:
    """The place of each row's topic among the topics in byte order, uint32 (n,).

    >>> topic_codes(pl.Series(["2", "2", "10"])).tolist()
    [1, 1, 0]
    """
    blocks = topic.rle().struct.unnest()  # few, where the rows of a topic stand together
    names = blocks["value"]
    place = names.cast(pl.Enum(names.unique().sort())).to_physical().to_numpy().astype(np.uint32)
    return np.repeat(place, blocks["len"].to_numpy())


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
    table = pl.read_parquet(BytesIO(data), columns=list(columns))
    return table if table.schema == schema else table.match_to_schema(schema)


def write_run(table: pl.DataFrame, tag: str, ordering: Ordering) -> bytes:
    """The run as TREC text: in this order, `Q0`, ranks from 1, scores that read back as the same doubles.

    >>> write_run(pl.DataFrame({"topic": ["1"], "docno": ["a"], "rank": [7], "score": [0.1]}), "bm25", Ordering())
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
    ranked(table, ordering).select(columns).write_csv(buffer, include_header=False, separator=" ", quote_style="never")
    return buffer.getvalue()
