"""The tables of valid runs: caches of their files in storage, from which runs are pooled and scored."""

import logging
from collections.abc import Sequence
from io import BytesIO

import polars as pl

from campaign.formats.runs.table import run_table_from_parquet, run_table_to_parquet
from campaign.models import Run
from campaign.storage import store
from campaign.storage.quarantine import DamagedFileError, forget_damage
from campaign.storage.reading import verified_bytes

logger = logging.getLogger(__name__)


def table_store(table: pl.DataFrame) -> str:
    return store(BytesIO(run_table_to_parquet(table)), folder="tables", suffix=".parquet").name


def kept_table(run: Run, columns: Sequence[str]) -> pl.DataFrame | None:
    """These columns of the run's table; None if there is none, or none with the bytes that were stored."""
    if not run.table.name:
        return None
    try:
        return run_table_from_parquet(verified_bytes(run.table.name, found_by="a reading of a run's table"), columns)
    except DamagedFileError as problem:
        logger.warning("the table of run %s is made anew from its file: %s", run.pk, problem)
        return None


def table_keep_again(run: Run, table: pl.DataFrame) -> None:
    """Store the table of a run again, made anew from its file; another version of the library may write other bytes."""
    lost = run.table.name
    if lost:
        try:
            name = table_store(table)
        except (
            OSError
        ) as problem:  # a full disk, a closed folder: whoever asked has the table, and the next one makes it anew
            logger.warning("the table of run %s is not kept: %s", run.pk, problem)
            return
        Run.objects.filter(pk=run.pk, table=lost).update(table=name)
        run.table.name = name
        forget_damage(lost)
