"""The documents that a sample could draw and did not: as they are kept, and in a file together with the drawn ones."""

from __future__ import annotations

from io import BytesIO

import polars as pl

from campaign.formats.qrels.table import NOT_DRAWN
from pooling.core.strategies.declaration import PAIR

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


def sample_file(entries: pl.DataFrame, frame: pl.DataFrame | None) -> bytes:
    """All that a sample was drawn from as text: a line `topic 0 docno stratum -1 probability` for each document.

    The first five columns are those of qrels by strata in which nothing is judged; the probability is NA unless the document
    was drawn. Topics as ordered in `entries`; in each the drawn documents in judging order, then the others by docno, in bytes.
    Reading the file as a pool gives entries and frame again.

    >>> entries = pl.DataFrame({"topic": ["2"], "docno": ["b"], "stratum": [2], "inclusion_probability": [0.5]})
    >>> sample_file(entries, pl.DataFrame({"topic": ["2"], "docno": ["a"], "stratum": [2]}))
    b'2 0 b 2 -1 0.5\\n2 0 a 2 -1 NA\\n'
    """
    topic = pl.col("topic").cast(pl.String)
    held = entries.select(topic, "docno", "stratum", "inclusion_probability", rank=pl.int_range(pl.len()))
    if frame is not None:
        rest = frame.sort(PAIR).select(topic, "docno", "stratum")
        held = pl.concat([held, rest.with_columns(rank=held.height)], how="diagonal_relaxed")
    ordered = held.with_columns(place=pl.col("rank").min().over("topic")).sort("place", "rank", maintain_order=True)
    line = pl.format("{} 0 {} {} -1", "topic", "docno", "stratum")
    # Python's and not polars' text of a number, as in `pool_file`.
    lines, values = ordered.select(line).to_series().to_list(), ordered["inclusion_probability"].to_list()
    written = (
        f"{text} {NOT_DRAWN if value is None else repr(value)}\n" for text, value in zip(lines, values, strict=True)
    )
    return "".join(written).encode()
