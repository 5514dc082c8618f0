"""Judgments that strategies read, from a file of qrels."""

from __future__ import annotations

from io import BytesIO

import polars as pl

from campaign.command.files import LIMITS, raise_problems, text_of
from campaign.formats.problems import ProblemLog
from campaign.formats.qrels.read import QrelsRules, read_qrels


def judged_in(path: str) -> pl.DataFrame:
    """Columns topic, docno (String), grade (Int32) of the judged documents; InputError names what is wrong with the file."""
    problems = ProblemLog()
    read = read_qrels(BytesIO(text_of(path)), QrelsRules(subtopic=False, for_scoring=True), LIMITS, problems)
    raise_problems(path, problems)
    schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
    if read.table is None:
        return pl.DataFrame(schema=schema)
    return read.table.filter(pl.col("grade") != -1).select(pl.col(name).cast(kind) for name, kind in schema.items())
