"""The first documents of runs: cut from a run's table, and kept in few bytes."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np
import polars as pl

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.table import ranked
from pooling.core.preview.coverage import with_pair_numbers
from pooling.core.strategies.declaration import with_shares

HEAD_SCHEMA = pl.Schema({"topic": pl.String, "docno": pl.String, "position": pl.UInt32, "share": pl.Float64})


def head_of(table: pl.DataFrame, ordering: Ordering, depth: int | None, reads_scores: bool = False) -> pl.DataFrame:
    """The first `depth` documents of each topic of a run, all for None: topic, docno, position; `share` on request.

    The rows and the order are those of `campaign.formats.runs.table.ranked`; `share` is that of the whole run, whose lowest
    score the head lacks.

    >>> table = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "score": [1.0, 9.0, 7.0]})
    >>> head_of(table, Ordering(), depth=2, reads_scores=True).rows()
    [('1', 'b', 1, 1.0), ('1', 'c', 2, 0.75)]
    """
    head = ranked(table, ordering, depth)
    columns = list(HEAD_SCHEMA) if reads_scores else list(HEAD_SCHEMA)[:-1]
    return (with_shares(head, whole=table) if reads_scores else head).select(columns)


def head_file(head: pl.DataFrame) -> bytes:
    """The head (topic, docno, position, and share if it has it) as Parquet, in its order.

    >>> head_file(pl.DataFrame([("1", "a", 1, 0.5)], schema=HEAD_SCHEMA, orient="row"))[:4]
    b'PAR1'
    """
    buffer = BytesIO()
    head.write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()


def read_head(content: bytes) -> pl.DataFrame:
    """What `head_file` wrote.

    >>> head = pl.DataFrame([("1", "a", 1, 0.5)], schema=HEAD_SCHEMA, orient="row")
    >>> read_head(head_file(head)).rows()
    [('1', 'a', 1, 0.5)]
    """
    return pl.read_parquet(BytesIO(content))


def heads_file(heads: Sequence[pl.DataFrame]) -> bytes:
    """Heads with the columns of HEAD_SCHEMA, one after another in one file, which is read faster than a file of each.

    Their pairs of topic and docno are numbered, once for all figures that are computed of these heads.

    >>> heads_file([HEAD_SCHEMA.to_frame()])[:4]
    b'PAR1'
    """
    numbered = [head.select(HEAD_SCHEMA.names()).with_columns(run=pl.lit(n, pl.UInt32)) for n, head in enumerate(heads)]
    empty = HEAD_SCHEMA.to_frame().with_columns(run=pl.lit(0, pl.UInt32))
    return head_file(with_pair_numbers(pl.concat([empty, *numbered])))


def read_heads(content: bytes, count: int) -> list[pl.DataFrame]:
    """The `count` heads that `heads_file` wrote, in their order, with `pair`: the number of each topic and docno.

    >>> head = pl.DataFrame([("1", "a", 1, 0.5)], schema=HEAD_SCHEMA, orient="row")
    >>> [read.rows() for read in read_heads(heads_file([head, head.clear()]), count=2)]
    [[('1', 'a', 1, 0.5, 0)], []]
    """
    table = pl.read_parquet(BytesIO(content))
    lengths = np.bincount(table["run"].to_numpy(), minlength=count).tolist()
    heads, starts = table.drop("run"), np.cumsum([0, *lengths]).tolist()
    return [heads.slice(start, length) for start, length in zip(starts, lengths, strict=False)]
