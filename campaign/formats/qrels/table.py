"""The table of judgments that every reader of qrels makes, and the files in which this platform stores it."""

from collections.abc import Sequence
from io import BytesIO

import polars as pl

QRELS_SCHEMA = pl.Schema({"topic": pl.String, "subtopic": pl.String, "docno": pl.String, "grade": pl.Int32})
NOT_DRAWN = "NA"  # in place of a probability
SAMPLED_BY = {"stratum": pl.Int32(), "probability": pl.Float64()}
"""What a sample is drawn by: the column that qrels of five columns have besides those of QRELS_SCHEMA."""


def write_qrels(table: pl.DataFrame, topic_order: Sequence[str] | None = None) -> bytes:
    """The qrels as TREC text, the same bytes for the same judgments.

    Sorted by topic, subtopic and docno in byte order; with `topic_order`, its topics come first in that order. A column
    `stratum` is written before the grade, a column `probability` after it; no layout holds both.

    >>> rows = [("2", "0", "a", 1), ("10", "0", "b", 0), ("10", "0", "a", 2)]
    >>> write_qrels(pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row"))
    b'10 0 a 2\\n10 0 b 0\\n2 0 a 1\\n'
    """
    if {"stratum", "probability"} <= set(table.columns):
        raise ValueError("Qrels hold a stratum or a probability, not both: leave one of the columns out.")
    places = {topic: place for place, topic in enumerate(dict.fromkeys(topic_order or ()))}
    place = pl.col("topic").replace_strict(places, default=len(places), return_dtype=pl.UInt32)
    keys = [*([place] if places else []), pl.col("topic"), pl.col("subtopic"), pl.col("docno")]
    stratum, probability = ([name] if name in table.columns else [] for name in ("stratum", "probability"))
    ordered = table.sort(keys).select("topic", "subtopic", "docno", *stratum, "grade", *probability)
    buffer = BytesIO()
    ordered.write_csv(buffer, include_header=False, separator=" ", quote_style="never", null_value=NOT_DRAWN)
    return buffer.getvalue()


def read_stored_qrels(content: bytes, sampled_by: str = "") -> pl.DataFrame:
    """The table that `write_qrels` wrote, in the order of the file; of files by others use `read_qrels`.

    Its columns are those of QRELS_SCHEMA, of a sample also `sampled_by`: "stratum", or "probability" (null: not drawn).

    >>> read_stored_qrels(b"1 0 a 2\\n").rows()
    [('1', '0', 'a', 2)]
    >>> read_stored_qrels(b"1 0 a 2 0.25\\n1 0 b 0 NA\\n", "probability")["probability"].to_list()
    [0.25, None]
    """
    names = list(QRELS_SCHEMA)
    if sampled_by:
        names.insert(3 if sampled_by == "stratum" else 4, sampled_by)
    schema = {name: {**QRELS_SCHEMA, **SAMPLED_BY}[name] for name in names}
    nulls = {"probability": NOT_DRAWN} if sampled_by == "probability" else None
    table = pl.read_csv(content, separator=" ", has_header=False, quote_char=None, schema=schema, null_values=nulls)
    return table.select(*QRELS_SCHEMA, *([sampled_by] if sampled_by else []))
