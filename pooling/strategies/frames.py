"""The documents that could have been drawn into a sampled pool and were not, as they are kept."""

from __future__ import annotations

from io import BytesIO

import polars as pl

FRAME_SCHEMA = pl.Schema({"topic": pl.String, "docno": pl.String, "stratum": pl.Int32})


def frame_file(frame: pl.DataFrame) -> bytes:
    """The frame (topic, docno, stratum) as Parquet, in its order.

    >>> frame_file(pl.DataFrame({"topic": ["1"], "docno": ["a"], "stratum": [2]}))[:4]
    b'PAR1'
    """
    buffer = BytesIO()
    frame.select(pl.col(name).cast(dtype) for name, dtype in FRAME_SCHEMA.items()).write_parquet(
        buffer, compression="lz4", statistics=False
    )
    return buffer.getvalue()


def read_frame(content: bytes) -> pl.DataFrame:
    """What `frame_file` wrote: topic, docno (String), stratum (Int32).

    >>> frame = pl.DataFrame({"topic": ["1"], "docno": ["a"], "stratum": [2]})
    >>> read_frame(frame_file(frame)).rows()
    [('1', 'a', 2)]
    """
    return pl.read_parquet(BytesIO(content)).match_to_schema(FRAME_SCHEMA)
