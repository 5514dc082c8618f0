"""The stored files of a version of the qrels."""

from io import BytesIO

import polars as pl

from campaign.formats.qrels.table import SAMPLED_BY, write_qrels
from campaign.storage import StoredFile, store
from pooling.core.duplicates.standing import twins_file


def stored_tables(
    table: pl.DataFrame, subtopic_table: pl.DataFrame | None, sample: pl.DataFrame | None
) -> dict[str, str]:
    """Store the tables, and return the values of the columns that name the files."""
    stored = store_bytes(write_qrels(table))
    files = {"file": stored.name, "sha256": stored.sha256, "subtopic_sha256": "", "sample_sha256": ""}
    if subtopic_table is not None and subtopic_table.height:
        subtopics = store_bytes(write_qrels(subtopic_table))
        files |= {"subtopic_file": subtopics.name, "subtopic_sha256": subtopics.sha256}
    if sample is not None:
        sampled_by = next(name for name in SAMPLED_BY if name in sample.columns)
        by_document = store_bytes(write_qrels(sample))
        files |= {"sampled_by": sampled_by, "sample_file": by_document.name, "sample_sha256": by_document.sha256}
    return files


def stored_twins(twins: pl.DataFrame | None) -> dict[str, str]:
    """The same of the classes of near-identical documents."""
    if twins is None:
        return {"twins_sha256": ""}
    stored = store_bytes(twins_file(twins))
    return {"twins_file": stored.name, "twins_sha256": stored.sha256}


def store_bytes(content: bytes, suffix: str = ".txt") -> StoredFile:
    return store(BytesIO(content), folder="qrels", suffix=suffix)
