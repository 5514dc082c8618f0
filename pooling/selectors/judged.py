"""Existing judgments, for strategies that read them.

Judgments belong to a later app, which pooling does not import: that app registers its reader here when it starts.
"""

from collections.abc import Callable

import polars as pl

from campaign.models import Task
from pooling.strategies.spec import PoolSpec

Reader = Callable[[Task], pl.DataFrame]
"""Returns the judged documents of a task: topic (String), docno (String), grade (Int32; -2: could not be judged)."""

_readers: list[Reader] = []


def read_judgments_with(reader: Reader) -> None:
    _readers[:] = [reader]


def judged_documents(task: Task, spec: PoolSpec) -> pl.DataFrame | None:
    """Return the current grades; None if the spec's strategy does not read them."""
    return _readers[0](task) if spec.method.reads_judgments and _readers else None
