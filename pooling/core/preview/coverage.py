"""Who contributes to a pool, how teams overlap, and how the pool spreads over topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pooling.core.strategies.declaration import PAIR, among, pair_key

TABLED = 2**23


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
    run, pair = selected["run"].to_numpy(), with_pair_numbers(selected)["pair"].to_numpy()
    team_of = np.asarray(team_of_run, dtype=np.int64)
    run_count, pair_count = len(team_of), int(pair.max(initial=-1)) + 1
    holds = np.zeros((pair_count, int(team_of.max(initial=-1)) + 1), dtype=np.bool_)
    holds[pair, team_of[run]] = True
    one_team, one_run = holds.sum(axis=1) == 1, np.bincount(pair, minlength=pair_count) == 1
    counted = (run, run[one_team[pair]], run[one_run[pair]])
    contributed, unique, alone = (np.bincount(rows, minlength=run_count) for rows in counted)
    return Contributions(
        runs=_numbered("run", contributed=contributed, unique=unique, alone=alone),
        teams=_numbered("team", contributed=holds.sum(axis=0), unique=holds[one_team].sum(axis=0)),
        overlap=_overlap(holds),
    )


def with_pair_numbers(table: pl.DataFrame) -> pl.DataFrame:
    """The rows with `pair` (Int64): a number from 0 for each (topic, docno), in all of its rows. What has numbers keeps them.

    >>> with_pair_numbers(pl.DataFrame({"topic": ["1", "2", "1"], "docno": ["a", "a", "a"]}))["pair"].n_unique()
    2
    """
    if "pair" in table.columns:
        return table
    # Numbers of texts in one integer each: going through these is faster than comparing the texts.
    topic, docno = (table[name].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64) for name in PAIR)
    topics = _dense(topic)  # Polars may number texts of other tables in between
    return table.with_columns(pair=pl.Series(_dense(topics * (int(docno.max(initial=0)) + 1) + docno), dtype=pl.Int64))


def _dense(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The place of each code among all different ones in ascending order, from 0; by a table of all codes where that is small."""
    largest = int(codes.max(initial=0))
    if largest > TABLED:
        return np.unique(codes, return_inverse=True)[1]
    seen = np.zeros(largest + 1, dtype=np.bool_)
    seen[codes] = True
    different = np.flatnonzero(seen)
    place = np.empty(largest + 1, dtype=np.int32)  # mostly holes, which nobody reads
    place[different] = np.arange(len(different), dtype=np.int32)
    return place[codes].astype(np.int64)


def pooled_share(appearances: pl.DataFrame, entries: pl.DataFrame, depth: int) -> float:
    """Share of the runs' first `depth` documents that are in the pool, in [0, 1]; NaN where the runs hold none.

    >>> retrieved = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "position": [1, 2]})
    >>> pooled_share(retrieved, retrieved.head(1), depth=2)
    0.5
    """
    top = appearances.filter(pl.col("position") <= depth)
    if not top.height:
        return float("nan")
    return among(top, entries).height / top.height


def whole_depth(appearances: pl.DataFrame, entries: pl.DataFrame) -> int:
    """The largest k such that the first k documents of every run and topic are in the pool; 0 if there is none.

    Never above the largest position: of runs that are cut, no more is known.

    >>> retrieved = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> whole_depth(retrieved, retrieved.head(2)), whole_depth(retrieved, retrieved)
    (2, 3)
    """
    missing = first_missing(appearances, entries)
    return int(appearances["position"].to_numpy().max(initial=0)) if missing is None else missing - 1


def first_missing(appearances: pl.DataFrame, entries: pl.DataFrame) -> int | None:
    """The best position at which a run holds a document that is not in the pool; None where all are in it.

    >>> retrieved = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> first_missing(retrieved, retrieved.head(2)), first_missing(retrieved, retrieved)
    (3, None)
    """
    missing = appearances.join(entries, on=pair_key(appearances, entries), how="anti")["position"].to_numpy()
    return int(missing.min()) if missing.size else None


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


def _numbered(key: str, **counts: npt.NDArray[np.int64]) -> pl.DataFrame:
    columns = {name: pl.Series(held, dtype=pl.UInt32) for name, held in counts.items()}
    return pl.DataFrame(columns).with_row_index(key)


def _overlap(holds: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    teams = holds.shape[1]
    common = np.zeros((teams, teams))
    # By bits, eight pairs in a byte: a product of matrices waits for its other threads where the processor is busy.
    packed = np.packbits(holds, axis=0).T.copy()
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)
    for team, held in enumerate(packed):
        common[team] = np.bitwise_count(packed & held).sum(axis=1, dtype=np.int64)
    own = np.diag(common)[:, None]
    return np.divide(common, own, out=np.full_like(common, np.nan), where=own > 0)
