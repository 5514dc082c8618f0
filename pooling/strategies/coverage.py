"""Who contributes to a pool, how teams overlap, and how the pool spreads over topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pooling.strategies.declaration import PAIR


@dataclass(frozen=True, slots=True)
class Contributions:
    """Pooled pairs by run and by team.

    runs: one row per run index: run (UInt32), contributed, unique (pairs that only the run's team holds), alone (only this run).
    teams: one row per team code: team (UInt32), contributed, unique.
    overlap: float64, teams x teams; [a, b] = |pairs of a and b| / |pairs of a|, NaN where a holds none.
    """

    runs: pl.DataFrame
    teams: pl.DataFrame
    overlap: npt.NDArray[np.float64]


def contributions(selected: pl.DataFrame, team_of_run: Sequence[int]) -> Contributions:
    """Count what each run and team brings to the pool; `team_of_run[i]` is the team code (0..m-1) of run i.

    >>> rows = [(0, "1", "a"), (1, "1", "a"), (1, "1", "b")]
    >>> selected = pl.DataFrame(rows, schema={"run": pl.UInt32, "topic": pl.String, "docno": pl.String}, orient="row")
    >>> counted = contributions(selected, team_of_run=[0, 1])
    >>> counted.runs.rows(), counted.overlap.tolist()
    ([(0, 1, 0, 0), (1, 2, 1, 1)], [[1.0, 1.0], [0.5, 1.0]])
    """
    run_count, team_count = len(team_of_run), max(team_of_run, default=-1) + 1
    team_of = pl.DataFrame({"run": range(run_count), "team": team_of_run}, schema={"run": pl.UInt32, "team": pl.UInt32})
    held = selected.join(team_of, on="run")
    by_team = held.select(*PAIR, "team").unique()
    pairs = (
        by_team.group_by(PAIR)
        .agg(pl.len().alias("teams"))
        .join(held.group_by(PAIR).agg(pl.len().alias("runs")), on=PAIR)
        .with_row_index("pair")
    )
    by_run, by_team = held.join(pairs, on=PAIR), by_team.join(pairs, on=PAIR)
    unique = (pl.col("teams") == 1).sum().alias("unique")
    counted = [pl.len().alias("contributed"), unique]
    per_run = by_run.group_by("run").agg(*counted, (pl.col("runs") == 1).sum().alias("alone"))
    per_team = by_team.group_by("team").agg(*counted)
    return Contributions(
        runs=_all_rows("run", run_count, per_run),
        teams=_all_rows("team", team_count, per_team),
        overlap=_overlap(by_team["pair"].to_numpy(), by_team["team"].to_numpy(), pairs.height, team_count),
    )


def pooled_share(appearances: pl.DataFrame, entries: pl.DataFrame, depth: int) -> float:
    """Share of the runs' first `depth` documents that are in the pool, in [0, 1]; NaN where the runs hold none.

    >>> retrieved = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "position": [1, 2]})
    >>> pooled_share(retrieved, retrieved.head(1), depth=2)
    0.5
    """
    top = appearances.filter(pl.col("position") <= depth)
    if not top.height:
        return float("nan")
    return top.join(entries, on=PAIR, how="semi").height / top.height


@dataclass(frozen=True, slots=True)
class TopicSizes:
    """Pooled documents per topic, topics without any counted as 0. `histogram`: rows (from, to, topics), bounds included."""

    per_topic: dict[str, int]
    smallest: int
    median: float
    largest: int
    histogram: tuple[tuple[int, int, int], ...]


def count_by_topic(entries: pl.DataFrame) -> dict[str, int]:
    """How many documents each topic has in the pool; topics without any are not there.

    >>> count_by_topic(pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"]}))
    {'1': 2}
    """
    return dict(entries.group_by(pl.col("topic").cast(pl.String)).agg(pl.len()).iter_rows())


def topic_sizes(counts: Mapping[str, int], topics: Sequence[str], bins: int = 12) -> TopicSizes:
    """How the pool spreads over all topics of the task.

    >>> sizes = topic_sizes({"1": 4, "2": 1}, ["1", "2", "3"], bins=2)
    >>> sizes.per_topic, sizes.median, sizes.histogram
    ({'1': 4, '2': 1, '3': 0}, 1.0, ((0, 2, 2), (3, 4, 1)))
    """
    per_topic = {topic: int(counts.get(topic, 0)) for topic in topics}
    values = np.fromiter(per_topic.values(), dtype=np.int64, count=len(per_topic))
    if not values.size:
        return TopicSizes({}, 0, 0.0, 0, ())
    low, high = int(values.min()), int(values.max())
    return TopicSizes(per_topic, low, float(np.median(values)), high, _histogram(values, low, high, bins))


def _histogram(values: npt.NDArray[np.int64], low: int, high: int, bins: int) -> tuple[tuple[int, int, int], ...]:
    width = -(-(high - low + 1) // bins)
    counts = np.bincount((values - low) // width)
    return tuple(
        (low + index * width, min(high, low + (index + 1) * width - 1), int(count))
        for index, count in enumerate(counts)
    )


def _all_rows(key: str, count: int, counted: pl.DataFrame) -> pl.DataFrame:
    rows = pl.DataFrame({key: range(count)}, schema={key: pl.UInt32})
    return rows.join(counted, on=key, how="left", maintain_order="left").fill_null(0)


def _overlap(
    pair: npt.NDArray[np.uint32], team: npt.NDArray[np.uint32], pairs: int, teams: int
) -> npt.NDArray[np.float64]:
    holds = np.zeros((pairs, teams), dtype=np.float32)
    holds[pair, team] = 1
    common = (holds.T @ holds).astype(np.float64)
    own = np.diag(common)[:, None]
    return np.divide(common, own, out=np.full_like(common, np.nan), where=own > 0)
