"""Runs, specs and rankings for the tests of pooling."""

from typing import Any

import polars as pl

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.table import RUN_SCHEMA, ranked
from campaign.models import Run, Task, Team
from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.spec import PoolSpec
from tests.factories import make_received_run, run_lines

BY_SCORE = Ordering()
Scores = dict[str, dict[str, float]]


def depth_k(depth: int = 10, **common: Any) -> PoolSpec:
    return PoolSpec("depth-k", {"depth": depth}, **common)


def make_valid_run(task: Task, team: Team, tag: str, ranking: dict[str, list[str]], **values: Any) -> Run:
    return make_received_run(task, team, tag, run_lines(ranking, tag), **{"state": Run.VALID, **values})


def make_pooled_run(
    scores: Scores, tag: str = "run", team: str = "team", priority: int = 1, ordering: Ordering = BY_SCORE
) -> PooledRun:
    """Ranks are given in the opposite order of the scores: pooling must not look at them."""
    rows = [
        (topic, docno, rank, score)
        for topic, held in scores.items()
        for rank, (docno, score) in enumerate(sorted(held.items(), key=lambda pair: pair[1]), start=1)
    ]
    return PooledRun(tag, team, priority, ranked(pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row"), ordering))


def pooled(entries: pl.DataFrame) -> set[tuple[str, str]]:
    return set(entries.select(pl.col("topic").cast(pl.String), "docno").iter_rows())
