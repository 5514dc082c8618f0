"""Existing judgments, for strategies and previews that read them.

Judgments belong to a later app, which pooling does not import: that app registers its readers here when it starts.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import polars as pl

from campaign.models import Task
from pooling.core.strategies.spec import PoolSpec


@dataclass(frozen=True, slots=True)
class Pace:
    """What a judgment of the task took: the median, in seconds, over so many judgments."""

    seconds: float
    judgments: int


@dataclass(frozen=True, slots=True)
class Readers:
    """`documents`: the judged documents of a task: topic (String), docno (String), grade (Int32; -2: could not be judged).

    With keys of topics, only of these. `version`: a text that changes with every judgment of the task. `pace`: None as long
    as nobody has judged.
    """

    documents: Callable[[Task, Collection[int] | None], pl.DataFrame]
    version: Callable[[Task], str]
    pace: Callable[[Task], Pace | None]


_readers: list[Readers] = []


def read_judgments_with(readers: Readers) -> None:
    _readers[:] = [readers]


def all_judged_documents(task: Task) -> pl.DataFrame | None:
    """Return the current grades; None where there is nobody to ask."""
    return _readers[0].documents(task, None) if _readers else None


def judgments_of(task: Task, topics: Collection[int] | None = None) -> pl.DataFrame:
    """Return the current grades of the task, or of these of its topics: topic, docno, grade."""
    judged = _readers[0].documents(task, topics) if _readers else None
    return (
        pl.DataFrame(schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}) if judged is None else judged
    )


def judged_documents(task: Task, spec: PoolSpec) -> pl.DataFrame | None:
    """Return the current grades; None if the spec's strategy does not read them."""
    return all_judged_documents(task) if spec.method.reads_judgments else None


def judgments_version(task: Task) -> str:
    return _readers[0].version(task) if _readers else ""


def judging_pace(task: Task) -> Pace | None:
    return _readers[0].pace(task) if _readers else None
