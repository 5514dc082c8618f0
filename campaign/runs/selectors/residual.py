"""What a residual round leaves out: the pairs that earlier rounds judged."""

from functools import lru_cache
from io import BytesIO

import polars as pl

from campaign.models import JudgedBefore, Task
from campaign.storage.reading import verified_bytes

PAIR = ("topic", "docno")


def judged_before(task: Task) -> pl.DataFrame | None:
    """topic, docno of the pairs that leave runs and qrels of the task; None where none do."""
    if task.round_kind != Task.RESIDUAL:
        return None
    name = JudgedBefore.objects.filter(task=task).values_list("file", flat=True).first()
    return None if name is None else _pairs(name)


def residual(task: Task, table: pl.DataFrame) -> pl.DataFrame:
    """The rows of a run or of qrels (topic, docno, ...) that count in the task, in their order."""
    pairs = judged_before(task)
    return table if pairs is None else table.join(pairs, on=PAIR, how="anti", maintain_order="left")


def is_judged_before(task: Task, topic: str, docno: str) -> bool:
    pairs = judged_before(task)
    return pairs is not None and not pairs.filter(pl.col("topic") == topic, pl.col("docno") == docno).is_empty()


@lru_cache(maxsize=2)
def _pairs(name: str) -> pl.DataFrame:
    """The name of a stored file names its bytes, so they are read and verified once in a process."""
    return pl.read_parquet(BytesIO(verified_bytes(name, found_by="a reading of what earlier rounds judged")))
